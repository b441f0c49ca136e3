"""Estimates of a text's tokens where the tokenizer is not published: bytes by content over a table's bytes per token.

The band is that of the table's samples, and wider for a short text.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework._chat.served.content import content_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Estimate", "Figure", "estimate", "figures", "joint_band", "table_fingerprint"]

_TABLE = Path(__file__).parents[2] / "_data" / "served" / "bytes_per_token.tsv"

# The samples have a thousand tokens or so. A text of n tokens varies more, about as the square root of n does.
_SLACK = 2.0


class Figure(NamedTuple):
    """A row of the table.

    Attributes:
        generation: The models that it holds for.
        content: A script, or a kind of text in Latin letters.
        bytes_per_token: The figure.
        least: The least of the samples.
        most: The most of them.
        n: How many samples.
        is_lower_bound: Whether it is only known that tokens are not fewer.
        date: When the samples were counted, as YYYY-MM-DD.
        source: Who counted them.
    """

    generation: str
    content: str
    bytes_per_token: float
    least: float
    most: float
    n: int
    is_lower_bound: bool
    date: str
    source: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a text is estimated at.

    Attributes:
        n: Its tokens, or the least that they can be for contents of `lower`.
        least: The least that they can be, as far as the samples tell.
        most: The most. What nothing is known of has at most a token for each byte, as in every tokenizer that falls back
            to bytes.
        n_bytes: The text's size.
        lower: The contents whose tokens are only known not to be fewer, with their bytes.
        uncounted: The contents for which nothing is known, with their bytes; `n` leaves them out.
        used: The figures that went into it.
    """

    n: int
    least: float
    most: float
    n_bytes: int
    lower: Mapping[str, int]
    uncounted: Mapping[str, int]
    used: tuple[Figure, ...]

    @property
    def band(self) -> tuple[int, int]:
        """The least and the most, in whole tokens."""
        return joint_band([self])

    @property
    def n_gap_bytes(self) -> int:
        """How many bytes have no figure, or only one that bounds their tokens from below."""
        return sum(self.lower.values()) + sum(self.uncounted.values())


@cache
def figures(generation: str) -> Mapping[str, Figure]:
    """The rows of the table for a generation of models, by content."""
    return {row.content: row for row in _rows() if row.generation == generation}


@cache
def table_fingerprint() -> str:
    """The SHA-256 of the table, as hexadecimal digits: what an estimate has in place of a tokenizer's fingerprint."""
    return hashlib.sha256(_TABLE.read_bytes()).hexdigest()


def estimate(texts: Iterable[str], generation: str) -> Estimate:
    """Estimates the tokens of texts that are read one after the other.

    Args:
        texts: The texts.
        generation: One of the table's generations.

    Returns:
        The estimate of all together; 0 for no text.

    Examples:
        >>> found = estimate(["Hello, world!"], "claude-4.7")
        >>> found.n, found.band, [(figure.content, figure.n) for figure in found.used]
        (5, (1, 12), [('prose', 6)])

    Complexity: O(total length).
    """
    table = figures(generation)
    total = least = most = 0.0
    n_bytes = 0
    lower: dict[str, int] = {}
    uncounted: dict[str, int] = {}
    used: dict[str, Figure] = {}
    for text in texts:
        for content, size in content_bytes(text).items():
            n_bytes += size
            figure = table.get(content)
            if figure is None:
                uncounted[content] = uncounted.get(content, 0) + size
                most += size
                continue
            used[content] = figure
            if figure.is_lower_bound:
                lower[content] = lower.get(content, 0) + size
            total += size / figure.bytes_per_token
            least += size / figure.most
            most += size if figure.is_lower_bound else size / figure.least
    return Estimate(math.ceil(total), least, most, n_bytes, lower, uncounted, tuple(used.values()))


def joint_band(estimates: Sequence[Estimate]) -> tuple[int, int]:
    """The band of several texts together, which is narrower than the sum of theirs: each varies by itself.

    Returns:
        From one token for all to one for each byte, at the widest.
    """
    n = sum(found.n for found in estimates)
    slack = _SLACK * math.sqrt(n)
    least = math.floor(sum(found.least for found in estimates) - slack)
    most = math.ceil(sum(found.most for found in estimates) + slack)
    return max(min(n, 1), least), min(sum(found.n_bytes for found in estimates), most)


@cache
def _rows() -> tuple[Figure, ...]:
    lines = [line for line in _TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(_figure(line.split("\t")) for line in lines[1:])


def _figure(cells: list[str]) -> Figure:
    generation, content, bytes_per_token, least, most, n, basis, date, source = cells
    return Figure(
        generation,
        content,
        float(bytes_per_token),
        float(least),
        float(most),
        int(n),
        basis == "lower-bound",
        date,
        source,
    )
