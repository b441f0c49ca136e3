"""Line ends of Windows and of old machines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_END = re.compile(r"\r\n?")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The first line end with a carriage return: the kind is of the whole text."""
    found = _END.search(subject.text)
    if found:
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares the whole text with line feeds alone."""
    plain, n = _END.subn("\n", subject.text)
    if subject.ids_of(plain) == subject.ids:
        return None
    return subject.quirk(
        "line-endings",
        span,
        alternative="\n",
        cost=len(subject.ids) - subject.count(plain),
        n_places=n,
        says="lines end with a carriage return; cost compares the whole text with line feeds",
        advice="write line feeds alone: the same text from two machines then has the same ids",
    )
