"""Where the boxes and lines of a merge tree lie, in pixels: symbols in a row at the bottom, each merge in a row of its own.

A merge's box stands over what it joins; lines go straight up and then across, in the merge's own row, so that none
crosses a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._explain.glyphs import cell_width

if TYPE_CHECKING:
    from piecework._plots.rows import Row

__all__ = ["ROW", "Box", "Line", "Tree", "lay_out"]

ROW = 36
_HALF = 11
_CELL = 7.6
_PADDING = 14
_GAP = 8


@dataclass(frozen=True, slots=True)
class Box:
    """The place of one symbol or merge: its row from the bottom, its middle and its edges."""

    row: int
    middle: float
    left: float
    right: float

    @property
    def y(self) -> int:
        """The middle of its height, in pixels from the bottom."""
        return self.row * ROW + ROW // 2


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch from one point to another."""

    x: float
    y: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree that is laid out: a box for each row of the data, the lines, and the size of all."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    n_rows: int


def lay_out(nodes: Sequence[Row]) -> Tree:
    """Places the nodes of a tree.

    Args:
        nodes: Rows with `text`, `left` and `right`: symbols (without these two) in the order of the text, then merges in the
            order in which they fire, each of two nodes before it that stand side by side.

    Returns:
        The places.

    Raises:
        ValueError: A merge names a node that does not come before it, or that another merge has taken.

    Complexity: O(nodes).
    """
    boxes: list[Box] = []
    spans: list[tuple[float, float]] = []
    lines: list[Line] = []
    taken: set[int] = set()
    edge, n_merges = 0.0, 0
    for at, node in enumerate(nodes):
        needed = cell_width(str(node["text"])) * _CELL + _PADDING
        children: tuple[Box, Box] | None = None
        if node["left"] is None or node["right"] is None:
            span = (edge, edge + max(needed, 30.0))
            edge = span[1] + _GAP
            row = 0
        else:
            n_merges += 1
            row = n_merges
            left, right = _children(node, at, taken)
            span = (spans[left][0], spans[right][1])
            children = (boxes[left], boxes[right])
        middle = (span[0] + span[1]) / 2
        boxes.append(Box(row, middle, middle - needed / 2, middle + needed / 2))
        spans.append(span)
        if children:
            lines += _lines(*children, boxes[at])
    return Tree(tuple(boxes), tuple(lines), max(edge - _GAP, 30.0), n_merges + 1)


def _children(node: Row, at: int, taken: set[int]) -> tuple[int, int]:
    left, right = int(node["left"] or 0), int(node["right"] or 0)
    if not (left < at and right < at and left != right) or taken & {left, right}:
        raise ValueError(
            f"merge-tree: row {at} joins rows {left} and {right}, which are not both there to be joined"
        )
    taken |= {left, right}
    return left, right


def _lines(left: Box, right: Box, made: Box) -> list[Line]:
    up = [Line(child.middle, child.y + _HALF, child.middle, made.y) for child in (left, right)]
    return [*up, Line(left.middle, made.y, right.middle, made.y)]
