"""The files of a folder, sorted, without what git ignores. Links are not followed: they may lead in circles."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.ignores import IgnoreRules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._cli.ignores import Note

__all__ = ["Found", "walk"]


class Found(NamedTuple):
    """What a walk met.

    Attributes:
        path: The file, below the folder as it was named.
        n_bytes: Its size.
        skip: Why it is not read, as far as its name and kind tell; None for a file to read.
        failure: Why it cannot be read; None for all others.
    """

    path: Path
    n_bytes: int = 0
    skip: str | None = None
    failure: str | None = None


def walk(root: Path, *, all_files: bool, note: Note) -> Iterator[Found]:
    """Walks a folder in the order of names, files of a folder before its folders.

    Args:
        root: The folder.
        all_files: Whether what git ignores is in, too. (A `.git` folder never is.)
        note: Told of each line of an ignore file that is no pattern.

    Yields:
        Files; links and special files with the reason to skip them; folders that cannot be read with the reason.
    """
    waiting = [(root, root.resolve(), None if all_files else IgnoreRules.at(root, note))]
    while waiting:
        shown, real, above = waiting.pop()
        rules = above.inside(real) if above and shown is not root else above
        folders = []
        for found in _entries(shown, real, rules):
            if isinstance(found, Found):
                yield found
            else:
                folders.append(found)
        # Folders may be nested deeper than calls; the first one comes next, with all that is in it.
        waiting += [(shown / name, real / name, rules) for name in reversed(folders)]


def _entries(shown: Path, real: Path, rules: IgnoreRules | None) -> Iterator[Found | str]:
    """What is in one folder: files as found, folders as names."""
    try:
        with os.scandir(shown) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(shown, failure=error.strerror or str(error))
        return
    for entry in ordered:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or (rules and rules.ignores(real / entry.name, is_folder=is_folder)):
            continue
        yield entry.name if is_folder else _file(shown / entry.name, entry)


def _file(path: Path, entry: os.DirEntry[str]) -> Found:
    if entry.is_symlink():
        return Found(path, skip="a link")
    if not entry.is_file(follow_symlinks=False):
        return Found(path, skip="not a regular file")
    try:
        return Found(path, entry.stat(follow_symlinks=False).st_size)
    except OSError as error:
        return Found(path, failure=error.strerror or str(error))
