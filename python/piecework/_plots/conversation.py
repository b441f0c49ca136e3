"""How a conversation grows: what each turn sends, part by part, up to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots.drawing import Drawing, Options, series_colors
from piecework._plots.rows import Column, Row, distinct
from piecework._plots.theme import INK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["columns", "draw"]

KIND = "conversation"
_MAX_TICKS = 20


def columns(options: Options) -> list[Column]:
    """The columns of a row: one part of one turn."""
    del options
    return [
        Column("turn", "whole", "the turn's number, from 1"),
        Column("part", "text", "what the tokens are: system, history, question, answer"),
        Column("n_tokens", "whole", "tokens"),
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws a bar for each turn, the parts one above the other in the order of the rows, and the window as a line."""
    parts = distinct(rows, "part")
    colors = series_colors(parts, kind=KIND, what="parts")
    turns = sorted({int(row["turn"] or 0) for row in rows})
    data = [{**row, "order": parts.index(str(row["part"]))} for row in rows]
    bars = (
        alt.Chart(alt.NamedData(name="parts"))
        .mark_bar(stroke="#ffffff", strokeWidth=0.6)
        .encode(
            x=alt.X(
                "turn:O", title="turn", sort=turns,
                axis=alt.Axis(labelAngle=0, values=turns[:: 1 + (len(turns) - 1) // _MAX_TICKS], ticks=False),
            ),
            y=alt.Y("n_tokens:Q", title="tokens in the turn", axis=alt.Axis(format=",d")).stack("zero"),
            color=alt.Color("part:N", title=None, sort=parts[::-1]).scale(domain=parts, range=colors),
            order=alt.Order("order:Q", sort="ascending"),
            tooltip=[
                alt.Tooltip("turn:O", title="turn"),
                alt.Tooltip("part:N", title="part"),
                alt.Tooltip("n_tokens:Q", title="tokens", format=",d"),
            ],
        )
    )  # fmt: skip
    layers, datasets = [bars], {"parts": data}
    if options.window is not None:
        datasets["window"] = [{"window": options.window, "label": f"window: {options.window:,} tokens"}]
        line = alt.Chart(alt.NamedData(name="window")).encode(y="window:Q")
        layers.append(line.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5))
        text = line.mark_text(align="left", baseline="bottom", dx=4, dy=-3, fontSize=11, color=INK)
        layers.append(text.encode(text="label:N", x=alt.value(0)))
    chart = alt.layer(*layers).properties(width=max(320, min(560, 60 * len(turns))), height=300)
    return Drawing(chart, datasets, "How the conversation grows", options.subtitle)
