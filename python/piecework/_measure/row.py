"""A row as every tokenizer meets it: its characters, bytes, words and numbers, found once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._measure.words import Span

__all__ = ["Row", "read_row"]

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a text.

    Attributes:
        text: The row.
        starts: The byte at which each character starts, and the number of bytes at the end.
        words: The byte spans of its words.
        numbers: The bytes at which each digit starts, for each run of decimal digits of any script.
    """

    text: str
    starts: tuple[int, ...]
    words: tuple[Span, ...]
    numbers: tuple[tuple[int, ...], ...]

    @property
    def n_bytes(self) -> int:
        """Its length as UTF-8."""
        return self.starts[-1]

    def word_texts(self) -> list[str]:
        """The words themselves."""
        data = self.text.encode("utf-8", "surrogatepass")
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in self.words]


def read_row(text: str, find_words: Callable[[str], list[Span]]) -> Row:
    """Reads a row; composed form is not asked for: tokenizers get it as it is.

    Examples:
        >>> row = read_row("é 42", lambda text: [(0, 1), (2, 4)])
        >>> row.starts, row.words, row.numbers
        ((0, 2, 3, 4, 5), ((0, 2), (3, 5)), ((3, 4),))
    """
    starts = [0]
    for character in text:
        starts.append(starts[-1] + _n_bytes(character))
    words = tuple((starts[start], starts[end]) for start, end in find_words(text))
    numbers = tuple(tuple(starts[found.start() : found.end()]) for found in _DIGITS.finditer(text))
    return Row(text, tuple(starts), words, numbers)


def _n_bytes(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
