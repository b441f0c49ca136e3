"""Tokens and their origins: a token is of the origin of its first byte; where it goes on into another, it is mixed."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from piecework._chat.engine import TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._chat.engine import Origin, Run

__all__ = ["token_origins"]


def token_origins(
    runs: Sequence[Run], char_spans: Sequence[tuple[int, int]]
) -> tuple[tuple[Origin, ...], frozenset[int]]:
    """The origin of each token.

    Args:
        runs: The runs that tile the text.
        char_spans: Where each token stands, in characters.

    Returns:
        The origins, one for each token, and the indices of those that hold characters of another origin too.

    Complexity: O(n_tokens log n_runs).
    """
    starts = [run.start for run in runs]
    origins: list[Origin] = []
    mixed: set[int] = set()
    for at, (start, stop) in enumerate(char_spans):
        if not runs:
            origins.append(TEMPLATE)
            continue
        first = max(bisect_right(starts, start) - 1, 0)
        origins.append(runs[first].origin)
        if stop > runs[first].stop:
            last = bisect_right(starts, stop - 1) - 1
            if any(run.origin != runs[first].origin for run in runs[first + 1 : last + 1]):
                mixed.add(at)
    return tuple(origins), frozenset(mixed)
