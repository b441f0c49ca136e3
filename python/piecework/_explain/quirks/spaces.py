"""Spaces that are none: no-break and typographic ones, and characters of no width at all."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_WIDTHLESS = "\u00ad\u200b\u2060\ufeff"
_ODD = re.compile(f"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000{_WIDTHLESS}]+")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The runs of such characters."""
    if not subject.text.isascii():
        for found in _ODD.finditer(subject.text):
            yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares them with plain spaces, or with nothing where they have no width; nothing where spaces are the same."""
    excerpt = subject.text[slice(*span)]
    plain = "".join("" if char in _WIDTHLESS else " " for char in excerpt)
    names = ", ".join(
        dict.fromkeys(f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}" for char in excerpt)
    )
    is_same = subject.is_same(span, plain)
    if is_same and not any(char in _WIDTHLESS for char in excerpt):
        return None
    gets = "this tokenizer drops it, others make tokens of it" if is_same else "the model gets tokens"
    return subject.quirk(
        "no-break-space" if plain else "invisible",
        span,
        alternative=plain,
        says=f"this is {names}",
        advice="replace it with a plain space, unless a line must not break here"
        if plain
        else f"remove it: a reader sees nothing, and {gets}",
    )
