"""Reading files that may be anything: never a pipe or a device, never more than a file of its kind can be, JSON by its place."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from piecework.errors import FormatError, LoadError

__all__ = [
    "MAX_TOKENIZER_BYTES",
    "file_mode",
    "in_file",
    "kind_name",
    "read_json",
    "read_regular",
    "read_start",
    "read_text",
    "regular_size",
]

# Far more than any tokenizer file: what is larger is a model's weights, or a mistake.
MAX_TOKENIZER_BYTES = 2 << 30

# The largest JSON beside a tokenizer that is known here, Gemma 3's tokenizer_config.json, has 1.2 MB.
_MAX_TEXT_BYTES = 64 << 20

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def file_mode(path: Path) -> int | None:
    """The kind of a file, links followed; None where there is none.

    Raises:
        LoadError: The system does not say: links in a circle, a folder that may not be entered, a name no file can have.
    """
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def read_regular(path: Path, *, max_bytes: int = MAX_TOKENIZER_BYTES) -> bytes:
    """The bytes of a regular file.

    Raises:
        LoadError: It cannot be read, is no regular file, or is larger than `max_bytes`.
    """
    size = regular_size(path)
    if size > max_bytes:
        problem = f"has {size:,} bytes; a tokenizer file of more than {max_bytes:,} is not read"
        raise LoadError(f"{path} {problem}", path=str(path))
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def read_start(path: Path, n_bytes: int) -> bytes:
    """The first bytes of a regular file: `n_bytes`, or as many as it has.

    Raises:
        LoadError: It cannot be read, or is no regular file.
    """
    regular_size(path)
    try:
        with path.open("rb") as stream:
            return stream.read(n_bytes)
    except OSError as error:
        raise unreadable(path, error) from error


def regular_size(path: Path) -> int:
    """The size of a regular file in bytes.

    Raises:
        LoadError: The system does not say, or it is no regular file.
    """
    # A pipe would be waited for, and a device may never end.
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise LoadError(f"{path} is {kind_name(found.st_mode)}, not a tokenizer file", path=str(path))
    return found.st_size


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    Raises:
        FormatError: It is not UTF-8.
        LoadError: As `read_regular`.
    """
    data = read_regular(path, max_bytes=_MAX_TEXT_BYTES)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _format_error(path, f"byte {error.start}", "the file is not UTF-8") from None


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        FormatError: It is no JSON, nests too deeply, is no object, or has a text that is no Unicode; with the place.
        LoadError: As `read_regular`.
    """
    import json  # noqa: PLC0415 - a bundled tokenizer needs none

    text = read_text(path)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise _format_error(path, f"line {error.lineno} column {error.colno}", error.msg) from None
    except RecursionError:
        raise _format_error(path, "the file", "the JSON nests too deeply") from None
    except ValueError as error:  # a number of more digits than Python converts
        raise _format_error(path, "the file", str(error)) from None
    if not isinstance(value, dict):
        raise _format_error(path, "line 1 column 1", f"expected a JSON object, found {_json_kind(value)}")
    # Only an escape can put half a character into what was UTF-8.
    field = _field_of_surrogate(value) if _SURROGATE_ESCAPE.search(text) else None
    if field is not None:
        raise _format_error(
            path, field, "the text has a lone surrogate, which is half a character and no Unicode"
        )
    return value


def in_file(path: Path, read: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is read
    """Runs `read`, and names the file in the error about its content."""
    try:
        return read()
    except FormatError as error:
        if error.path is not None:
            raise
        raise FormatError(
            f"{path}: {error.message}",
            path=str(path),
            place=error.place,
            reason=error.reason,
            hint=error.hint,
        ) from None


def unreadable(path: Path, error: Exception) -> LoadError:
    """The error for a file that the system does not let be read."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return LoadError(f"{path} cannot be read: {reason}", path=str(path))


def _format_error(path: Path, place: str, reason: str) -> FormatError:
    return FormatError(f"{path}: {place}: {reason}", path=str(path), place=place, reason=reason)


def _field_of_surrogate(value: object) -> str | None:
    """The first field, as `model.vocab`, of which the name or the text holds a lone surrogate; None where none does."""
    pending: list[tuple[str, object]] = [("", value)]
    while pending:
        place, item = pending.pop()
        if isinstance(item, str) and _SURROGATE.search(item):
            return place
        parts: Iterable[tuple[object, object]] = ()
        if isinstance(item, dict):
            parts = item.items()
        elif isinstance(item, list):
            parts = enumerate(item)
        # In the order of the file, and a name before what it names.
        for key, part in reversed(list(parts)):
            shown = str(key).encode("utf-8", "backslashreplace").decode()
            inner = f"{place}.{shown}" if place else shown
            pending.append((inner, part))
            if isinstance(key, str):
                pending.append((inner, key))
    return None


def _json_kind(value: object) -> str:
    if value is None:
        return "null"
    return {list: "an array", str: "a string", bool: "a boolean"}.get(type(value), "a number")


def kind_name(mode: int) -> str:
    """What a file that is not regular is, by its mode."""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a special file"
