"""A folder that one training at a time writes to: the system lets go of the lock when its process ends, however it does."""

from __future__ import annotations

import contextlib
import errno
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from piecework.errors import OutputError, TrainError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOCK_NAME", "FolderLock"]

LOCK_NAME = ".lock"
# Windows has none.
_LOCKS: Any = import_module("fcntl") if find_spec("fcntl") else None
# What systems say of a file that somebody else has locked.
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


class FolderLock:
    """A lock on a folder, held until it is released or the process ends.

    Where the system or the disk knows no locks, it locks nothing.
    """

    def __init__(self, folder: Path) -> None:
        """Takes the lock.

        Args:
            folder: It is there.

        Raises:
            TrainError: Another training has it.
            OutputError: The folder cannot be written to.
        """
        self._path = folder / LOCK_NAME
        self._file: int | None = None
        while self._file is None:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                reason = error.strerror or str(error)
                raise OutputError(
                    f"{folder} cannot be written to: {reason}", path=str(folder), reason=reason
                ) from None
            if not _locked(file):
                os.close(file)
                raise TrainError(
                    f"another training is at work in {folder}",
                    hint="wait until it ends, or name another folder for the checkpoint",
                )
            if self._is_there(file):
                self._file = file
            else:
                # Whoever had the lock removed the file between the two steps.
                os.close(file)

    def _is_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except OSError:
            return False

    @property
    def is_held(self) -> bool:
        """Whether it is not released yet."""
        return self._file is not None

    def release(self) -> None:
        """Removes the file and lets go of the lock; a second time it does nothing."""
        if self._file is None:
            return
        if _LOCKS is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        os.close(self._file)
        self._file = None
        if _LOCKS is None:  # an open file cannot be removed there
            with contextlib.suppress(OSError):
                self._path.unlink()


def _locked(file: int) -> bool:
    """Whether the lock is taken, or there are no locks."""
    if _LOCKS is None:
        return True
    try:
        _LOCKS.flock(file, _LOCKS.LOCK_EX | _LOCKS.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True
