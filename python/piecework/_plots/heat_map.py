"""One figure of every language under every tokenizer: a field of colors with the figures in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots import lost
from piecework._plots.drawing import Drawing, Options
from piecework._plots.measures import measure_of
from piecework._plots.rows import Column, Row, distinct
from piecework._plots.theme import SEQUENTIAL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["MEASURE", "by_mean", "columns", "draw"]

MEASURE = "premium"
_ROW = 19
_COLUMN = 78


def columns(options: Options) -> list[Column]:
    """The columns of a row: one cell."""
    measure = options.measure or MEASURE
    return [
        Column("language", "text", "the language's name"),
        Column("tokenizer", "text", "the tokenizer's name"),
        Column(measure, "number", measure_of(measure).axis),
        lost.COLUMN,
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws the cells; the language with the least mean stands first, so that the field grows lighter downwards."""
    name = options.measure or MEASURE
    measure = measure_of(name)
    rows, is_lost = lost.without_none_lost(rows)
    languages, tokenizers = by_mean(rows, name), distinct(rows, "tokenizer")
    values = [float(row[name] or 0) for row in rows]
    # Where black and white are read equally well on this scale: below its middle.
    turn = min(values) + 0.44 * (max(values) - min(values))
    base = alt.Chart(alt.NamedData(name="cells")).encode(
        x=alt.X(
            "tokenizer:N", title=None, sort=tokenizers,
            axis=alt.Axis(orient="top", labelAngle=-30, labelAlign="left", ticks=False, domain=False),
        ),
        y=alt.Y("language:N", title=None, sort=languages, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("language:N", title="language"),
            alt.Tooltip("tokenizer:N", title="tokenizer"),
            alt.Tooltip(f"{name}:Q", title=measure.axis, format=measure.number_format),
        ],
    )  # fmt: skip
    cells = base.mark_rect(stroke="#ffffff", strokeWidth=1).encode(
        color=alt.Color(
            f"{name}:Q",
            title=measure.axis,
            legend=alt.Legend(
                orient="bottom", gradientLength=260, tickCount=5, titleLimit=400, format=measure.number_format
            ),
        ).scale(scheme=SEQUENTIAL)
    )
    # The scale runs from dark to light: figures are written in the other.
    written = lost.figures_of(alt, base.mark_text(fontSize=10), name, measure.number_format, is_lost=is_lost)
    figures = written.encode(
        color=alt.condition(f"datum[{name!r}] > {turn!r}", alt.value("#000000"), alt.value("#ffffff")),
    )
    chart = alt.layer(cells, figures).properties(
        width=_COLUMN * len(tokenizers), height=_ROW * len(languages)
    )
    subtitle = lost.subtitle_with(options.subtitle, is_lost=is_lost)
    return Drawing(chart, {"cells": rows}, f"{measure.title}, by language and tokenizer", subtitle)


def by_mean(rows: Sequence[Row], name: str) -> list[str]:
    """The languages of rows, the least mean first, those that are equal by name.

    Examples:
        >>> by_mean([{"language": "hi", "x": 4.0}, {"language": "en", "x": 1.0}], "x")
        ['en', 'hi']
    """
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(str(row["language"]), []).append(float(row[name] or 0))
    return sorted(found, key=lambda language: (sum(found[language]) / len(found[language]), language))
