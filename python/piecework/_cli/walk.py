"""The files of a folder, sorted, without what git ignores. Links are not followed: they may lead in circles."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.ignores import IgnoreRules

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def walk(root: Path, *, all_files: bool) -> Iterator[Found]:
    """Walks a folder in the order of names, files of a folder before its folders.

    Args:
        root: The folder.
        all_files: Whether what git ignores is in, too. (A `.git` folder never is.)

    Yields:
        Files; links and special files with the reason to skip them; folders that cannot be read with the reason.
    """
    rules = None if all_files else IgnoreRules.at(root)
    yield from _walk(root, root.resolve(), rules)


def _walk(shown: Path, real: Path, rules: IgnoreRules | None) -> Iterator[Found]:
    try:
        with os.scandir(shown) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(shown, failure=error.strerror or str(error))
        return
    folders = []
    for entry in ordered:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or (rules and rules.ignores(real / entry.name, is_folder=is_folder)):
            continue
        if is_folder:
            folders.append(entry.name)
        else:
            yield _file(shown / entry.name, entry)
    for name in folders:
        inner = real / name
        yield from _walk(shown / name, inner, rules.inside(inner) if rules else None)


def _file(path: Path, entry: os.DirEntry[str]) -> Found:
    if entry.is_symlink():
        return Found(path, skip="a link")
    if not entry.is_file(follow_symlinks=False):
        return Found(path, skip="not a regular file")
    try:
        return Found(path, entry.stat(follow_symlinks=False).st_size)
    except OSError as error:
        return Found(path, failure=error.strerror or str(error))
