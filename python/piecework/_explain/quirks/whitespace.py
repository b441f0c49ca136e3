"""White space that says nothing: at line ends, in runs, and as lines with nothing on them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_WASTE = re.compile(
    r"(?P<end>(?<![ \t])[ \t]+(?=\r?\n))|(?P<blank>\n[ \t]*\n(?:[ \t]*\n)+)|(?P<run>(?<=\S) {2,}(?=\S))"
)
_FORMS = {
    "end": (
        "",
        "white space stands before a line end",
        "strip line ends (in Markdown, two spaces there break the line)",
    ),
    "blank": ("\n\n", "more than one empty line", "one empty line separates as well"),
    "run": (" ", "a run of spaces stands inside a line", "use one space, unless columns are aligned by it"),
}


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The places."""
    for found in _WASTE.finditer(subject.text):
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares with the shortest form that separates as well."""
    found = _WASTE.match(subject.text, span[0])
    if found is None or found.lastgroup is None:
        return None
    alternative, says, advice = _FORMS[found.lastgroup]
    cost = subject.cost(span, alternative)
    if cost == 0:
        return None
    return subject.quirk("white-space", span, alternative=alternative, cost=cost, says=says, advice=advice)
