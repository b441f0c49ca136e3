"""Git's ignore rules: the .gitignore of each folder, the repository's info/exclude, and the user's own ignore file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from piecework._cli.glob_regex import pattern_of

__all__ = ["IgnoreRules", "Note"]

Note = Callable[[str], None]
"""Says a line to the person."""


class _Level(NamedTuple):
    """The rules of one file: a path is matched without its first `n_before` characters."""

    n_before: int
    spec: GitIgnoreSpec


class IgnoreRules:
    """The rules that hold in one folder: its own, which win, over those of the folders above it."""

    def __init__(self, note: Note, levels: tuple[_Level, ...] = ()) -> None:
        self._note = note
        self._levels = levels

    @classmethod
    def at(cls, root: Path, note: Note) -> IgnoreRules:
        """The rules at a folder where a walk begins, those of the repository around it included.

        Args:
            root: The folder.
            note: Told of each line, here and in the folders inside, that is no pattern.
        """
        root = root.resolve()
        repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
        base = os.environ.get("XDG_CONFIG_HOME")
        users = (Path(base) if base else Path.home() / ".config") / "git" / "ignore"
        rules = cls(note)
        for file in (users, repository / ".git" / "info" / "exclude"):
            rules = rules.under(repository, file)
        rules = rules.inside(repository)
        folder = repository
        for part in root.relative_to(repository).parts:
            folder /= part
            rules = rules.inside(folder)
        return rules

    def inside(self, folder: Path) -> IgnoreRules:
        """The rules in a folder of this one."""
        return self.under(folder, folder / ".gitignore")

    def ignores(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored. What lies in an ignored folder is not asked about: git never looks there."""
        whole = path.as_posix() + ("/" if is_folder else "")
        for level in self._levels:
            verdict = level.spec.check_file(whole[level.n_before :]).include
            if verdict is not None:
                return verdict
        return False

    def under(self, folder: Path, file: Path) -> IgnoreRules:
        """These rules under those of a file, which speaks of what is in a folder."""
        spec = _spec(file, self._note)
        if spec is None:
            return self
        n_before = len(folder.as_posix().rstrip("/")) + 1
        return IgnoreRules(self._note, (_Level(n_before, spec), *self._levels))


def _spec(file: Path, note: Note) -> GitIgnoreSpec | None:
    try:
        if not file.is_file():
            # A pipe of that name would be waited for.
            return None
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    patterns = []
    for n, line in enumerate(lines, 1):
        try:
            pattern = pattern_of(line)
        except ValueError:
            note(f"{file}:{n}: {line} is no pattern that git knows; it is left out")
            continue
        if pattern is not None:
            patterns.append(pattern)
    return GitIgnoreSpec(patterns, backend="simple") if patterns else None
