"""Files that appear whole or not at all: written beside their places, brought to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING

from piecework._files.reading import kind_name
from piecework.errors import ArgumentError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["check_writable", "target_path", "whole_file", "write_files"]

# Where the hub's cache keeps contents under their hashes, for the links of several revisions: those never change.
_SHARED = "blobs"


def target_path(path: str | os.PathLike[str]) -> Path:
    """The path that is saved to, `~` at its beginning being a home folder as it is where one is loaded from.

    Raises:
        ValueError: It is empty.
        OutputError: Nobody has that home folder.
    """
    target = Path(path)
    if not os.fspath(path):
        raise ArgumentError("the path to save to is empty; for the current folder write '.'")
    try:
        return target.expanduser()
    except RuntimeError as error:
        raise OutputError(
            f"{target} cannot be written: {error}", path=str(target), reason=str(error)
        ) from error


def write_files(files: Mapping[Path, bytes]) -> tuple[Path, ...]:
    """Writes files. Missing folders of theirs are made; the folder that those are in must exist.

    What a symbolic link leads to is replaced, and the link stays; but not what the hub's cache keeps for several models.

    Args:
        files: Content by path.

    Returns:
        The paths, in their order.

    Raises:
        OutputError: A file cannot be written. No file has changed then, unless renaming itself failed: then those before it are
            replaced by whole ones, and the others are as they were.
    """
    targets: dict[Path, Path] = {}
    temporaries: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in files.items():
            with _naming(path):
                target = targets[path] = _followed(path)
                if not target.parent.is_dir():
                    target.parent.mkdir()
                    made.append(target.parent)
                temporaries[path] = _write_beside(target, content)
        for path in files:
            with _naming(path):
                temporaries[path].replace(targets[path])
            del temporaries[path]
    except BaseException:  # Ctrl-C too leaves nothing behind
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            with contextlib.suppress(OSError):  # it holds what was renamed already
                folder.rmdir()
        raise
    return tuple(files)


def check_writable(path: Path) -> None:
    """Finds out whether a file can be written, before the work that makes its content.

    Raises:
        OutputError: It cannot.
    """
    with _naming(path):
        temporary = _followed(path).with_name(f".{secrets.token_hex(8)}.partial")
        try:
            temporary.open("xb").close()
        finally:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that is too large to be held in memory: what is written to the stream is `path` when the block ends well.

    Args:
        path: The file. Its folder must exist; what a symbolic link leads to is replaced, as `write_files` does it.

    Yields:
        The stream.

    Raises:
        OutputError: It cannot be written. Then, and when the block raises, what was there is as it was.
    """
    with _naming(path):
        target = _followed(path)
        temporary = target.with_name(f".{secrets.token_hex(8)}.partial")
        try:
            with temporary.open("xb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            _take_mode(temporary, target)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turns the system's errors into ours, with the name of the file that was to be, not of the one beside it."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        missing = next((folder for folder in reversed(path.parents) if not folder.exists()), None)
        is_missing = isinstance(error, FileNotFoundError) and missing is not None
        raise OutputError(
            f"{path} cannot be written: {reason}",
            path=str(path),
            reason=reason,
            hint=f"make the folder {missing} first" if is_missing else None,
        ) from error


def _followed(path: Path) -> Path:
    """The file that is replaced: `path`, or where it leads as a link; refused where that is no regular file."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if path.is_symlink() and target.parent.name == _SHARED:
        return path
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        # What waits at the other end of a pipe would be left without an end.
        reason = f"it is {kind_name(mode)}, and only a file can be replaced"
        raise OutputError(f"{path} cannot be written: {reason}", path=str(path), reason=reason)
    return target


def _write_beside(path: Path, content: bytes) -> Path:
    temporary = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        _take_mode(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _take_mode(temporary: Path, path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # a new file has the permissions of any new file
        temporary.chmod(path.stat().st_mode & 0o777)
