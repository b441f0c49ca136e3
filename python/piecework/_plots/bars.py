"""One figure of each kind of content under each tokenizer: bars side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots import lost
from piecework._plots.drawing import Drawing, Options, series_colors
from piecework._plots.measures import measure_of
from piecework._plots.rows import Column, Row, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["MEASURE", "columns", "draw"]

KIND = "bars"
MEASURE = "bytes_per_token"
_BAR = 13


def columns(options: Options) -> list[Column]:
    """The columns of a row: one bar."""
    measure = options.measure or MEASURE
    return [
        Column("content", "text", "what was read: Python, JSON, English"),
        Column("tokenizer", "text", "the tokenizer's name"),
        Column(measure, "number", measure_of(measure).axis),
        lost.COLUMN,
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws the bars lying, so that names stand upright; contents and tokenizers keep the order of the rows."""
    name = options.measure or MEASURE
    measure = measure_of(name)
    rows, is_lost = lost.without_none_lost(rows)
    contents, tokenizers = distinct(rows, "content"), distinct(rows, "tokenizer")
    colors = series_colors(tokenizers, kind=KIND, what="tokenizers")
    base = alt.Chart(alt.NamedData(name="bars")).encode(
        y=alt.Y("content:N", title=None, sort=contents, axis=alt.Axis(ticks=False)).scale(paddingInner=0.25),
        yOffset=alt.YOffset("tokenizer:N", sort=tokenizers),
        x=alt.X(f"{name}:Q", title=measure.axis).scale(zero=True),
        tooltip=[
            alt.Tooltip("content:N", title="content"),
            alt.Tooltip("tokenizer:N", title="tokenizer"),
            alt.Tooltip(f"{name}:Q", title=measure.axis, format=measure.number_format),
        ],
    )
    color = alt.Color("tokenizer:N", title=None, sort=tokenizers).scale(domain=tokenizers, range=colors)
    texts = base.mark_text(align="left", dx=3, fontSize=9)
    figures = lost.figures_of(alt, texts, name, measure.number_format, is_lost=is_lost)
    chart = alt.layer(base.mark_bar().encode(color=color), figures).properties(
        width=480, height=alt.Step(_BAR, **{"for": "offset"})
    )
    subtitle = lost.subtitle_with(options.subtitle, is_lost=is_lost)
    return Drawing(chart, {"bars": rows}, f"{measure.title} by content", subtitle)
