"""How far figures would move on other rows of the same kind: the paired bootstrap, with percentile intervals.

Rows are drawn with replacement, the same rows for every language and tokenizer of one resample: differences between
them are not blurred by which sentences happened to be drawn (Efron & Tibshirani 1993, chapters 8 and 13).
"""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

__all__ = ["CONFIDENCE", "Interval", "interval", "percentile", "resampled_sums"]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure, and how far it may lie from what other rows would give.

    Attributes:
        value: The figure.
        low: The lower end of the 95 % interval; None where there are too few rows for one.
        high: Its upper end.
    """

    value: float
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Returns value, low and high."""
        return {"value": self.value, "low": self.low, "high": self.high}


def resampled_sums(columns: Sequence[Sequence[int]], *, n_resamples: int, seed: int) -> list[list[int]]:
    """Sums columns over rows drawn with replacement.

    Args:
        columns: Counts, one for each row; all columns have equally many.
        n_resamples: How often rows are drawn.
        seed: What the generator starts from; the same one draws the same rows.

    Returns:
        For each column its `n_resamples` sums; empty lists where there are fewer than two rows, or none are drawn.

    Examples:
        >>> resampled_sums([[1, 1, 1], [5, 5, 5]], n_resamples=2, seed=0)
        [[3, 3], [15, 15]]

    Complexity: O(columns x rows x n_resamples).
    """
    n_rows = len(columns[0]) if columns else 0
    if n_rows < 2 or not n_resamples:
        return [[] for _ in columns]
    # Columns that are equal (the reference's, beside each language) are added once.
    places: dict[tuple[int, ...], int] = {}
    at = [places.setdefault(tuple(column), len(places)) for column in columns]
    packed, code = _packed_rows(list(places), n_rows)
    generator = random.Random(seed)  # noqa: S311 - statistics, not secrets
    drawn = [
        _unpacked(sum(itemgetter(*generator.choices(range(n_rows), k=n_rows))(packed)), len(places), code)
        for _ in range(n_resamples)
    ]
    sums = list(zip(*drawn, strict=True))
    return [list(sums[place]) for place in at]


def _packed_rows(columns: Sequence[Sequence[int]], n_rows: int) -> tuple[list[int], str]:
    """Each row as one large integer with a field for each column, wide enough for any sum of so many rows.

    One addition of two of them adds all columns at once, in C: with 780 columns of 1,000 rows that took a twelfth of the
    time that a sum for each column took, and gives the same to the last digit.
    """
    most = max(map(max, columns))
    # Counts of texts that fit into memory fit into eight bytes.
    code = "I" if most * n_rows < 1 << 32 and array("I").itemsize == 4 else "Q"
    return [
        int.from_bytes(array(code, row).tobytes(), sys.byteorder) for row in zip(*columns, strict=True)
    ], code


def _unpacked(total: int, n_columns: int, code: str) -> array[int]:
    fields = array(code)
    fields.frombytes(total.to_bytes(n_columns * fields.itemsize, sys.byteorder))
    return fields


def interval(
    numerator: int, denominator: int, resampled: Sequence[int], resampled_denominator: Sequence[int]
) -> Interval | None:
    """The ratio of two sums with its percentile interval.

    Args:
        numerator: The sum above.
        denominator: The sum below.
        resampled: The resampled sums above, in the order of the resamples.
        resampled_denominator: Those below, of the same resamples.

    Returns:
        The ratio; None where the denominator is 0. Resamples whose denominator is 0 have no ratio and are left out.
    """
    if not denominator:
        return None
    pairs = zip(resampled, resampled_denominator, strict=True)
    ratios = sorted(above / below for above, below in pairs if below)
    if not ratios:
        return Interval(numerator / denominator)
    tail = (1 - CONFIDENCE) / 2
    return Interval(numerator / denominator, percentile(ratios, tail), percentile(ratios, 1 - tail))


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, linear between neighbors (type 7 of Hyndman & Fan 1996).

    Examples:
        >>> percentile([1.0, 2.0, 3.0, 4.0], 0.5), percentile([1.0, 2.0], 0.25)
        (2.5, 1.25)
    """
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
