"""Which lane each edge of a lattice lies in: the best path in the first, the runner-up in the next, the rest below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._plots.rows import Row

__all__ = ["lanes"]


def lanes(edges: Sequence[Row]) -> list[tuple[int, Row]]:
    """Places the edges of a lattice so that none lies on another.

    Args:
        edges: Rows with `start`, `end`, `is_best` and `is_runner_up`.

    Returns:
        Lane and edge. An edge of both paths comes twice, so that each path can be read alone in its lane: 0 the best, 1 the
        runner-up where there is one.

    Examples:
        >>> a = {"start": 0, "end": 2, "is_best": True, "is_runner_up": False}
        >>> b = {"start": 0, "end": 1, "is_best": False, "is_runner_up": True}
        >>> c = {"start": 1, "end": 2, "is_best": False, "is_runner_up": True}
        >>> d = {"start": 0, "end": 1, "is_best": False, "is_runner_up": False}
        >>> [lane for lane, _ in lanes([a, b, c, d])]
        [0, 1, 1, 2]

    Complexity: O(edges × lanes).
    """
    best = [(0, edge) for edge in edges if edge["is_best"]]
    second = [(1, edge) for edge in edges if edge["is_runner_up"]]
    first_free = 2 if second else 1
    rest = [edge for edge in edges if not edge["is_best"] and not edge["is_runner_up"]]
    ends: list[int] = []
    placed: list[tuple[int, Row]] = []
    # The longest first among those that begin together: a lane then reads as a way through the text.
    for edge in sorted(rest, key=lambda edge: (int(edge["start"] or 0), -int(edge["end"] or 0))):
        start, end = int(edge["start"] or 0), int(edge["end"] or 0)
        lane = next((at for at, taken in enumerate(ends) if taken <= start), len(ends))
        ends[lane : lane + 1] = [end]
        placed.append((first_free + lane, edge))
    return [*best, *second, *placed]
