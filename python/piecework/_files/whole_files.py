"""Files that appear whole or not at all: written beside their places, brought to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from piecework.errors import OutputError

__all__ = ["write_files"]


def write_files(files: Mapping[Path, bytes]) -> tuple[Path, ...]:
    """Writes files. Missing folders of theirs are made; the folder that those are in must exist.

    Args:
        files: Content by path.

    Returns:
        The paths, in their order.

    Raises:
        OutputError: A file cannot be written. No file has changed then, unless renaming itself failed: then those before it are
            replaced by whole ones, and the others are as they were.
    """
    temporaries: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in files.items():
            with _naming(path):
                if not path.parent.is_dir():
                    path.parent.mkdir()
                    made.append(path.parent)
                temporaries[path] = _write_beside(path, content)
        for path in files:
            with _naming(path):
                temporaries[path].replace(path)
            del temporaries[path]
    except BaseException:  # Ctrl-C too leaves nothing behind
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            with contextlib.suppress(OSError):  # it holds what was renamed already
                folder.rmdir()
        raise
    return tuple(files)


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


def _write_beside(path: Path, content: bytes) -> Path:
    temporary = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(FileNotFoundError):  # a new file has the permissions of any new file
            temporary.chmod(path.stat().st_mode & 0o777)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
