"""A closing report as data: what it says of each domain, of single texts, of the vocabulary, and of what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from piecework._measure.bootstrap import Interval

__all__ = [
    "Alphabet",
    "Domain",
    "Dropped",
    "Junk",
    "LongToken",
    "Rival",
    "RivalFigures",
    "Verdict",
    "WorstText",
    "plain",
]

Verdict: TypeAlias = Literal["better", "worse", "no difference seen", "too few units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A tokenizer that ours is measured beside.

    Attributes:
        name: What it is called.
        vocab_size: Its entries, special tokens in. With more of them a text mostly takes fewer tokens.
    """

    name: str
    vocab_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalFigures:
    """A rival on a domain. Exact but for the ends of `ratio`.

    Attributes:
        name: What it is called.
        n_tokens: Its tokens of the text.
        n_unknown: Unknown tokens of them.
        bytes_per_token: Bytes for each token; None where there is none.
        ratio: Our bytes per token over its: above 1 ours needs fewer tokens. None where there are no tokens.
        verdict: What the interval says: `better` or `worse` where it lies wholly above or below 1.
    """

    name: str
    n_tokens: int
    n_unknown: int
    bytes_per_token: float | None
    ratio: Interval | None
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A held-out text, or all of them. Exact but for the intervals.

    Attributes:
        name: What it is called.
        n_bytes: Its bytes as UTF-8.
        n_chars: Its characters.
        n_units: Its units.
        unit: What a unit is: `paragraph`, `line` or `text`; `unit` for all domains together.
        n_blocks: What intervals resample: units, or blocks of neighboring ones where there are many.
        n_tokens: Our tokens of it.
        n_unknown: Our unknown tokens: each is one character without an entry.
        bytes_per_token: Our bytes for each token; None where there is none.
        rivals: The rivals, in the order they were given.
    """

    name: str
    n_bytes: int
    n_chars: int
    n_units: int
    unit: Literal["paragraph", "line", "text", "unit"]
    n_blocks: int
    n_tokens: int
    n_unknown: int
    bytes_per_token: float | None
    rivals: tuple[RivalFigures, ...]

    @property
    def unknown_share(self) -> float:
        """Unknown tokens for each character."""
        return self.n_unknown / self.n_chars if self.n_chars else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstText:
    """A unit on which ours needs many more tokens than a rival, and the stretch of it where most of them are.

    Attributes:
        rival: The rival.
        domain: The domain.
        place: Which unit of it, from 1.
        n_tokens: Our tokens of the unit.
        n_rival_tokens: The rival's.
        text: The stretch between two places at which both cut, on which ours needs most more tokens.
        pieces: Our pieces of it, readable.
        rival_pieces: The rival's.
    """

    rival: str
    domain: str
    place: int
    n_tokens: int
    n_rival_tokens: int
    text: str
    pieces: tuple[str, ...]
    rival_pieces: tuple[str, ...]

    @property
    def n_extra(self) -> int:
        """How many more tokens ours needs."""
        return self.n_tokens - self.n_rival_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class LongToken:
    """A long entry of the vocabulary.

    Attributes:
        id: Its id.
        piece: It, readable.
        n_bytes: Its bytes.
        n_chars: Its whole characters.
        n_times: How often it occurs in the held-out text.
    """

    id: int
    piece: str
    n_bytes: int
    n_chars: int
    n_times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Junk:
    """Counts of learned entries that may be of little use. An entry can be in several.

    Attributes:
        n_unused: Those that do not occur in the held-out text.
        n_whitespace: Runs of at least two white-space characters.
        n_digits: Runs of at least two digits.
        n_partial: Two bytes or more that are no whole characters.
    """

    n_unused: int
    n_whitespace: int
    n_digits: int
    n_partial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """What is a single token.

    Attributes:
        n_bytes: Byte values that are an entry of their own; 256 where every text has ids.
        characters: Characters that are an entry, by code point.
        scripts: How many of them are of each script, by its ISO 15924 code: `Zyyy` are digits, punctuation and other
            characters that many scripts share, `Zzzz` scripts that are not told apart.
        n_entries: Entries of the alphabet: single bytes where all 256 are there, else single characters, with their
            prefixed and suffixed forms.
        n_used: Those that occur in the held-out text.
    """

    n_bytes: int
    characters: str
    scripts: Mapping[str, int]
    n_entries: int
    n_used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What the training left out.

    Attributes:
        characters: Characters that `limit_alphabet` dropped.
        n_left_out_words: Distinct words that `min_word_count` left out.
        n_left_out: How often these occur, together.
        n_invalid: Byte sequences that were no UTF-8, replaced or left out with their texts.
        n_merges_left_out: Merges that were learned and cannot apply, since they make a special token.
    """

    characters: tuple[str, ...]
    n_left_out_words: int
    n_left_out: int
    n_invalid: int
    n_merges_left_out: int


def plain(value: object) -> object:
    """Figures as JSON can hold them: dataclasses as objects, tuples as lists."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
