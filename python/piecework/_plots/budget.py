"""What fills a window: a bar for each plan, its parts one after the other, and what is left or over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._plots.drawing import Drawing, Options, series_colors
from piecework._plots.rows import Column, Row, distinct
from piecework._plots.theme import INK, LEFT_COLOR, OVER_COLOR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["columns", "draw"]

KIND = "budget"
_BAR = 44


def columns(options: Options) -> list[Column]:
    """The columns of a row: one part of one plan."""
    del options
    return [
        Column(
            "plan", "text", "which bar the part belongs to; without it there is one bar", is_required=False
        ),
        Column("part", "text", "what the tokens are for: system, tools, history, evidence, answer"),
        Column("n_tokens", "whole", "tokens"),
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws the parts in the order of the rows; beyond the window nothing is sent, so the end of each bar says by how much."""
    data: list[Row] = [{**row, "plan": row["plan"] or ""} for row in rows]
    parts, plans = distinct(data, "part"), distinct(data, "plan")
    colors = series_colors(parts, kind=KIND, what="parts")
    totals = {plan: sum(int(row["n_tokens"] or 0) for row in data if row["plan"] == plan) for plan in plans}
    segments = [{**row, "order": parts.index(str(row["part"]))} for row in data]
    ends = [_end(plan, total, options.window) for plan, total in totals.items()]
    widest = max([*totals.values(), options.window or 0])
    y = alt.Y("plan:N", title=None, sort=plans, axis=alt.Axis(ticks=False, domain=False))
    bars = (
        alt.Chart(alt.NamedData(name="parts"))
        .mark_bar(stroke="#ffffff", strokeWidth=1, height=22)
        .encode(
            y=y,
            x=alt.X("n_tokens:Q", title="tokens", axis=alt.Axis(format=",d")).stack("zero"),
            color=alt.Color(
                "part:N", title=None, sort=parts, legend=alt.Legend(orient="bottom", columns=6)
            ).scale(domain=parts, range=colors),
            order=alt.Order("order:Q", sort="ascending"),
            tooltip=[
                *([alt.Tooltip("plan:N", title="plan")] if len(plans) > 1 else []),
                alt.Tooltip("part:N", title="part"),
                alt.Tooltip("n_tokens:Q", title="tokens", format=",d"),
            ],
        )
    )
    at_end = alt.Chart(alt.NamedData(name="ends")).encode(y=y)
    words = at_end.mark_text(align="left", dx=6, fontSize=11).encode(
        x=alt.X("end:Q").scale(domain=[0, widest], nice=False),
        text="label:N",
        color=alt.condition("datum.over > 0", alt.value(OVER_COLOR), alt.value(INK)),
    )
    layers, datasets = [bars, words], {"parts": segments, "ends": ends}
    if options.window is not None:
        left = at_end.mark_bar(color=LEFT_COLOR, height=22).encode(x="total:Q", x2="filled:Q")
        rule = alt.Chart(alt.NamedData(name="window")).encode(x="window:Q")
        layers = [bars, left, words, rule.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5)]
        name = rule.mark_text(align="right", dx=-2, dy=-6, baseline="bottom", fontSize=11, color=INK)
        layers.append(name.encode(text="label:N", y=alt.value(0)))
        datasets["window"] = [{"window": options.window, "label": f"window: {options.window:,}"}]
    chart = alt.layer(*layers).properties(width=520, height=_BAR * len(plans))
    return Drawing(chart, datasets, "What fills the window", options.subtitle)


def _end(plan: str, total: int, window: int | None) -> Row:
    """What stands at the end of a bar."""
    end = total if window is None else max(total, window)
    over = 0 if window is None else max(0, total - window)
    label = f"{total:,}" if window is None else f"{over:,} over" if over else f"{window - total:,} left"
    return {"plan": plan, "total": total, "filled": end, "end": end, "over": over, "label": label}
