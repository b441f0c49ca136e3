"""A text under one tokenizer, ready to be asked what another spelling of a part of it would cost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from piecework._explain.glyphs import joined, piece_glyphs
from piecework._explain.quirks.record import Quirk

if TYPE_CHECKING:
    from piecework import _core
    from piecework._types import Special

__all__ = ["Subject"]

# A longer text is measured around the place only: both sides are cut alike, so that the difference is that of the place.
_MAX_WHOLE = 16_384
_AROUND = 2_048
# What is compared is the text alone, without begin and end tokens.
_ADD_SPECIAL = False


class Subject:
    """A text and its tokens.

    Attributes:
        text: The text.
        native: The tokenizer.
        pieces: The bytes of each token.
        char_spans: The characters that each token touches.
    """

    def __init__(self, native: _core.Tokenizer, text: str, special: Special) -> None:
        self.native = native
        self.text = text
        self._special: Special = special
        encoding = native.encode(text, special, _ADD_SPECIAL, "strict", None)
        self.ids = encoding.ids.tolist()
        self.pieces = encoding.piece_bytes
        self.char_spans = encoding.char_spans
        self._starts = [start for start, _ in self.char_spans]
        self._ends = [end for _, end in self.char_spans]

    def ids_of(self, text: str) -> list[int]:
        """The ids of another text."""
        return self.native.ids(text, self._special, _ADD_SPECIAL, "strict", None).tolist()

    def count(self, text: str) -> int:
        """The tokens of another text."""
        return self.native.count(text, self._special, _ADD_SPECIAL, "strict", None)

    def touching(self, span: tuple[int, int]) -> range:
        """The tokens that touch characters."""
        return range(bisect_right(self._ends, span[0]), bisect_left(self._starts, span[1]))

    def cost(self, span: tuple[int, int], replacement: str) -> int:
        """Tokens as the text stands less tokens with a replacement in a place."""
        start, end = span
        low, high = 0, len(self.text)
        if high > _MAX_WHOLE:
            low, high = max(0, start - _AROUND), min(high, end + _AROUND)
        before, after = self.text[low:start], self.text[end:high]
        now = len(self.ids) if high - low == len(self.text) else self.count(self.text[low:high])
        return now - self.count(before + replacement + after)

    def spans(self, span: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
        """A span of characters in bytes and in UTF-16 units."""
        before, inside = self.text[: span[0]], self.text[slice(*span)]
        first_byte, first_unit = len(before.encode()), _n_utf16(before)
        return (first_byte, first_byte + len(inside.encode())), (first_unit, first_unit + _n_utf16(inside))

    def shown(self, tokens: range) -> str:
        """Tokens, made visible, with `|` between them."""
        return joined(piece_glyphs(self.pieces[at]) for at in tokens)

    def quirk(
        self,
        kind: str,
        span: tuple[int, int],
        *,
        says: str,
        advice: str,
        alternative: str | None = None,
        cost: int | None = None,
        n_places: int = 1,
    ) -> Quirk:
        """A quirk in a place; its cost is measured where it is not given and there is an alternative."""
        byte_span, utf16_span = self.spans(span)
        tokens = self.touching(span)
        if cost is None and alternative is not None:
            cost = self.cost(span, alternative)
        return Quirk(
            kind=kind,
            byte_span=byte_span,
            char_span=span,
            utf16_span=utf16_span,
            excerpt=self.text[slice(*span)],
            n_places=n_places,
            pieces=self.shown(tokens),
            n_tokens=len(tokens),
            alternative=alternative,
            cost=cost,
            says=says,
            advice=advice,
        )


def _n_utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
