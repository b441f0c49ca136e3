"""The figures of a comparison: of a text by itself, of a tokenizer, and of both together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._measure.bootstrap import Interval
    from piecework._types import Basis

__all__ = ["Baseline", "Cell", "TextFigures", "TokenizerFigures", "baseline", "plain"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a vocabulary of whole words, or of single characters, would make of a text.

    Attributes:
        n_pieces: The words or characters of the text.
        vocab_size: How many of them differ: the vocabulary that this text alone asks for.
        unseen_share: The share of pieces that no other row has: what would be unknown in a new row if the vocabulary came
            from the others. None where there is one row.
    """

    n_pieces: int
    vocab_size: int
    unseen_share: float | None


@dataclass(frozen=True, slots=True)
class TextFigures:
    """A text by itself.

    Attributes:
        key: Its short name.
        name: Its English name.
        is_parallel: Whether its rows mean the same as the reference's.
        n_rows: The rows that are in the figures.
        n_left_out: Rows that are not: suspect.
        n_characters: Code points.
        n_bytes: Bytes of UTF-8.
        n_words: Words, by the segmenter of the comparison.
        words: A vocabulary of whole words.
        characters: A vocabulary of characters.
    """

    key: str
    name: str
    is_parallel: bool
    n_rows: int
    n_left_out: int
    n_characters: int
    n_bytes: int
    n_words: int
    words: Baseline
    characters: Baseline


@dataclass(frozen=True, slots=True)
class TokenizerFigures:
    """A tokenizer of a comparison.

    Attributes:
        name: What its column is called.
        model: What was asked for: a model's name, a file.
        tokenizer: The tokenizer's own name.
        basis: `"exact"`, or `"estimate"` where the tokenizer is assumed for a model that is unknown.
        assumed: Whether it is.
        fingerprint: Its fingerprint.
        n_tokens: The size of its vocabulary.
        unknown: What becomes of input that the vocabulary lacks.
        gini: How unequally the parallel texts pay; None without any.
        gini_is_flattered: Whether unknown tokens are in the premiums: text is lost then, and few tokens say little.
    """

    name: str
    model: str
    tokenizer: str
    basis: Basis
    assumed: bool
    fingerprint: str
    n_tokens: int
    unknown: str
    gini: float | None
    gini_is_flattered: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A text under a tokenizer. The functions of this package say how each figure is defined.

    Attributes:
        tokenizer: The tokenizer's name.
        key: The text's key.
        n_tokens: Tokens of all rows.
        premium: Tokens relative to the reference's, same rows.
        tokens_per_word: Fertility.
        bytes_per_token: Compression.
        split_share: The share of words of more than one token.
        coverage: The share of characters that the vocabulary has whole; white space aside.
        vocabulary_use: The share of the vocabulary that occurs.
        renyi_efficiency: How evenly the tokens that occur are used.
        utf8_crossings: The share of token boundaries that lie inside a character.
        digit_alignment: How well tokens keep groups of three digits.
        n_unknown: Unknown tokens.
    """

    tokenizer: str
    key: str
    n_tokens: int
    premium: Interval | None
    tokens_per_word: Interval | None
    bytes_per_token: Interval | None
    split_share: Interval | None
    coverage: float | None
    vocabulary_use: float
    renyi_efficiency: float | None
    utf8_crossings: float | None
    digit_alignment: float | None
    n_unknown: int


def baseline(rows: Sequence[Sequence[str]]) -> Baseline:
    """What a vocabulary of these pieces would be.

    Args:
        rows: The pieces of each row.

    Examples:
        >>> baseline([["a", "b"], ["a", "c"]])
        Baseline(n_pieces=4, vocab_size=3, unseen_share=0.5)
    """
    n_pieces = sum(map(len, rows))
    n_rows_with: Counter[str] = Counter()
    n_times: Counter[str] = Counter()
    for row in rows:
        n_rows_with.update(set(row))
        n_times.update(row)
    n_unseen = sum(n_times[piece] for piece, n in n_rows_with.items() if n == 1)
    unseen = n_unseen / n_pieces if len(rows) > 1 and n_pieces else None
    return Baseline(n_pieces, len(n_rows_with), unseen)


def plain(figures: object) -> dict[str, object]:
    """A dataclass of figures as JSON can hold it."""
    found = {field.name: getattr(figures, field.name) for field in fields(figures)}  # type: ignore[arg-type]
    return {
        name: plain(value) if hasattr(value, "__dataclass_fields__") else value
        for name, value in found.items()
    }
