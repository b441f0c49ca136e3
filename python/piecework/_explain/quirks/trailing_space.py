"""White space at the end of a text is a token that the word after it would have taken in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_LAST = re.compile(r"(?<!\s)[ \t]+\Z")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The spaces and tabs at the end."""
    found = _LAST.search(subject.text, max(0, len(subject.text.rstrip(" \t")) - 1))
    if found:
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares the text with and without them."""
    if subject.ids_of(subject.text[: span[0]]) == subject.ids:
        return None
    return subject.quirk(
        "trailing-space",
        span,
        alternative="",
        says="the text ends with white space, which a model has seen before a word and rarely alone",
        advice="end the text with its last word; the space belongs to what comes next",
    )
