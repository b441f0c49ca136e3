"""The same word in other capitals is other tokens, and often more of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_WORD = re.compile(r"[^\W\d_]{2,}")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The words with capitals; and a word that is the whole text."""
    is_one_word = _WORD.fullmatch(subject.text.strip()) is not None
    for found in _WORD.finditer(subject.text):
        if is_one_word or not found[0].islower():
            yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares a word with its other casings, in its place."""
    word = subject.text[slice(*span)]
    costs = {
        form: subject.cost(span, form)
        for form in dict.fromkeys((word.lower(), word.title(), word.upper()))
        if form != word
    }
    best = max(costs, key=costs.__getitem__, default=None)
    if best is None or not any(costs.values()):
        return None
    # A word inside a text is only worth a line where another casing is cheaper.
    if costs[best] <= 0 and len(subject.text.strip()) > len(word):
        return None
    n = len(subject.touching(span))
    others = ", ".join(f"{form} {n - cost}" for form, cost in costs.items())
    return subject.quirk(
        "casing",
        span,
        alternative=best,
        cost=costs[best],
        says=f"tokens by casing: {word} {n}, {others}",
        advice="write a word in its common casing where its case means nothing; names and code stay as they are",
    )
