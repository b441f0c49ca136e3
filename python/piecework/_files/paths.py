"""From a path to a native tokenizer: a file of any format that is read, or a model's folder."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from piecework import _core
from piecework._files.additions import with_folder
from piecework._files.bundle import bundled
from piecework._files.directory import open_folder
from piecework._files.formats import open_parts
from piecework._files.known_ranks import PUBLISHED, load_call
from piecework._files.loaded import Loaded, check_no_pattern
from piecework._files.model_files import ModelFiles
from piecework._files.origin import Origin
from piecework._files.pairs import other_half
from piecework._files.reading import file_mode, in_file
from piecework._files.tokenizer_file import add_beside, read_tokenizer_file
from piecework.errors import LoadError

__all__ = ["load_folder", "load_path"]


def load_path(path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Loaded:
    """Loads the file or the folder at `path`, called `name`; other arguments and errors are those of `piecework.load`."""
    mode = file_mode(path)
    if mode is None:
        folder = path.absolute().parent
        raise LoadError(
            f"there is no file {path.name} in {folder}",
            path=str(path),
            searched=(str(folder),),
            hint=None if folder.is_dir() else f"the folder {folder} does not exist either",
        )
    if stat.S_ISDIR(mode):
        return load_folder(path, name, pattern, special_tokens, "folder")
    return _load_file(path, name, pattern, special_tokens)


def load_folder(
    folder: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None, source: str
) -> Loaded:
    """Loads a model's folder, called `name`; `source` says what it is: `folder` or `hub`. Errors as `piecework.load`."""
    native, origin = open_folder(folder, pattern=pattern, special_tokens=special_tokens, source=source)
    return Loaded(native, name, is_bundled=False, origin=origin)


def _load_file(
    path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    read_files = [read_tokenizer_file(path)]
    kind, data = read_files[0].part
    roles: Mapping[str, str] = {}
    if kind == "tiktoken" and pattern is None:
        known = _known_ranks(path, data, special_tokens)
        if known in PUBLISHED:
            pattern, tokens, roles = PUBLISHED[known]
            special_tokens = tokens if special_tokens is None else special_tokens
        else:
            origin = Origin("file", str(path), files=(read_files[0].record,))
            return Loaded(bundled(known), known, is_bundled=True, origin=origin)
    elif kind != "tiktoken":
        check_no_pattern(pattern, special_tokens, str(path))
    if kind in ("vocab-json", "merges-txt"):
        is_merges = kind == "merges-txt"
        other = other_half(path.name, is_merges=is_merges)
        if other is not None and file_mode(path.with_name(other)) is not None:
            read_files.insert(0 if is_merges else 1, read_tokenizer_file(path.with_name(other)))
    beside = ModelFiles()

    def read() -> _core.Tokenizer:
        parts = tuple(file.part for file in read_files)
        native = open_parts(parts, pattern=pattern, special_tokens=special_tokens)
        add_beside(parts[0], native.notes, beside)
        return with_folder(native, parts[0].kind, beside)

    native = in_file(path, read)
    origin = Origin(
        "file",
        str(path),
        files=tuple(file.record for file in read_files),
        roles=MappingProxyType({role: text for role, text in roles.items() if native.id(text) is not None}),
        chat_templates=MappingProxyType(beside.chat_templates),
        remarks=tuple(beside.remarks),
    )
    return Loaded(native, name, is_bundled=False, origin=origin)


def _known_ranks(path: Path, data: bytes, special_tokens: Mapping[str, int] | None) -> str:
    """The name of the published ranks that these are.

    Raises:
        LoadError: They are of nobody; or of a bundled encoding, and the caller gives other special tokens.
        FormatError: A line is no rank.
    """
    known: str | None = in_file(path, lambda: _core.known_tiktoken(data))
    if known is None:
        raise LoadError(
            f"{path} holds ranks and no pattern, and its ranks are of no known encoding",
            path=str(path),
            hint=load_call(path),
        )
    if known not in PUBLISHED and special_tokens is not None:
        raise LoadError(
            f"{path} holds the ranks of {known}, which has special tokens of its own",
            path=str(path),
            hint="pass pattern= too for another tokenizer of these ranks",
        )
    return known
