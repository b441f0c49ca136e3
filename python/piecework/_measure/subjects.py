"""The tokenizers of a comparison, and what their columns are called: as they were asked for, paths without their folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from piecework._measure.names import short_paths

if TYPE_CHECKING:
    from piecework import _core
    from piecework._types import Basis

__all__ = ["Subject", "named_subjects"]

_PARTS = 2
_FINGERPRINT = 8


@dataclass(frozen=True, slots=True)
class Subject:
    """A tokenizer to measure.

    Attributes:
        name: What its column is called.
        native: It.
        tokenizer: The tokenizer's own name; empty where it is `name`.
        basis: `"exact"`, or `"estimate"` where the tokenizer is assumed for a model that is unknown.
        model: What was asked for, as `-m` and `load` take it; empty where that is `name`.
    """

    name: str
    native: _core.Tokenizer
    tokenizer: str = ""
    basis: Basis = "exact"
    model: str = ""

    @property
    def own_name(self) -> str:
        """The tokenizer's own name."""
        return self.tokenizer or self.name

    @property
    def asked(self) -> str:
        """What was asked for."""
        return self.model or self.name

    @property
    def loadable(self) -> str:
        """What `-m` takes to have this tokenizer again."""
        return self.asked if self.basis == "exact" else self.own_name


def named_subjects(subjects: Sequence[Subject]) -> list[Subject]:
    """Gives each tokenizer the name of its column, by what it was asked for with.

    A file or folder is called by its last two parts, or as many as tell it apart. An assumed tokenizer carries what its
    figures are worth in its name, since a column is passed on without its notes. Different tokenizers of one name have
    their fingerprints behind it; those that are one and the same keep one name, and a comparison refuses them.

    Args:
        subjects: The tokenizers, `name` being what each was asked for with.
    """
    is_path = [os.path.exists(os.path.expanduser(one.name)) for one in subjects]  # noqa: PTH110, PTH111 - any length
    shown = [
        one.name.rstrip("/\\") if found else one.name for one, found in zip(subjects, is_path, strict=True)
    ]
    # One path twice is one column twice, and refused.
    paths = list(dict.fromkeys(name for name, found in zip(shown, is_path, strict=True) if found))
    short = dict(zip(paths, short_paths(paths, n_parts=_PARTS), strict=True))
    names = [short[name] if found else name for name, found in zip(shown, is_path, strict=True)]
    names = [
        name if one.basis == "exact" else f"{name} (estimate: {one.own_name})"
        for one, name in zip(subjects, names, strict=True)
    ]
    prints: dict[str, set[str]] = {}
    for one, name in zip(subjects, names, strict=True):
        prints.setdefault(name, set()).add(one.native.fingerprint)
    return [
        replace(
            one,
            name=name if len(prints[name]) == 1 else f"{name} ({one.native.fingerprint[:_FINGERPRINT]})",
            model=one.name,
            tokenizer=one.own_name,
        )
        for one, name in zip(subjects, names, strict=True)
    ]
