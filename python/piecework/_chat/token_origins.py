"""Tokens and their origins: a token is of the origin of its first byte; where it goes on into another, it is mixed."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from piecework._chat.engine import TEMPLATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._chat.engine import Origin, Run

__all__ = ["token_origins", "token_starts"]


def token_origins(
    runs: Sequence[Run], char_spans: Sequence[tuple[int, int]], starts: Sequence[int]
) -> tuple[tuple[Origin, ...], frozenset[int]]:
    """The origin of each token.

    Args:
        runs: The runs that tile the text.
        char_spans: Where each token stands, in characters.
        starts: Where each begins, as `token_starts` has it.

    Returns:
        The origins, one for each token, and the indices of those that hold characters of another origin too.

    Complexity: O(n_tokens + n_runs log n_tokens).
    """
    if not runs:
        return (TEMPLATE,) * len(char_spans), frozenset()
    origins: list[Origin] = []
    mixed: set[int] = set()
    for at, run in enumerate(runs):
        # Before the first run and after the last there is nothing, so that every token is of one.
        end = len(starts) if at == len(runs) - 1 else bisect_left(starts, run.stop)
        origins += [run.origin] * (end - len(origins))
        # Several tokens may share the character that goes on into the next run.
        token = end - 1
        while token >= 0 and char_spans[token][1] > run.stop and starts[token] >= run.start:
            mixed.add(token)
            token -= 1
    return tuple(origins), frozenset(mixed)


def token_starts(char_spans: Sequence[tuple[int, int]]) -> list[int]:
    """Where each token begins, in characters, never before the token in front of it, so that it can be searched."""
    starts = [start for start, _ in char_spans]
    return starts if starts == sorted(starts) else list(accumulate(starts, max))
