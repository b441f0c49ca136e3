"""The star of figures whose text is lost to unknown tokens: a picture without it would show them as the best of all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework._plots.rows import Column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from piecework._plots.rows import Row

__all__ = ["COLUMN", "NOTE", "figures_of", "stars", "subtitle_with", "without_none_lost"]

_NAME = "n_unknown"
COLUMN = Column(
    _NAME, "whole", "unknown tokens: where there are any, the figure has a star", is_required=False
)
NOTE = "* text is lost to unknown tokens: few tokens say little there"


def without_none_lost(rows: Sequence[Row]) -> tuple[list[Row], bool]:
    """The rows, and whether any of them has unknown tokens; where none has, without the column.

    Examples:
        >>> without_none_lost([{"premium": 1.0, "n_unknown": None}])
        ([{'premium': 1.0}], False)
    """
    if any(row[_NAME] for row in rows):
        return [{**row, _NAME: row[_NAME] or 0} for row in rows], True
    return [{name: value for name, value in row.items() if name != _NAME} for row in rows], False


def subtitle_with(subtitle: str | None, *, is_lost: bool) -> str | None:
    """The line under the title, with what the star means.

    Examples:
        >>> subtitle_with("demonstration", is_lost=False)
        'demonstration'
    """
    return ". ".join(part for part in (subtitle, NOTE) if part) if is_lost else subtitle


def figures_of(alt: ModuleType, base: Any, name: str, number_format: str, *, is_lost: bool) -> Any:  # noqa: ANN401 - Altair's
    """A chart whose text is the figures of a column, with their stars.

    Args:
        alt: Altair.
        base: The chart with places.
        name: The column.
        number_format: How its figures are written.
        is_lost: Whether any has a star.
    """
    if not is_lost:
        return base.encode(text=alt.Text(f"{name}:Q", format=number_format))
    figure = f"format(datum[{json.dumps(name)}], {json.dumps(number_format)})"
    starred = base.transform_calculate(figure=f"{figure} + (datum.{_NAME} > 0 ? '*' : '')")
    return starred.encode(text=alt.Text("figure:N"))


def stars(base: Any, *, dx: int) -> Any:  # noqa: ANN401 - Altair's
    """A star beside each place whose text is lost."""
    return base.transform_filter(f"datum.{_NAME} > 0").mark_text(text="*", dx=dx, fontSize=13)
