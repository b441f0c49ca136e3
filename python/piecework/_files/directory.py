"""A model's folder: which of its files is the tokenizer, by what they hold, and what lies beside it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from piecework import _core
from piecework._files.additions import tokens_after_ranks, with_folder
from piecework._files.formats import Part, open_parts
from piecework._files.known_ranks import LLAMA3_PATTERN, PUBLISHED, PublishedRanks, load_call
from piecework._files.model_files import ModelFiles, read_model_files
from piecework._files.origin import EmbeddingRows, FileRecord, Origin
from piecework._files.pairs import pairs_among
from piecework._files.reading import file_mode, in_file, unreadable
from piecework._files.tokenizer_file import add_beside, read_tokenizer_file
from piecework._files.weights import INDEX_NAME, embedding_rows
from piecework.errors import FormatError, LoadError

__all__ = ["TokenizerFiles", "find_tokenizer", "open_folder"]

_NEEDED = (
    "a tokenizer.json, a SentencePiece or tiktoken *.model, a tekken.json, a vocab.json with its merges.txt, a vocab.txt, "
    "or one *.gguf"
)

# By the model_type of config.json: what the publisher's own code cuts with. Llama 3's is the only one that is published so.
_PATTERNS = {"llama": LLAMA3_PATTERN}

# A folder of more files than this is no model's folder; no more of it is listed.
_MAX_ENTRIES = 10_000
_MAX_NAMED = 12


class TokenizerFiles(NamedTuple):
    """The files of a tokenizer in a folder: one, or a vocab.json and its merges.txt."""

    paths: tuple[Path, ...]
    parts: tuple[Part, ...]
    records: tuple[FileRecord, ...]

    @property
    def kind(self) -> str:
        """What the first of them is."""
        return self.parts[0].kind


def open_folder(
    folder: Path, *, pattern: str | None, special_tokens: Mapping[str, int] | None, source: str
) -> tuple[_core.Tokenizer, Origin]:
    """Opens the tokenizer in a model's folder, with what the files around it add.

    Args:
        folder: An existing folder.
        pattern: For ranks, as for `formats.open_parts`.
        special_tokens: For ranks.
        source: What the origin calls the source: `folder` or `hub`.

    Raises:
        LoadError: There is no tokenizer in it, and the message says what there is; or a file cannot be read.
        FormatError: A file does not hold what its format requires, or holds what is not supported.
    """
    found = find_tokenizer(folder)
    if found.kind != "tiktoken" and (pattern is not None or special_tokens is not None):
        raise LoadError(
            f"pattern= and special_tokens= are for .tiktoken files; {found.paths[0]} carries its own",
            path=str(found.paths[0]),
        )
    files = read_model_files(folder)
    config = _config_text(folder, files)
    published: PublishedRanks | None = None
    roles: Mapping[str, str] = {}
    if found.kind == "tiktoken":
        path, data = found.paths[0], found.parts[0].data
        if pattern is None:
            published = PUBLISHED.get(in_file(path, lambda: _core.known_tiktoken(data)) or "")
            pattern = _known_pattern(path, files, published)
        if special_tokens is None:
            special_tokens = tokens_after_ranks(data, files)
        if special_tokens is None and published is not None:
            special_tokens, roles = published.special_tokens, published.roles

    def read() -> _core.Tokenizer:
        native = open_parts(found.parts, config=config, pattern=pattern, special_tokens=special_tokens)
        add_beside(found.parts[0], native.notes, files)
        return with_folder(native, found.kind, files)

    native: _core.Tokenizer = in_file(found.paths[0], read)
    origin = _origin(folder, found, files, source)
    return native, origin if origin.roles else origin._replace(roles=MappingProxyType(dict(roles)))


def find_tokenizer(folder: Path) -> TokenizerFiles:
    """Finds the tokenizer's file or files in a folder: a tokenizer.json before all others.

    Raises:
        LoadError: There is none, or there are several of a kind; or one cannot be read.
    """
    names = _listing(folder)
    if "tokenizer.json" in names:
        return _read(folder, "tokenizer.json")
    pairs = [] if _models(names) else pairs_among(names)
    if pairs:
        _check_one(folder, [vocab for vocab, _ in pairs])
        return _read(folder, *pairs[0])
    for candidates in (_models(names), ["tekken.json"], ["vocab.txt"], _ending(names, ".tiktoken", ".gguf")):
        there = [name for name in candidates if name in names]
        if there:
            _check_one(folder, there)
            return _read(folder, there[0])
    raise _nothing_found(folder, names)


def _check_one(folder: Path, there: list[str]) -> None:
    if len(there) > 1:
        raise LoadError(
            f"the folder {folder} has several tokenizers: {', '.join(there)}",
            path=str(folder),
            searched=(str(folder.absolute()),),
            hint="name the file to load",
        )


def _read(folder: Path, *names: str) -> TokenizerFiles:
    paths = tuple(folder / name for name in names)
    read = [read_tokenizer_file(path) for path in paths]
    data = [file.part.data for file in read]
    kinds = [file.part.kind for file in read]
    if len(names) == 2:
        expected = ["vocab-json", "merges-txt"]
        # A merges.txt of few lines is text like any other: its name and its place say what it is.
        kinds = [want if kind == "text" else kind for kind, want in zip(kinds, expected, strict=True)]
        for path, content, kind, want in zip(paths, data, kinds, expected, strict=True):
            if kind != want:
                reason = f"this looks like {_core.detect(content)[1]}"
                raise FormatError(f"{path}: {reason}", path=str(path), place="file", reason=reason)
    if names == ("vocab.txt",) and kinds == ["text"]:
        kinds = ["vocab-txt"]
    return TokenizerFiles(paths, tuple(map(Part, kinds, data)), tuple(file.record for file in read))


def _listing(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False)]
    except OSError as error:
        raise unreadable(folder, error) from error
    return sorted(found)


def _models(names: list[str]) -> list[str]:
    """The SentencePiece or tiktoken models: the usual names first, alone where they are there."""
    for usual in ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model"):
        if usual in names:
            return [usual]
    return [name for name in names if name.endswith(".model") or ".model.v" in name]


def _ending(names: list[str], *suffixes: str) -> list[str]:
    return [name for name in names if name.endswith(suffixes)]


def _nothing_found(folder: Path, names: list[str]) -> LoadError:
    if not names:
        holds = "is empty"
    else:
        more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
        holds = f"holds {', '.join(names[:_MAX_NAMED])}{more}"
    half = {"vocab.json": "merges.txt", "merges.txt": "vocab.json"}
    missing = [other for name, other in half.items() if name in names and other not in names]
    return LoadError(
        f"there is no tokenizer in the folder {folder}, which {holds}; needed is {_NEEDED}",
        path=str(folder),
        searched=(str(folder.absolute()),),
        hint=f"{missing[0]} is missing: it is the other half of the tokenizer" if missing else None,
    )


def _config_text(folder: Path, files: ModelFiles) -> str | None:
    if "tokenizer_config.json" not in files.values:
        return None
    return (folder / "tokenizer_config.json").read_text(encoding="utf-8-sig")


def _known_pattern(path: Path, files: ModelFiles, published: PublishedRanks | None) -> str:
    """The pattern of ranks whose model is known to use it, or that are known themselves."""
    pattern = _PATTERNS.get(str(files.values.get("config.json", {}).get("model_type")))
    if pattern is None and published is not None:
        return published.pattern
    if pattern is None:
        raise LoadError(
            f"{path} holds ranks and no pattern",
            path=str(path),
            hint=load_call(path),
        )
    return pattern


def _origin(folder: Path, found: TokenizerFiles, files: ModelFiles, source: str) -> Origin:
    config_rows = files.model_number("vocab_size", "padded_vocab_size")
    rows = [] if config_rows is None else [EmbeddingRows("config.json", config_rows)]
    in_weights, remark = embedding_rows(folder)
    if in_weights is not None:
        rows.append(in_weights)
    remarks = [*files.remarks, *([] if remark is None else [remark])]
    return Origin(
        source=source,
        place=str(folder),
        files=(*found.records, *files.records, *_others(folder, found, files)),
        roles=MappingProxyType(files.roles()),
        embedding_rows=tuple(rows),
        named_ids=tuple(files.named_ids()),
        max_positions=files.model_number("max_position_embeddings", "n_positions", "max_sequence_length"),
        tokenizer_class=files.tokenizer_class,
        chat_templates=MappingProxyType(dict(files.chat_templates)),
        switches=MappingProxyType(files.switches()),
        remarks=tuple(remarks),
        max_length=files.max_length(),
        settings=MappingProxyType(files.settings()),
    )


def _others(folder: Path, found: TokenizerFiles, files: ModelFiles) -> list[FileRecord]:
    """The other files that have to do with the tokenizer or the weights: by name and size only."""
    known = {path.name for path in found.paths} | {record.name for record in files.records}
    others: list[FileRecord] = []
    for name in _listing(folder):
        if name in known or not name.endswith((".json", ".txt", ".model", ".jinja", ".safetensors", ".gguf")):
            continue
        mode = file_mode(folder / name)
        if mode is None or not stat.S_ISREG(mode):
            continue
        used_for = "embedding rows" if name in {INDEX_NAME, "model.safetensors"} else ""
        others.append(FileRecord(name, (folder / name).stat().st_size, None, used_for))
    return others
