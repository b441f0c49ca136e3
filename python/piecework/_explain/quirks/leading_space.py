"""A word at the beginning of a text has other ids than the same word after a space."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework._explain.glyphs import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_FIRST = re.compile(r"\A ?(?:[\w\u0300-\u036f]+|[^\w\s])")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The first word, with the one space before it if there is one."""
    found = _FIRST.match(subject.text)
    if found:
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares the text with and without a space at its beginning."""
    first = subject.text[slice(*span)]
    has_space = first.startswith(" ")
    other = first[1:] if has_space else f" {first}"
    if subject.ids_of(other + subject.text[span[1] :]) == subject.ids:
        return None
    bare, spaced = (other, first) if has_space else (first, other)
    says = f"as a text of its own, {shortened(visible(bare), max_chars=60)} is {_ids(subject, bare)}, and after a space {_ids(subject, spaced)}"
    advice = (
        "leave the space out, unless this text goes on after another one"
        if has_space
        else "compare words in the form they have inside a sentence; for completions and logit biases, list both"
    )
    return subject.quirk("leading-space", span, alternative=other, says=says, advice=advice)


def _ids(subject: Subject, text: str) -> str:
    ids = subject.ids_of(text)
    return f"{len(ids)} {'token' if len(ids) == 1 else 'tokens'} ({' '.join(map(str, ids[:8]))}{' …' * (len(ids) > 8)})"
