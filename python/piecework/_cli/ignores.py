"""Git's ignore rules: the .gitignore of each folder, the repository's info/exclude, and the user's own ignore file."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from pathspec import GitIgnoreSpec

__all__ = ["IgnoreRules"]


class IgnoreRules:
    """The rules that hold in one folder: its own, which win, over those of the folders above it."""

    def __init__(self, folder: Path, above: IgnoreRules | None, specs: tuple[GitIgnoreSpec, ...]) -> None:
        self._folder = folder
        self._above = above
        self._specs = specs

    @classmethod
    def at(cls, root: Path) -> IgnoreRules:
        """The rules at a folder where a walk begins, those of the repository around it included."""
        root = root.resolve()
        repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
        if repository is None:
            return cls(root, cls(root, None, _user_specs()), _specs(root / ".gitignore"))
        top = cls(repository, None, _user_specs())
        rules = cls(repository, top, _specs(repository / ".git" / "info" / "exclude"))
        rules = cls(repository, rules, _specs(repository / ".gitignore"))
        folder = repository
        for part in root.relative_to(repository).parts:
            folder /= part
            rules = rules.inside(folder)
        return rules

    def inside(self, folder: Path) -> IgnoreRules:
        """The rules in a folder of this one."""
        specs = _specs(folder / ".gitignore")
        return IgnoreRules(folder, self, specs) if specs else self

    def ignores(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored. What lies in an ignored folder is not asked about: git never looks there."""
        name = path.relative_to(self._folder).as_posix() + ("/" if is_folder else "")
        for spec in reversed(self._specs):
            verdict = spec.check_file(name).include
            if verdict is not None:
                return verdict
        return self._above is not None and self._above.ignores(path, is_folder=is_folder)


def _specs(*files: Path) -> tuple[GitIgnoreSpec, ...]:
    return tuple(spec for spec in map(_spec, files) if spec is not None)


def _spec(file: Path) -> GitIgnoreSpec | None:
    try:
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    return GitIgnoreSpec.from_lines(lines)


@cache
def _user_specs() -> tuple[GitIgnoreSpec, ...]:
    base = os.environ.get("XDG_CONFIG_HOME")
    return _specs((Path(base) if base else Path.home() / ".config") / "git" / "ignore")
