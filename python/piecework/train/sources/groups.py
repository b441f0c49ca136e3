"""Texts in groups of about one size: enough to keep the engine at work, little beside the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["groups"]

_Text = TypeVar("_Text", str, bytes)


def groups(texts: Iterable[_Text], size: int) -> Iterator[list[_Text]]:
    """Texts in order, in lists that end as soon as they are of a size.

    Args:
        texts: Texts.
        size: Characters of a group, or bytes where the texts are bytes; at least 1.

    Examples:
        >>> list(groups(["ab", "c", "def", "g"], 3))
        [['ab', 'c'], ['def'], ['g']]
    """
    group: list[_Text] = []
    n_units = 0
    for text in texts:
        group.append(text)
        n_units += len(text)
        if n_units >= size:
            yield group
            group, n_units = [], 0
    if group:
        yield group
