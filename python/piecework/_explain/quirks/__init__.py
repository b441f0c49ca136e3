"""What tokens make of a text that its reader does not see: each kind in a file, found by reading, measured by encoding.

A kind is two functions: `candidates` yields places cheaply, `measure` encodes the alternative and says what it costs, or
None where it changes nothing. Places that are alike are measured once, and a long text's first few of each kind only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from piecework._explain.quirks import (
    boundary,
    casing,
    composition,
    digits,
    indentation,
    leading_space,
    line_endings,
    spaces,
    split_characters,
    trailing_space,
    whitespace,
)
from piecework._explain.quirks.letters import spelling
from piecework._explain.quirks.record import Quirk, Quirks, SpelledToken, SpelledWord
from piecework._explain.quirks.subject import Subject

if TYPE_CHECKING:
    from piecework import _core
    from piecework._types import Errors, Special, Text

__all__ = ["Quirk", "Quirks", "SpelledToken", "SpelledWord", "find_quirks"]

Span: TypeAlias = tuple[int, int]
Kind: TypeAlias = tuple[Callable[[Subject], Iterator[Span]], Callable[[Subject, Span], Quirk | None]]

_KINDS: dict[str, Kind] = {
    "leading-space": (leading_space.candidates, leading_space.measure),
    "trailing-space": (trailing_space.candidates, trailing_space.measure),
    "boundary": (boundary.candidates, boundary.measure),
    "digits": (digits.candidates, digits.measure),
    "casing": (casing.candidates, casing.measure),
    "split-character": (split_characters.candidates, split_characters.measure),
    "decomposed": (composition.candidates_decomposed, composition.measure_decomposed),
    "composed": (composition.candidates_composed, composition.measure_composed),
    "compatibility": (composition.candidates_compatibility, composition.measure_compatibility),
    "no-break-space": (spaces.candidates, spaces.measure),
    "line-endings": (line_endings.candidates, line_endings.measure),
    "indentation": (indentation.candidates, indentation.measure),
    "white-space": (whitespace.candidates, whitespace.measure),
}
_SURROGATE = re.compile("[\ud800-\udfff]")


def find_quirks(
    native: _core.Tokenizer,
    name: str,
    text: Text,
    *,
    special: Special,
    errors: Errors,
    more: str | None,
    letter: str | None,
    max_per_kind: int,
) -> Quirks:
    """Finds and measures the quirks of a text; the arguments are those of `Tokenizer.quirks`."""
    if max_per_kind < 0:
        raise ValueError(f"max_per_kind is {max_per_kind}, and at least 0 is needed")
    add_special_tokens = False
    # The engine says what is wrong with broken Unicode, in its own words.
    native.ids(text, special, add_special_tokens, errors, None)
    subject = Subject(native, _as_str(text), special)
    found: list[Quirk] = []
    left_out: dict[str, int] = {}
    for kind, (candidates, measure) in _KINDS.items():
        if kind == "boundary" and more is not None:
            at_end = boundary.boundary(subject, more)
            found += [] if at_end is None else [at_end]
            continue
        places = _alike(subject, candidates(subject))
        for span, n_places in list(places.values())[:max_per_kind]:
            quirk = measure(subject, span)
            if quirk is not None:
                found.append(_with_places(quirk, n_places))
        if len(places) > max_per_kind:
            left_out[kind] = len(places) - max_per_kind
    words, n_more = spelling(subject, max_words=max_per_kind)
    if n_more:
        left_out["spelling"] = n_more
    return Quirks(
        tokenizer=name,
        n_tokens=len(subject.ids),
        n_whitespace_tokens=sum(piece.isspace() for piece in subject.pieces),
        found=tuple(found),
        spelling=words,
        left_out=left_out,
        letter=letter,
    )


def _as_str(text: Text) -> str:
    """The text as it is read; under `errors="strict"` nothing is left to replace."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else _SURROGATE.sub("\ufffd", text)


def _alike(subject: Subject, spans: Iterator[Span]) -> dict[str, tuple[Span, int]]:
    """The first place of each excerpt, with the number of places."""
    found: dict[str, tuple[Span, int]] = {}
    for span in spans:
        first, n = found.get(subject.text[slice(*span)], (span, 0))
        found[subject.text[slice(*span)]] = (first, n + 1)
    return found


def _with_places(quirk: Quirk, n_places: int) -> Quirk:
    """A kind of the whole text has counted its places itself."""
    return quirk if quirk.n_places > 1 or n_places == 1 else replace(quirk, n_places=n_places)
