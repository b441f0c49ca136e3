"""From a name, a file or a folder to a native tokenizer.

Never from the network, and never by guessing: what looks like a path is a path, anything else is a name.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework import _core
from piecework._files.bundle import bundled
from piecework._files.formats import read_format
from piecework._files.registry import resolve
from piecework.errors import FormatError, LoadError, UnknownTokenizerError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Loaded", "is_path", "load_native"]

# Far more than any tokenizer file: what is larger is a model's weights, or a mistake.
_MAX_BYTES = 2 << 30

_SUFFIXES = (".json", ".tiktoken", ".model", ".gguf", ".txt")


class Loaded(NamedTuple):
    """A native tokenizer and where it came from.

    Attributes:
        native: The tokenizer.
        name: The encoding's name for a bundled one, else the path as given.
        is_bundled: Whether any installation of this version has it.
    """

    native: _core.Tokenizer
    name: str
    is_bundled: bool


def load_native(
    source: str | os.PathLike[str], *, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    """Loads what `source` names; the arguments and errors are those of `piecework.load`."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(f"load takes a name or a path, not {type(source).__name__}")
    if isinstance(source, str) and not source:
        raise LoadError("the name of a tokenizer is empty")
    if not is_path(source):
        if pattern is not None or special_tokens is not None:
            raise LoadError(f"pattern= and special_tokens= are for .tiktoken files; {source} is a name")
        encoding = _resolve_name(os.fspath(source))
        return Loaded(bundled(encoding), encoding, is_bundled=True)
    path = _file_at(_expanded(source))
    return _load_file(path, str(source), pattern, special_tokens)


def is_path(source: str | os.PathLike[str]) -> bool:
    """Whether a source is a path, and never a name.

    Returns:
        True for a Path, and for a str that begins with `.`, `/` or `~`, or ends in the suffix of a tokenizer file, or holds
        a path separator and exists. (`Qwen/Qwen3-8B` is a name unless there is a file or folder of that name.)

    Examples:
        >>> [is_path(source) for source in ("gpt-4o", "Qwen/Qwen3-8B", "./gpt-4o", "my.tiktoken", "/models/llama")]
        [False, False, True, True, True]
    """
    if not isinstance(source, str):
        return True
    if source.startswith((".", "/", "~")) or source.lower().endswith(_SUFFIXES) or Path(source).is_absolute():
        return True
    separators = tuple(sep for sep in (os.sep, os.altsep) if sep)
    return any(sep in source for sep in separators) and os.path.lexists(source)


def _resolve_name(name: str) -> str:
    try:
        return resolve(name)
    except UnknownTokenizerError as error:
        # A file of that name is the likeliest slip, and the person sees it in the folder.
        if os.path.exists(name):  # noqa: PTH110 - False, where Path.exists raises, for a name too long for a file
            error.hint = f"for the file or folder of that name here, write ./{name}"
        raise


def _expanded(source: str | os.PathLike[str]) -> Path:
    try:
        return Path(source).expanduser()
    except RuntimeError as error:
        raise LoadError(f"{source} cannot be read: {error}", path=str(source)) from None


def _file_at(path: Path) -> Path:
    """The file to read: the path itself, or the tokenizer.json in the folder that it is."""
    mode = _mode(path)
    if mode is None:
        folder = path.absolute().parent
        raise LoadError(
            f"there is no file {path.name} in {folder}",
            path=str(path),
            searched=(str(folder),),
            hint=None if folder.is_dir() else f"the folder {folder} does not exist either",
        )
    if not stat.S_ISDIR(mode):
        return path
    inside = path / "tokenizer.json"
    if _mode(inside) is None:
        raise LoadError(
            f"the folder {path} has no tokenizer.json", path=str(inside), searched=(str(path.absolute()),)
        )
    return inside


def _mode(path: Path) -> int | None:
    """The kind of a file, links followed; None where there is none."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _read(path: Path) -> bytes:
    # A pipe would be waited for, and a device may never end.
    try:
        found = path.stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= _MAX_BYTES:
            return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    if stat.S_ISREG(found.st_mode):
        problem = f"has {found.st_size:,} bytes; a tokenizer file of more than {_MAX_BYTES:,} is not read"
    else:
        problem = f"is {_kind(found.st_mode)}, not a tokenizer file"
    raise LoadError(f"{path} {problem}", path=str(path))


def _unreadable(path: Path, error: Exception) -> LoadError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return LoadError(f"{path} cannot be read: {reason}", path=str(path))


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a special file"


def _load_file(
    path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    data = _read(path)
    try:
        return _load_bytes(path, data, name, pattern, special_tokens)
    except FormatError as error:
        raise FormatError(
            f"{path}: {error.message}",
            path=str(path),
            place=error.place,
            reason=error.reason,
            hint=error.hint,
        ) from None


def _load_bytes(
    path: Path, data: bytes, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    if read_format(path, data) == "tokenizer.json":
        if pattern is not None or special_tokens is not None:
            raise LoadError(
                f"pattern= and special_tokens= are for .tiktoken files; {path} carries its own",
                path=str(path),
            )
        return Loaded(_core.Tokenizer.from_tokenizer_json(data), name, is_bundled=False)
    if pattern is None and special_tokens is None:
        known = _core.known_tiktoken(data)
        if known is not None:
            return Loaded(bundled(known), known, is_bundled=True)
    if pattern is None:
        raise LoadError(
            f"{path} holds ranks and no pattern, and its ranks are of no known encoding",
            path=str(path),
            hint="pass pattern=, the regular expression that cuts text into pretokens, and special_tokens= if it has any",
        )
    tokens = None if special_tokens is None else dict(special_tokens)
    return Loaded(
        _core.Tokenizer.from_tiktoken(data, pattern=pattern, special_tokens=tokens), name, is_bundled=False
    )
