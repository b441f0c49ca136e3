"""One letter, two spellings: é as one character, or as e and an accent; and letters in forms for compatibility."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from piecework._explain.glyphs import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = [
    "candidates_compatibility",
    "candidates_composed",
    "candidates_decomposed",
    "measure_compatibility",
    "measure_composed",
    "measure_decomposed",
]

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def candidates_decomposed(subject: Subject) -> Iterator[tuple[int, int]]:
    """The letters with marks that could be one character."""
    text = subject.text
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return
    for found in re.finditer(r"[^\x00-\x7f]", text):
        at = found.start()
        if at and not _is_mark(text[at - 1]) and _is_mark(text[at]):
            end = next((i for i in range(at, len(text)) if not _is_mark(text[i])), len(text))
            if unicodedata.normalize("NFC", text[at - 1 : end]) != text[at - 1 : end]:
                yield at - 1, end


def _is_mark(char: str) -> bool:
    # Vowels and finals of Hangul compose with what stands before them, and are no combining marks.
    return unicodedata.combining(char) > 0 or "\u1161" <= char <= "\u11ff"


def measure_decomposed(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares a letter with its composed form."""
    excerpt = subject.text[slice(*span)]
    composed = unicodedata.normalize("NFC", excerpt)
    if subject.ids_of(excerpt) == subject.ids_of(composed):
        return None
    return subject.quirk(
        "decomposed",
        span,
        alternative=composed,
        says=f"{shortened(excerpt)} is {len(excerpt)} characters ({_code_points(excerpt[:4])}); composed ({_code_points(composed[:4])}) it reads the same",
        advice="normalize to NFC before counting, caching or comparing",
    )


def candidates_composed(subject: Subject) -> Iterator[tuple[int, int]]:
    """The first letter that could be taken apart: the kind is of the whole text."""
    if subject.text.isascii() or unicodedata.is_normalized("NFD", subject.text):
        return
    for found in _NOT_ASCII.finditer(subject.text):
        for at in range(*found.span()):
            if unicodedata.normalize("NFD", subject.text[at]) != subject.text[at]:
                yield at, at + 1
                return


def measure_composed(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares the whole text with its decomposed form."""
    apart = unicodedata.normalize("NFD", subject.text)
    cost = len(subject.ids) - subject.count(apart)
    if cost == 0 and subject.ids_of(apart) == subject.ids:
        return None
    n = sum(unicodedata.normalize("NFD", char) != char for char in subject.text)
    return subject.quirk(
        "composed",
        span,
        alternative=unicodedata.normalize("NFD", subject.text[slice(*span)]),
        cost=cost,
        n_places=n,
        says="the same text with its accents apart has other ids; cost compares the whole text",
        advice="keep it composed (NFC): texts from macOS file names and some keyboards come decomposed",
    )


def candidates_compatibility(subject: Subject) -> Iterator[tuple[int, int]]:
    """The runs of full-width letters, ligatures, styled letters and the like."""
    if subject.text.isascii():
        return
    for found in _NOT_ASCII.finditer(subject.text):
        start: int | None = None
        for at in range(found.start(), found.end() + 1):
            is_one = at < found.end() and _is_compatibility(subject.text[at])
            if is_one and start is None:
                start = at
            elif not is_one and start is not None:
                yield start, at
                start = None


def _is_compatibility(char: str) -> bool:
    # Spaces are a kind of their own; … ™ ² are what a person means.
    return unicodedata.decomposition(char).startswith(
        ("<wide>", "<narrow>", "<font>", "<compat> 0066", "<circle>")
    )


def measure_compatibility(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares letters with the plain ones."""
    excerpt = subject.text[slice(*span)]
    plain = unicodedata.normalize("NFKC", excerpt)
    if subject.ids_of(excerpt) == subject.ids_of(plain):
        return None
    lost = "; the vocabulary lacks it, and its word is lost" if subject.is_unknown(span) else ""
    return subject.quirk(
        "compatibility",
        span,
        alternative=plain,
        says=f"{shortened(excerpt)} looks like {shortened(plain)} and is other characters ({_code_points(excerpt[:4])}){lost}",
        advice="write plain letters, unless the form itself is meant",
    )


def _code_points(text: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in text)
