"""Places that are taken already, so that one thing is reported once."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Spans"]


class Spans:
    """Half-open spans, in any order.

    Examples:
        >>> Spans([(6, 8), (0, 4)]).touch((3, 5)), Spans([(6, 8), (0, 4)]).touch((4, 6))
        (True, False)

    Complexity: O(n log n) to make, O(log n) to ask.
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            self._starts.append(start)
            # The furthest end so far: spans may overlap.
            self._ends.append(max(end, self._ends[-1]) if self._ends else end)

    def touch(self, span: tuple[int, int]) -> bool:
        """Whether a span shares something with one of these."""
        at = bisect_right(self._starts, span[0])
        if at and self._ends[at - 1] > span[0]:
            return True
        return at < len(self._starts) and self._starts[at] < span[1]
