"""How distinct words grow with the text: Heaps' law, fitted on a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Growth", "fitted"]


@dataclass(frozen=True, slots=True)
class Growth:
    """Heaps' law: distinct words = k · words^b.

    Attributes:
        k: The factor.
        b: The exponent, from 0 to 1.
        n_words: Words of the sample that it was fitted on.
        n_distinct: Distinct words of the sample, which the law meets.
    """

    k: float
    b: float
    n_words: int
    n_distinct: int

    def n_distinct_at(self, n_words: float) -> int:
        """Distinct words of so many words."""
        return int(self.n_distinct * (n_words / self.n_words) ** self.b + 0.5)

    def n_words_at(self, n_distinct: float) -> float:
        """After how many words there are so many distinct ones; infinite where there are no more than in the sample."""
        more = n_distinct / self.n_distinct
        if not self.b:
            return math.inf if more > 1 else self.n_words * more
        return float(self.n_words * more ** (1 / self.b))

    def to_dict(self) -> dict[str, float | int]:
        """Returns the law and what it was fitted on."""
        return {"k": self.k, "b": self.b, "n_words": self.n_words, "n_distinct": self.n_distinct}


def fitted(points: Sequence[tuple[int, int]]) -> Growth:
    """Fits the exponent by least squares on logarithms; the line then goes through the last point, the whole sample.

    Source: Heaps, "Information Retrieval: Computational and Theoretical Aspects", 1978, section 7.5.

    Args:
        points: Words and distinct words of growing parts of a sample. Parts without a word are left out; the last has some.

    Examples:
        >>> growth = fitted([(100, 10), (400, 20), (1600, 40)])
        >>> growth.k, growth.b, growth.n_distinct_at(6400)
        (1.0, 0.5, 80)
    """
    n_words, n_distinct = points[-1]
    logs = [(math.log(n), math.log(distinct)) for n, distinct in points if n]
    x_mean = math.fsum(x for x, _ in logs) / len(logs)
    y_mean = math.fsum(y for _, y in logs) / len(logs)
    spread = math.fsum((x - x_mean) ** 2 for x, _ in logs)
    # Of one point nothing is known: every word may be a new one.
    slope = math.fsum((x - x_mean) * (y - y_mean) for x, y in logs) / spread if spread else 1.0
    b = min(1.0, max(0.0, round(slope, 6)))
    return Growth(round(n_distinct / n_words**b, 6), b, n_words, n_distinct)
