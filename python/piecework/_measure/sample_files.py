"""Files of samples as text: what cannot be read is an error that names the file and the byte, a device is not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._types import Errors

__all__ = ["read_utf8", "reading"]

_Found = TypeVar("_Found")


def read_utf8(path: str, errors: Errors = "strict") -> str:
    """Reads a file as UTF-8, as it is.

    Raises:
        InputError: It cannot be read, is a device, or is no UTF-8.
    """
    return reading(path, lambda: Path(path).read_bytes().decode("utf-8", errors))


def reading(path: str, read: Callable[[], _Found]) -> _Found:
    """Calls what reads a file.

    Raises:
        InputError: The file cannot be read, is a device, which may never end, or is no UTF-8.
    """
    try:
        reason = "it is a device, which may never end" if _is_endless(path) else ""
        if not reason:
            return read()
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError as error:
        reason = f"it is no UTF-8 at byte {error.start:,}"
    raise InputError(f"{path} cannot be read: {reason}", path=path, reason=reason)


def _is_endless(path: str) -> bool:
    found = Path(path).stat()
    is_device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
    return is_device and not Path(path).samefile(os.devnull)
