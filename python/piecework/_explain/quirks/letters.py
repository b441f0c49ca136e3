"""Which token holds which letters of a word: why a model cannot see how many r there are in strawberry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework._explain.glyphs import piece_glyphs
from piecework._explain.quirks.record import SpelledToken, SpelledWord

if TYPE_CHECKING:
    from piecework._explain.quirks.subject import Subject

__all__ = ["spelling"]

_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f])+")


def spelling(subject: Subject, *, max_words: int) -> tuple[tuple[SpelledWord, ...], int]:
    """Spells the first distinct words of a text.

    Returns:
        The words, and how many more distinct ones there are.
    """
    places: dict[str, tuple[tuple[int, int], int]] = {}
    for found in _WORD.finditer(subject.text):
        span, n = places.get(found[0], (found.span(), 0))
        places[found[0]] = (span, n + 1)
    words = [_word(subject, word, span, n) for word, (span, n) in list(places.items())[:max_words]]
    return tuple(words), len(places) - len(words)


def _word(subject: Subject, word: str, span: tuple[int, int], n_places: int) -> SpelledWord:
    byte_span, utf16_span = subject.spans(span)
    tokens = []
    at = span[0]
    for token in subject.touching(span):
        # A letter that several tokens share was given to the first of them.
        end = min(max(at, subject.char_spans[token][1]), span[1])
        tokens.append(
            SpelledToken(subject.ids[token], piece_glyphs(subject.pieces[token]), subject.text[at:end])
        )
        at = end
    return SpelledWord(
        word=word,
        byte_span=byte_span,
        char_span=span,
        utf16_span=utf16_span,
        n_places=n_places,
        tokens=tuple(tokens),
        n_spelled=-subject.cost(span, " ".join(word)),
    )
