"""What a file of texts is, by its suffix, and that it is a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from piecework._files.reading import kind_name
from piecework.errors import InputError

__all__ = ["Format", "Kind", "Packed", "file_status", "format_of", "paths_of"]

Kind = Literal["lines", "jsonl", "parquet", "arrow"]
Packed = Literal["", "gz", "zst"]

_KINDS: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_PACKED: dict[str, Packed] = {".gz": "gz", ".zst": "zst"}


@dataclass(frozen=True, slots=True)
class Format:
    """How a file holds texts.

    Attributes:
        kind: `lines`: each line with its end is a text; `jsonl`: each record has one; `parquet`, `arrow`: each row has one.
        packed: How it is compressed as a whole; empty where it is not.
    """

    kind: Kind
    packed: Packed


def format_of(path: Path) -> Format:
    """The format by the suffix; what has no known one is text by line.

    Raises:
        InputError: A format that is read from anywhere in a file is compressed as a whole.

    Examples:
        >>> format_of(Path("web.jsonl.zst"))
        Format(kind='jsonl', packed='zst')
        >>> format_of(Path("LICENSE"))
        Format(kind='lines', packed='')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    packed = _PACKED.get(suffixes[-1], "") if suffixes else ""
    inner = suffixes[:-1] if packed else suffixes
    kind = _KINDS.get(inner[-1], "lines") if inner else "lines"
    if packed and kind == "parquet":
        reason = f"Parquet is read from its end, and .{packed} only from its beginning"
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason, hint="unpack it first")
    return Format(kind, packed)


def paths_of(files: object) -> list[Path]:
    """The paths in `files`, in order.

    Raises:
        TypeError: It is one path, or holds what is none.
    """
    if isinstance(files, str | bytes | os.PathLike) or not isinstance(files, Iterable):
        raise TypeError("files is a sequence of paths, not one path")
    paths = []
    for file in files:
        if not isinstance(file, str | os.PathLike):
            raise TypeError(f"files are paths, not {type(file).__name__}")
        paths.append(Path(file))
    return paths


def file_status(path: Path) -> os.stat_result:
    """The status of a regular file.

    Raises:
        InputError: It is missing, or is a folder, a pipe or a device.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason) from None
    if not stat.S_ISREG(status.st_mode):
        is_folder = stat.S_ISDIR(status.st_mode)
        reason = f"it is {kind_name(status.st_mode)}, not a file"
        hint = (
            'give the files in it, such as sorted(Path("folder").glob("*.txt"))'
            if is_folder
            else "texts= takes what can be read only once"
        )
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)
    return status
