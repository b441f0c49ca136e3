"""What each language pays for the same meaning, with the intervals that say how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots import lost
from piecework._plots.drawing import Drawing, Options, series_encodings
from piecework._plots.heat_map import by_mean
from piecework._plots.rows import Column, Row, distinct
from piecework._plots.theme import GRAY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["columns", "draw"]

KIND = "premium"
_LANE = 9


def columns(options: Options) -> list[Column]:
    """The columns of a row: one point with its interval."""
    del options
    return [
        Column("language", "text", "the language's name"),
        Column("tokenizer", "text", "the tokenizer's name"),
        Column("premium", "number", "tokens relative to the reference language, the same meaning"),
        Column("low", "number", "the lower end of the interval", is_required=False),
        Column("high", "number", "the upper end of the interval", is_required=False),
        lost.COLUMN,
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws a point for each figure, a line for its interval, and the reference at 1."""
    rows, is_lost = lost.without_none_lost(rows)
    languages, tokenizers = by_mean(rows, "premium"), distinct(rows, "tokenizer")
    looks = series_encodings(alt, "tokenizer", tokenizers, kind=KIND, what="tokenizers")
    reference = options.reference or "the reference language"
    base = alt.Chart(alt.NamedData(name="points")).encode(
        y=alt.Y("language:N", title=None, sort=languages, axis=alt.Axis(ticks=False))
        .scale(paddingInner=0.4, paddingOuter=0.2),
        yOffset=alt.YOffset("tokenizer:N", sort=tokenizers),
        color=looks["color"],
        tooltip=[
            alt.Tooltip("language:N", title="language"),
            alt.Tooltip("tokenizer:N", title="tokenizer"),
            alt.Tooltip("premium:Q", title="premium (times)", format=".2f"),
            alt.Tooltip("low:Q", title="interval from", format=".2f"),
            alt.Tooltip("high:Q", title="to", format=".2f"),
        ],
    )  # fmt: skip
    axis = f"tokens relative to {reference}, the same meaning (times)"
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=axis).scale(zero=False, nice=True), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=42, opacity=1).encode(x="premium:Q", shape=looks["shape"])
    one = alt.Chart(alt.NamedData(name="one")).mark_rule(color=GRAY, strokeDash=[4, 3]).encode(x="at:Q")
    marked = [lost.stars(base.encode(x="premium:Q"), dx=8)] if is_lost else []
    chart = alt.layer(one, intervals, points, *marked).properties(
        width=520, height=alt.Step(_LANE, **{"for": "offset"})
    )
    return Drawing(
        chart,
        {"points": rows, "one": [{"at": 1}]},
        "What each language pays for the same meaning",
        lost.subtitle_with(options.subtitle, is_lost=is_lost),
    )
