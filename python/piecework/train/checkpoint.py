"""A checkpoint: a folder with counts on the disk and a file that says what they are the counts of."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import stat
import time
from typing import TYPE_CHECKING, Any

from piecework._files.whole_files import write_files
from piecework.errors import InputError, OutputError, TrainError
from piecework.train.caller_warnings import warn_caller
from piecework.train.folder_lock import FolderLock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Checkpoint", "State", "discard", "has_counts"]

SCHEMA = "piecework.checkpoint/1"
_NAME = "state.json"
# The names that the counter gives to its runs, whole ones and those it was writing.
_OWN = re.compile(r"run-[0-9a-f]{16}\.words|\.run-.*\.half")
# That of a million files has half of this.
_MAX_STATE_BYTES = 1 << 28
# How much work is lost at most.
_DUE_S = 30.0
_DUE_BYTES = 256_000_000

State = dict[str, Any]


class Checkpoint:
    """The checkpoint of one training.

    Attributes:
        folder: Where it lies.
        state: What an earlier run left, or None.
    """

    def __init__(self, folder: Path, identity: Mapping[str, object], *, resume: bool) -> None:
        """Opens a folder.

        Args:
            folder: It is made where it is missing.
            identity: What the counts are the counts of, as JSON.
            resume: Whether to go on from what lies there.

        Raises:
            TrainError: A checkpoint lies there and `resume` is False, it is one of something else, or another training is
                at work there.
            InputError: What lies there is no checkpoint.
            OutputError: The folder cannot be made or written to.
        """
        self.folder = folder
        self._identity = json.loads(json.dumps(identity))
        self._is_made = False
        self._saved_s, self._saved_bytes = time.monotonic(), 0
        self.state: State | None = None
        self._make()
        try:
            self._lock = FolderLock(folder)
            try:
                self._begin(resume=resume)
            except BaseException:
                self._lock.release()
                raise
        except BaseException:
            self._remove_folder()
            raise

    def _begin(self, *, resume: bool) -> None:
        state = self._read()
        if state is None or not _has_counts(state):
            self._is_made = self._is_made or bool((state or {}).get("is_made"))
            if resume and state is None:
                warn_caller(f"there is no checkpoint in {self.folder}: the training starts anew")
            return
        if not resume:
            raise TrainError(
                f"{self.folder} has a checkpoint already",
                hint="resume=True goes on from there; delete the folder to start anew",
            )
        self._check(state)
        self.state = state

    def _make(self) -> None:
        try:
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True)
                self._is_made = True
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(
                f"{self.folder} cannot be made: {reason}", path=str(self.folder), reason=reason
            ) from None

    def _read(self) -> State | None:
        path = self.folder / _NAME
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{path}: {reason}", path=str(path), reason=reason) from None
        state = _state_in(path)
        if state is None:
            reason = "it is no checkpoint of a training"
            raise InputError(
                f"{path}: {reason}",
                path=str(path),
                reason=reason,
                hint="name another folder for the checkpoint, or delete this file",
            )
        return state

    def _check(self, state: State) -> None:
        """Raises TrainError where the checkpoint is one of something else."""
        there = state.get("identity")
        if not isinstance(there, dict):
            there = {}
        for name in [*self._identity, *there]:
            old, new = there.get(name), self._identity.get(name)
            if old == new:
                continue
            what = f"{name}={new!r} is asked for, and it was {old!r}"
            if name == "files":
                what = _changed_file(old or [], new or [])
            raise TrainError(
                f"the checkpoint in {self.folder} is one of another training: {what}",
                hint="ask for the same, or start anew in another folder",
            )

    def is_due(self, n_bytes: int) -> bool:
        """Whether it is time to save, `n_bytes` having been read."""
        return time.monotonic() - self._saved_s >= _DUE_S or n_bytes - self._saved_bytes >= _DUE_BYTES

    def save(self, n_read: int, /, **state: object) -> None:
        """Writes down where the training is after so many bytes, whole or not at all.

        Raises:
            OutputError: It cannot be written; what was there stays.
        """
        written: State = json.loads(json.dumps({"schema": SCHEMA, "identity": self._identity, **state}))
        sealed = {**written, "sha256": _seal(written)}
        write_files({self.folder / _NAME: json.dumps(sealed).encode()})
        self.state = written
        self._saved_s, self._saved_bytes = time.monotonic(), n_read

    def remove(self) -> None:
        """Removes the checkpoint's own files, and the folder where it was made for it and is empty."""
        with contextlib.suppress(OSError):
            (self.folder / _NAME).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for path in list(self.folder.iterdir()):
                if _OWN.fullmatch(path.name):
                    path.unlink(missing_ok=True)
        self._lock.release()
        self._remove_folder()

    def _remove_folder(self) -> None:
        """Removes the folder where it was made for the checkpoint and is empty."""
        if self.is_made:
            with contextlib.suppress(OSError):  # somebody else put something there
                self.folder.rmdir()

    def leave(self) -> None:
        """Lets go of the folder where a training ends early; what holds no counts is removed."""
        if self._lock.is_held and not (self.state and _has_counts(self.state)):
            self.remove()
        self._lock.release()

    @property
    def is_made(self) -> bool:
        """Whether the folder was made for the checkpoint, by this run or the one that it goes on from."""
        return self._is_made or bool((self.state or {}).get("is_made"))


def discard(folder: Path) -> None:
    """Removes the checkpoint in a folder, if there is one.

    Raises:
        InputError: What is there by its name is none.
        TrainError: A training is at work there.
        OutputError: The folder cannot be written to.
    """
    if (folder / _NAME).exists():
        state = _state_in(folder / _NAME) or {}
        Checkpoint(folder, state.get("identity", {}), resume=True).remove()


def has_counts(folder: Path) -> bool:
    """Whether a folder has a checkpoint that is worth going on from."""
    state = _state_in(folder / _NAME)
    return state is not None and _has_counts(state)


def _state_in(path: Path) -> State | None:
    """What a checkpoint wrote; None where there is anything else, or where it was changed."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > _MAX_STATE_BYTES:
            return None
        state = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(state, dict) or state.get("schema") != SCHEMA:
        return None
    seal = state.pop("sha256", None)
    return state if seal == _seal(state) else None


def _seal(state: State) -> str:
    """What tells a state that was written from one that somebody changed: its counts would be of something else."""
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _has_counts(state: State) -> bool:
    """Whether anything was counted or weighed."""
    return bool(state.get("n_words") or state.get("runs") or state.get("mix"))


def _changed_file(old: list[Any], new: list[Any]) -> str:
    """What changed about the files: name, size and time of each."""
    before = {file[0]: file[1:] for file in old}
    after = {file[0]: file[1:] for file in new}
    for name, status in after.items():
        if name not in before:
            return f"{name} is new"
        if before[name] != status:
            return f"{name} has changed since"
    missing = [name for name in before if name not in after]
    return f"{missing[0]} is missing" if missing else "the files are given in another order or number"
