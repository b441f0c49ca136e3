"""One encoded text: its ids, and where each of them stands in it. Spans are made when asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, final

from piecework import _explain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework import _core
    from piecework._tokenizer.tokenizer import Tokenizer
    from piecework._types import Text

__all__ = ["Encoding", "Forged"]

Span: TypeAlias = tuple[int, int]


class Forged(NamedTuple):
    """A control string that stood in a text and was read as ordinary text.

    Attributes:
        token: The control token that it looks like.
        id: That token's id.
        byte_span: Where it stands, in bytes of the text as UTF-8.
        char_span: Where it stands, in characters.
    """

    token: str
    id: int
    byte_span: Span
    char_span: Span


@final
class Encoding:
    """One encoded text. Made by `Tokenizer.encode`; immutable.

    All spans are half-open, into the original text, and as many as ids. `byte_spans` are the truth and tile the text
    wherever nothing was normalized; the other families cover every unit that a token touches, so that three tokens can
    share one emoji. A token that stands for nothing in the text has an empty span.

    Examples:
        >>> import piecework as pw
        >>> enc = pw.load("o200k_base").encode("a ⭢ b")
        >>> enc.ids == [64, 2969, 255, 95, 287], enc.char_spans
        (True, [(0, 1), (1, 3), (2, 3), (2, 3), (3, 5)])
    """

    __slots__ = ("__weakref__", "_native", "_options", "_text", "_tokenizer")
    _native: _core.Encoding
    _tokenizer: Tokenizer
    _text: Text
    _options: Mapping[str, Any]

    def __init__(
        self, native: _core.Encoding, tokenizer: Tokenizer, text: Text, options: Mapping[str, Any]
    ) -> None:
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "_tokenizer", tokenizer)
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_options", options)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Encoding does not change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Encoding does not change: {name}")

    @property
    def ids(self) -> _core.Ids:
        """The ids: (n_tokens,) uint32."""
        return self._native.ids

    @property
    def pieces(self) -> list[str]:
        r"""The readable piece of each token; a byte that is no whole character as `\xf0`."""
        return self._native.pieces

    @property
    def vocab_pieces(self) -> list[str]:
        """The piece of each token as its vocabulary writes it (a space as `Ġ`)."""
        return self._native.vocab_pieces

    @property
    def piece_bytes(self) -> list[bytes]:
        """The bytes of each token."""
        return self._native.piece_bytes

    @property
    def byte_spans(self) -> list[Span]:
        """Where each token stands, in bytes of the text as UTF-8; of changed text, all bytes that it was made from."""
        return self._native.byte_spans

    @property
    def char_spans(self) -> list[Span]:
        """Where each token stands, in characters (code points): every character that it touches."""
        return self._native.char_spans

    @property
    def utf16_spans(self) -> list[Span]:
        """Where each token stands, in UTF-16 units, as JavaScript and Java count."""
        return self._native.utf16_spans

    @property
    def grapheme_spans(self) -> list[Span]:
        """Where each token stands, in what a reader takes for one character (extended grapheme clusters, UAX #29)."""
        return self._native.grapheme_spans

    @property
    def word_ids(self) -> list[int | None]:
        """Which pretoken each token is of, an added token being one; None for begin and end tokens."""
        return self._native.word_ids

    @property
    def forged(self) -> list[Forged]:
        """The control strings that were read as ordinary text (`special="text"`), in order."""
        return [Forged(*row) for row in self._native.forged]

    def char_to_token(self, char: int) -> int | None:
        """The token that a character belongs to.

        Args:
            char: An index into the text, in characters.

        Returns:
            The index of the first token that touches the character, or None where none does.

        Complexity: O(log n_tokens) after the first call.
        """
        return self._native.char_to_token(char)

    def token_to_chars(self, token: int) -> Span:
        """The characters that a token touches.

        Args:
            token: An index into `ids`; negative ones count from the end.

        Returns:
            `char_spans[token]`.

        Raises:
            IndexError: There is no such token.
        """
        n = len(self)
        if not -n <= token < n:
            raise IndexError(f"there is no token {token} in an encoding of {n}")
        return self._native.token_to_chars(token % n)

    def __len__(self) -> int:
        return len(self._native)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self.ids == other.ids and self.byte_spans == other.byte_spans

    def __hash__(self) -> int:
        return hash(self.ids)

    def __reduce__(self) -> tuple[object, ...]:
        # The text and how it was read are smaller than what came of it, and give the same again.
        return _encode_again, (self._tokenizer, self._text, dict(self._options))

    def __repr__(self) -> str:
        shown = self.pieces[:8]
        more = ", …" if len(self) > len(shown) else ""
        noun = "token" if len(self) == 1 else "tokens"
        return (
            f"<Encoding of {len(self)} {noun}, {self._tokenizer.name}: {', '.join(map(repr, shown))}{more}>"
        )

    def _repr_html_(self) -> str:
        return _explain.pieces_html(
            self._tokenizer.name, list(self.ids), self.piece_bytes, forged=self._forged_tokens()
        )

    def _forged_tokens(self) -> frozenset[int]:
        """The positions of the tokens that touch a control string which was read as text."""
        forged = self.forged
        if not forged:
            return frozenset()
        starts, ends = zip(*self.byte_spans, strict=True)
        return frozenset(
            at
            for item in forged
            for at in range(bisect_right(ends, item.byte_span[0]), bisect_left(starts, item.byte_span[1]))
        )


def _encode_again(tokenizer: Tokenizer, text: Text, options: Mapping[str, Any]) -> Encoding:
    return tokenizer.encode(text, **options)
