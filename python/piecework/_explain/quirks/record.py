"""What is found: a quirk, a word spelled out, and all of them for one text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from piecework._explain.quirks.text import render_quirks

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Quirk", "Quirks", "SpelledToken", "SpelledWord"]

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quirk:
    """One thing about a text that tokens make of it and a reader does not see.

    Attributes:
        kind: What it is, such as `leading-space`.
        byte_span: Where it stands, in bytes of the text; of several places alike, the first.
        char_span: The same in characters.
        utf16_span: The same in UTF-16 units.
        excerpt: The text there.
        n_places: How many places are alike.
        pieces: The pieces that it touches, made visible, with `|` between them.
        n_tokens: How many these are.
        alternative: What could stand there instead; None where there is nothing to compare with.
        cost: Tokens of the text as it stands less tokens with the alternative in this place (in all places, where the
            kind is of the whole text), by encoding both: positive where the alternative is cheaper. Of `boundary`, the
            tokens that more text makes anew. None where there is no alternative.
        says: What happens, in a sentence.
        advice: What to do.
    """

    kind: str
    byte_span: Span
    char_span: Span
    utf16_span: Span
    excerpt: str
    n_places: int
    pieces: str
    n_tokens: int
    alternative: str | None
    cost: int | None
    says: str
    advice: str


@dataclass(frozen=True, slots=True)
class SpelledToken:
    """One token of a word, and the letters that it hides.

    Attributes:
        id: The token's id.
        piece: Its piece, made visible.
        letters: The word's letters in it; a letter that several tokens share stands with the first of them.
    """

    id: int
    piece: str
    letters: str


@dataclass(frozen=True, slots=True)
class SpelledWord:
    """A word as its tokens: the model is given ids, and no letters.

    Attributes:
        word: The word.
        byte_span: Where it stands first, in bytes of the text.
        char_span: The same in characters.
        utf16_span: The same in UTF-16 units.
        n_places: How often it stands there.
        tokens: The tokens that hold its letters, in order.
        n_spelled: How many tokens the text would have more if the word stood in it letter by letter, with spaces.
    """

    word: str
    byte_span: Span
    char_span: Span
    utf16_span: Span
    n_places: int
    tokens: tuple[SpelledToken, ...]
    n_spelled: int

    def holders(self, letter: str) -> tuple[SpelledToken, ...]:
        """Returns the tokens that hold a letter, in either case."""
        return tuple(token for token in self.tokens if letter.casefold() in token.letters.casefold())

    def count(self, letter: str) -> int:
        """Returns how often the word has a letter, in either case."""
        return self.word.casefold().count(letter.casefold())


@dataclass(frozen=True, slots=True)
class Quirks:
    """The quirks of one text under one tokenizer.

    Attributes:
        tokenizer: The tokenizer's name.
        n_tokens: Tokens of the text.
        n_whitespace_tokens: How many of them are nothing but white space.
        found: The quirks, in the order of their kinds, each kind in the order of the text.
        spelling: The first distinct words, spelled.
        left_out: For each kind with more distinct places than were measured (`spelling` is one), how many more.
        letter: The letter that was asked about, or None.
    """

    tokenizer: str
    n_tokens: int
    n_whitespace_tokens: int
    found: tuple[Quirk, ...]
    spelling: tuple[SpelledWord, ...]
    left_out: Mapping[str, int]
    letter: str | None = None

    def of(self, kind: str) -> tuple[Quirk, ...]:
        """Returns the quirks of one kind."""
        return tuple(quirk for quirk in self.found if quirk.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {**asdict(self), "left_out": dict(self.left_out)}

    def __str__(self) -> str:
        return render_quirks(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.5">{escape(str(self))}</pre>'
