"""The same word in other capitals is other tokens, and often more of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework._explain.glyphs import shortened

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
    """Compares a word with its other casings, in its place; nothing where none is cheaper."""
    word = subject.text[slice(*span)]
    costs = {
        form: subject.cost(span, form)
        for form in dict.fromkeys((word.lower(), word.title(), word.upper()))
        if form != word
    }
    best = max(costs, key=costs.__getitem__, default=None)
    if best is None or costs[best] <= 0:
        return None
    # A vocabulary may have one casing with the space before it, and the other one apart from it.
    has_space = subject.text[: span[0]].endswith(" ")
    wide = (span[0] - has_space, span[1])
    counts = ", ".join(
        f"{shortened(form, max_chars=60)} {subject.n_touching(wide, ' ' * has_space + form)}"
        for form in (word, *costs)
    )
    return subject.quirk(
        "casing",
        span,
        alternative=best,
        cost=costs[best],
        says=f"tokens by casing{', with the space before' if has_space else ''}: {counts}",
        advice="write a word in its common casing where its case means nothing; names and code stay as they are",
    )
