"""From a tokenizer to files: which format by the path, each file whole or not at all, and what no file holds is said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from piecework._files.left_out import not_in_one_file, not_in_ranks, not_in_two_files
from piecework._files.model_folder import folder_files
from piecework._files.whole_files import write_files
from piecework.errors import FormatError

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.origin import Origin

__all__ = ["FORMATS", "SaveFormat", "Saved", "format_of", "save_native"]

SaveFormat = Literal["tokenizer-json", "folder", "tiktoken", "vocab-merges"]

FORMATS: tuple[SaveFormat, ...] = ("tokenizer-json", "folder", "tiktoken", "vocab-merges")
"""The formats that are written."""

_PAIR = ("vocab.json", "merges.txt")


class Saved(NamedTuple):
    """What was saved.

    Attributes:
        format: One of `tokenizer-json`, `folder`, `tiktoken`, `vocab-merges`.
        paths: The files that were written.
        left_out: What the tokenizer has and the files do not hold, in sentences; empty where they hold all.
    """

    format: SaveFormat
    paths: tuple[Path, ...]
    left_out: tuple[str, ...]


def save_native(
    native: _core.Tokenizer, origin: Origin | None, path: Path, wanted: SaveFormat | None
) -> Saved:
    """Saves a tokenizer; the arguments and errors are those of `Tokenizer.save`."""
    if wanted is not None and wanted not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {wanted!r}")
    chosen = format_of(path) if wanted is None else wanted
    files, left_out = _contents(native, origin, path, chosen)
    return Saved(chosen, write_files(files), tuple(left_out))


def format_of(path: Path) -> SaveFormat:
    """The format that a path stands for.

    Raises:
        ValueError: Its suffix is that of no format that is written.

    Examples:
        >>> [format_of(Path(name)) for name in ("t/tokenizer.json", "ranks.tiktoken", "t/vocab.json", "my-model")]
        ['tokenizer-json', 'tiktoken', 'vocab-merges', 'folder']
    """
    if path.is_dir():
        return "folder"
    if path.name in _PAIR:
        return "vocab-merges"
    found: SaveFormat | None = {".json": "tokenizer-json", ".tiktoken": "tiktoken", "": "folder"}.get(  # type: ignore[assignment]
        path.suffix
    )
    if found is None:
        raise ValueError(
            f"the name {path.name} does not say a format: a file ends in .json or .tiktoken, or is vocab.json or "
            "merges.txt; for a folder of such a name pass format='folder'"
        )
    return found


def _contents(
    native: _core.Tokenizer, origin: Origin | None, path: Path, chosen: SaveFormat
) -> tuple[Mapping[Path, bytes], list[str]]:
    try:
        if chosen == "folder":
            return folder_files(native, origin, path)
        if chosen == "tiktoken":
            ranks = native.to_tiktoken()
            return {path: ranks}, not_in_ranks(native, ranks)
        if chosen == "vocab-merges":
            folder = path.parent if path.name in _PAIR else path
            pair = native.to_vocab_merges()
            files = {folder / name: content for name, content in zip(_PAIR, pair, strict=True)}
            return files, not_in_two_files(native, pair)
        target = path / "tokenizer.json" if path.is_dir() else path
        content, is_same = native.to_tokenizer_json()
        return {target: content}, not_in_one_file(native, origin, is_same=is_same)
    except FormatError as error:
        message = f"it cannot be saved as {chosen}: {error.message}"
        raise FormatError(message, place=error.place, reason=error.reason, hint=error.hint) from None
