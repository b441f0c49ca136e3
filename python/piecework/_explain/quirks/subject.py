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
        before, after = self._around(span)
        is_whole = len(before) + span[1] - span[0] + len(after) == len(self.text)
        now = len(self.ids) if is_whole else self.count(before + self.text[slice(*span)] + after)
        return now - self.count(before + replacement + after)

    def n_touching(self, span: tuple[int, int], replacement: str) -> int:
        """The tokens that would touch a replacement in a place."""
        before, after = self._around(span)
        changed = Subject(self.native, before + replacement + after, self._special)
        return len(changed.touching((len(before), len(before) + len(replacement))))

    def is_same(self, span: tuple[int, int], replacement: str) -> bool:
        """Whether a replacement in a place leaves all ids as they are."""
        before, after = self._around(span)
        return self.ids_of(before + self.text[slice(*span)] + after) == self.ids_of(
            before + replacement + after
        )

    def is_unknown(self, span: tuple[int, int]) -> bool:
        """Whether a token that touches characters stands for what the vocabulary lacks."""
        unk = self.native.info()["model"].get("unk")
        return unk is not None and any(self.ids[at] == unk for at in self.touching(span))

    def _around(self, span: tuple[int, int]) -> tuple[str, str]:
        """What is encoded before and after a place."""
        start, end = span
        if len(self.text) <= _MAX_WHOLE:
            return self.text[:start], self.text[end:]
        return self.text[max(0, start - _AROUND) : start], self.text[end : end + _AROUND]

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
