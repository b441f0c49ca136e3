"""Rows of text as aligned columns, the same on a terminal and in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import cell_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["columns"]


def columns(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Aligns rows.

    Args:
        rows: Rows of equal length.
        right: The columns whose cells stand at the right edge, as numbers do.

    Returns:
        One line for each row, two spaces between columns, no trailing spaces.

    Examples:
        >>> columns([["cat", "12"], ["猫", "7"]], right=frozenset({1}))
        ['cat  12', '猫    7']
    """
    # Row by row: a text of 20 MB has millions, which `zip(*rows)` would take in one breath.
    widths = [0] * (len(rows[0]) if rows else 0)
    for row in rows:
        widths = [max(width, cell_width(cell)) for width, cell in zip(widths, row, strict=True)]
    return [
        "  ".join(_cell(cell, widths[at], at_right=at in right) for at, cell in enumerate(row)).rstrip()
        for row in rows
    ]


def _cell(cell: str, width: int, *, at_right: bool) -> str:
    space = " " * (width - cell_width(cell))
    return space + cell if at_right else cell + space
