"""How many bytes a token holds as the vocabulary grows: a line for each tokenizer or text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots.drawing import Drawing, Options, series_encodings
from piecework._plots.measures import measure_of
from piecework._plots.rows import Column, Row, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["MEASURE", "columns", "draw"]

KIND = "compression-curve"
MEASURE = "bytes_per_token"
_LABEL = "datum.value < 1024 ? format(datum.value, 'd') : format(datum.value / 1024, ',d') + 'k'"


def columns(options: Options) -> list[Column]:
    """The columns of a row: one point of one line."""
    measure = options.measure or MEASURE
    return [
        Column("series", "text", "which line: a tokenizer, a text, a language"),
        Column("vocab_size", "whole", "tokens in the vocabulary"),
        Column(measure, "number", measure_of(measure).axis),
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws the lines; the vocabulary grows by factors, so its axis is logarithmic."""
    name = options.measure or MEASURE
    measure = measure_of(name)
    series = distinct(rows, "series")
    looks = series_encodings(alt, "series", series, kind=KIND, what="lines")
    sizes = [float(row["vocab_size"] or 0) for row in rows]
    if min(sizes) <= 0:
        raise ValueError(f"{KIND}: a vocabulary of no tokens has no place on a logarithmic axis")
    wide = alt.Axis(values=_ticks(min(sizes), max(sizes)), labelExpr=_LABEL, labelFlush=False)
    chart = (
        alt.Chart(alt.NamedData(name="points"))
        .mark_line(point=alt.OverlayMarkDef(size=46, filled=True), strokeWidth=2)
        .encode(
            x=alt.X("vocab_size:Q", title="vocabulary (tokens, logarithmic; k = 1,024)", axis=wide).scale(
                type="log", nice=False, padding=12
            ),
            y=alt.Y(f"{name}:Q", title=measure.axis).scale(zero=True),
            **looks,
            tooltip=[
                alt.Tooltip("series:N", title="line"),
                alt.Tooltip("vocab_size:Q", title="vocabulary (tokens)", format=",d"),
                alt.Tooltip(f"{name}:Q", title=measure.axis, format=measure.number_format),
            ],
        )
        .properties(width=520, height=300)
    )
    return Drawing(chart, {"points": rows}, f"{measure.title} as the vocabulary grows", options.subtitle)


def _ticks(least: float, most: float) -> list[int]:
    """Powers of two, four times apart where there are many: 256, 1k, 4k ... as vocabularies are named."""
    powers = [2**power for power in range(33) if least / 2 < 2**power < most * 2]
    return powers[:: 1 + (len(powers) - 1) // 12]
