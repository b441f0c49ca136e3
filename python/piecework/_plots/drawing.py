"""What a kind of chart is given and what it gives back, and how that becomes a Chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework._plots.chart import Chart
from piecework._plots.theme import CONFIG, MAX_SERIES, OKABE_ITO, USER_META

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from piecework._plots.rows import Row

__all__ = ["Drawing", "Options", "finish", "series_colors", "series_encodings"]

_SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """What may be asked of a chart beside its data; each kind takes some.

    Attributes:
        measure: The column that is drawn, in kinds that draw one of many.
        reference: The name of the language that others are compared with.
        window: The most tokens that the model reads at once.
        subtitle: What stands under the title; None for the kind's own words.
    """

    measure: str | None = None
    reference: str | None = None
    window: int | None = None
    subtitle: str | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A definition whose data stand beside it, under names: definitions are then the same whatever Altair is set to.

    Attributes:
        chart: The Altair chart, without data of its own.
        datasets: The rows, by the names that the chart calls them.
        title: What the picture says.
        subtitle: How it is to be read; None for no such line.
    """

    chart: Any
    datasets: Mapping[str, Sequence[Row]]
    title: str
    subtitle: str | None = None


def finish(drawing: Drawing, *, kind: str, title: str | None) -> Chart:
    """Makes a drawing whole: title, looks, data."""
    shown = drawing.title if title is None else title
    made: dict[str, Any] = drawing.chart.to_dict()
    heading: dict[str, Any] = {"text": shown}
    if drawing.subtitle:
        heading["subtitle"] = drawing.subtitle
    description = ". ".join(part for part in (shown, drawing.subtitle) if part)
    # Altair writes the caller's theme into `config`; ours replaces it, so that pictures are the same everywhere.
    for key in ("config", "datasets"):
        made.pop(key, None)
    definition = {
        "$schema": made.pop("$schema"),
        "title": heading,
        "description": description,
        **made,
        "datasets": {name: [dict(row) for row in rows] for name, rows in drawing.datasets.items()},
        "config": CONFIG,
        "usermeta": USER_META,
    }
    return Chart(kind=kind, title=shown, definition=definition)


def series_colors(names: Sequence[str], *, kind: str, what: str) -> list[str]:
    """A color for each name.

    Raises:
        ValueError: There are more than people tell apart.

    Examples:
        >>> series_colors(["qwen3", "gpt-4o"], kind="bars", what="tokenizers")
        ['#0072B2', '#E69F00']
    """
    if len(names) > MAX_SERIES:
        raise ValueError(
            f"{kind} tells at most {MAX_SERIES} {what} apart by color, not {len(names)}; draw fewer, or a heat-map"
        )
    return list(OKABE_ITO[: len(names)])


def series_encodings(
    alt: ModuleType, column: str, names: Sequence[str], *, kind: str, what: str
) -> dict[str, Any]:
    """Color and shape by one column, in one legend, for lines and points: shapes tell apart what is printed in gray.

    Raises:
        ValueError: There are more than people tell apart.
    """
    colors = series_colors(names, kind=kind, what=what)
    shapes = list(_SHAPES[: len(names)])
    shared: dict[str, Any] = {"title": None, "sort": list(names)}
    return {
        "color": alt.Color(f"{column}:N", **shared).scale(domain=list(names), range=colors),
        "shape": alt.Shape(f"{column}:N", **shared).scale(domain=list(names), range=shapes),
    }
