"""Where in a log the bills begin to follow from the counts in another way: a step in their ratio."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Drift", "find_drift"]

# A step counts where both sides have this many records, it is at least a hundredth, and no chance explains it.
_MIN_SIDE = 5
_MIN_STEP = 0.01
_MIN_SCORE = 6.0


class Drift(NamedTuple):
    """A step.

    Attributes:
        at: The place of the first record after it.
        before: The mean ratio of billed to counted tokens before it.
        after: That from it on.
    """

    at: int
    before: float
    after: float


def find_drift(ratios: Sequence[float]) -> Drift | None:
    """Finds the clearest step in a row of ratios.

    Args:
        ratios: Billed tokens for each counted one, in the order of time.

    Returns:
        The step; None where there is none.

    Examples:
        >>> find_drift([1.0] * 10 + [1.2] * 10).at, find_drift([1.0, 1.1] * 10)
        (10, None)

    Complexity: O(n).
    """
    n = len(ratios)
    total, total_squares = sum(ratios), sum(value * value for value in ratios)
    best: tuple[float, Drift] | None = None
    head = head_squares = 0.0
    for at in range(1, n):
        head += ratios[at - 1]
        head_squares += ratios[at - 1] ** 2
        if at < _MIN_SIDE or n - at < _MIN_SIDE:
            continue
        before, after = head / at, (total - head) / (n - at)
        inner = head_squares - at * before**2 + (total_squares - head_squares) - (n - at) * after**2
        spread = sqrt(max(0.0, inner) / (n - 2)) + 1e-9
        score = abs(after - before) / (spread * sqrt(1 / at + 1 / (n - at)))
        if (
            before > 0
            and abs(after / before - 1) >= _MIN_STEP
            and score >= _MIN_SCORE
            and (best is None or score > best[0])
        ):
            best = score, Drift(at, before, after)
    return None if best is None else best[1]
