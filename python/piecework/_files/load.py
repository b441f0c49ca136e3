"""From a name, a file or a folder to a native tokenizer.

Never from the network, and never by guessing: what looks like a path is a path, anything else is a name.
"""

from __future__ import annotations

import os
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
    path = _file_at(Path(source).expanduser())
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
        if Path(name).exists():
            error.hint = f"for the file or folder of that name here, write ./{name}"
        raise


def _file_at(path: Path) -> Path:
    if path.is_dir():
        inside = path / "tokenizer.json"
        if inside.is_file():
            return inside
        raise LoadError(
            f"the folder {path} has no tokenizer.json", path=str(inside), searched=(str(path.absolute()),)
        )
    if not path.exists():
        folder = path.absolute().parent
        raise LoadError(
            f"there is no file {path.name} in {folder}",
            path=str(path),
            searched=(str(folder),),
            hint=None if folder.is_dir() else f"the folder {folder} does not exist either",
        )
    return path


def _load_file(
    path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror}", path=str(path)) from error
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
