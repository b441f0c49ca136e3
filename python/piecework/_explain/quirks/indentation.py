"""What indentation costs, and what it would cost with tabs, or with spaces."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_INDENT = re.compile(r"^[ \t]+(?=\S)", re.MULTILINE)
_TAB_SPACES = 4


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The first indentation: the kind is of the whole text. One space before a text of one line is none."""
    found = _INDENT.search(subject.text)
    if found and ("\n" in subject.text or found[0] != " "):
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares the whole text with tabs for spaces (or spaces for tabs), and with none; nothing where all are the same."""
    text = subject.text
    indents = [found[0] for found in _INDENT.finditer(text)]
    has_tabs = any("\t" in indent for indent in indents)
    unit = _TAB_SPACES if has_tabs else math.gcd(*map(len, indents))

    def other(found: re.Match[str]) -> str:
        if has_tabs:
            return found[0].replace("\t", " " * unit)
        return "\t" * (len(found[0]) // unit)

    n, n_other, n_bare = (
        len(subject.ids),
        subject.count(_INDENT.sub(other, text)),
        subject.count(_INDENT.sub("", text)),
    )
    if n == n_other == n_bare and subject.ids == subject.ids_of(_INDENT.sub("", text)):
        return None
    way = (
        f"{unit} spaces for a tab"
        if has_tabs
        else f"a tab for {'a space' if unit == 1 else f'{unit} spaces'}"
    )
    keep = "keep it: the other costs as much" if n_other == n else "keep it: this is the cheaper of the two"
    return subject.quirk(
        "indentation",
        span,
        alternative=_INDENT.sub(other, text[slice(*span)] + "x")[:-1],
        cost=n - n_other,
        n_places=len(indents),
        says=f"all indentation costs {n - n_bare:,} of {n:,} tokens; with {way}, {n_other - n_bare:,}; cost compares the whole text",
        advice=f"write {way} where the language allows it" if n_other < n else keep,
    )
