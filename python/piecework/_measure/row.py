"""A row as every tokenizer meets it: its bytes, words, numbers and white space, found once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._measure.words import Span

__all__ = ["Row", "character_at", "read_row"]

_DIGITS = re.compile(r"\d+")
# As `str.isspace` has it, which is more than `\s`.
_SPACES = re.compile(r"[\s\x1c-\x1f\x85]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a text.

    Attributes:
        text: The row.
        data: Its UTF-8, half characters as three bytes.
        words: The byte spans of its words.
        numbers: The bytes at which each digit starts, for each run of decimal digits of any script.
        spaces: The bytes at which its white space starts.
    """

    text: str
    data: bytes
    words: tuple[Span, ...]
    numbers: tuple[tuple[int, ...], ...]
    spaces: frozenset[int]

    @property
    def n_bytes(self) -> int:
        """Its length as UTF-8."""
        return len(self.data)

    @property
    def n_visible(self) -> int:
        """Its characters other than white space."""
        return len(self.text) - len(self.spaces)

    def word_texts(self) -> list[str]:
        """The words themselves."""
        return [self.data[start:end].decode("utf-8", "surrogatepass") for start, end in self.words]


def read_row(text: str, find_words: Callable[[str], list[Span]]) -> Row:
    r"""Reads a row; composed form is not asked for: tokenizers get it as it is.

    Examples:
        >>> row = read_row("é 42", lambda text: [(0, 1), (2, 4)])
        >>> row.data, row.words, row.numbers, row.spaces
        (b'\xc3\xa9 42', ((0, 2), (3, 5)), ((3, 4),), frozenset({2}))
    """
    data = text.encode("utf-8", "surrogatepass")
    is_ascii = len(data) == len(text)
    starts: Sequence[int] = (
        range(len(data) + 1) if is_ascii else list(accumulate(map(_n_bytes, text), initial=0))
    )
    words = tuple((starts[start], starts[end]) for start, end in find_words(text))
    numbers = tuple(tuple(starts[found.start() : found.end()]) for found in _DIGITS.finditer(text))
    spaces = frozenset(starts[found.start()] for found in _SPACES.finditer(text))
    return Row(text, data, words, numbers, spaces)


def character_at(data: bytes, at: int) -> int:
    r"""The byte at which the character starts that a byte of UTF-8 belongs to.

    Examples:
        >>> character_at("aé".encode(), 2), character_at(b"a", 0)
        (1, 0)
    """
    while at > 0 and 0x80 <= data[at] < 0xC0:
        at -= 1
    return at


def _n_bytes(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
