"""Files that appear whole or not at all: written beside their places, brought to the disk, then renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["write_files"]


def write_files(files: Mapping[Path, bytes]) -> tuple[Path, ...]:
    """Writes files. Missing folders of theirs are made; the folder that those are in must exist.

    Args:
        files: Content by path.

    Returns:
        The paths, in their order.

    Raises:
        OSError: A file cannot be written. No file has changed then, unless renaming itself failed: then those before it are
            replaced by whole ones, and the others are as they were.
    """
    temporaries: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in files.items():
            if not path.parent.is_dir():
                path.parent.mkdir()
                made.append(path.parent)
            temporaries[path] = _write_beside(path, content)
        for path in files:
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


def _write_beside(path: Path, content: bytes) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".partial")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_mode_of(path))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _mode_of(path: Path) -> int:
    """The permissions of the file that is replaced, or those of any new file (a temporary one is its owner's alone)."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0o022)
        os.umask(mask)
        return 0o666 & ~mask
