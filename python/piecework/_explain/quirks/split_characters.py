"""A character whose bytes fall into several tokens: no token is the character, and half of one decodes to U+FFFD."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

# Flags, joined families, skin tones, emoji presentation: several characters, one picture.
_PICTURE = "[\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff]"
_MORE = "[\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
_SEQUENCE = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f\u20e3|{_PICTURE}{_MORE}*(?:\u200d{_PICTURE}{_MORE}*)*"
)


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The characters and emoji that more than one token shares, with a space that shares the first of them."""
    last_end = 0
    for (_, end), (start, _) in pairwise(subject.char_spans):
        if start >= end and not _joins_emoji(subject.text, start):
            continue
        at = min(start, end - 1) if start < end else start
        low, high = _whole(subject.text, at)
        if low < last_end:
            continue
        last_end = high
        if (
            low
            and subject.text[low - 1] == " "
            and len(subject.touching((low - 1, low + 1)))
            and _shares(subject, low)
        ):
            low -= 1
        yield low, high


def _joins_emoji(text: str, at: int) -> bool:
    """Whether a cut between two characters falls inside one picture."""
    # Whatever joins two characters into one picture stands above the letters of most texts.
    if text[at : at + 1] < "\u200d":
        return False
    low, high = _whole(text, at)
    return low < at < high


def _whole(text: str, at: int) -> tuple[int, int]:
    """The emoji sequence or the character around an index."""
    low = max(0, at - 16)
    for found in _SEQUENCE.finditer(text, low, min(len(text), at + 16)):
        if found.start() <= at < found.end():
            return found.span()
    return at, at + 1


def _shares(subject: Subject, at: int) -> bool:
    """Whether one token holds the space before a character and a part of the character."""
    first = subject.touching((at - 1, at))
    return bool(first) and subject.char_spans[first[-1]][1] > at


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares a character with itself without the space before it, or without its presentation selector."""
    excerpt = subject.text[slice(*span)]
    if len(subject.touching(span)) < 2:
        return None
    alternative = None
    if excerpt.startswith(" "):
        alternative = excerpt[1:]
    elif "\ufe0f" in excerpt:
        alternative = excerpt.replace("\ufe0f", "")
    n = len(subject.touching(span))
    picture = (
        "one character" if len(excerpt.strip()) == 1 else f"one picture of {len(excerpt.strip())} characters"
    )
    return subject.quirk(
        "split-character",
        span,
        alternative=alternative,
        says=f"{n} tokens share {picture}",
        advice="never cut ids inside it: truncate by text, and decode streams with tok.decoder()",
    )
