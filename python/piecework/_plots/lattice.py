"""The ways through a pretoken that Unigram weighs: every piece that fits, the best path, and the one that came second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import cell_width
from piecework._plots.drawing import Drawing, Options
from piecework._plots.lane_layout import lanes
from piecework._plots.rows import Column, Row
from piecework._plots.theme import GRAY, INK, OKABE_ITO

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["columns", "draw"]

KIND = "lattice"
_LANE = 34
_MARGIN = 96
# What one picture can show; the edges that are left out are those of the lowest scores.
_MAX_EDGES = 90
_MAX_BYTES = 160
_FILLS = {"best path": OKABE_ITO[0], "runner-up": OKABE_ITO[1], "other": "#ececec"}
_SCORE_CELLS = 5


def columns(options: Options) -> list[Column]:
    """The columns of a row: one edge, a piece of the vocabulary that fits into the text."""
    del options
    return [
        Column("start", "whole", "where the piece begins, in bytes of the pretoken"),
        Column("end", "whole", "where it ends"),
        Column("text", "text", "the piece"),
        Column("score", "number", "its score, the logarithm of its probability"),
        Column("id", "whole", "the token's id", is_required=False),
        Column("is_best", "flag", "whether it lies on the best path"),
        Column("is_runner_up", "flag", "whether it lies on the second best", is_required=False),
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws an edge as a box from its start to its end, the paths in lanes of their own."""
    n_bytes = max(int(row["end"] or 0) for row in rows)
    if n_bytes > _MAX_BYTES:
        raise ValueError(
            f"{KIND}: a pretoken of {n_bytes} bytes cannot be read; at most {_MAX_BYTES} are drawn"
        )
    kept = _kept(rows)
    unit = _unit(kept)
    placed = lanes(kept)
    n_lanes = 1 + max(lane for lane, _ in placed)
    edges = [_edge(row, lane, unit) for lane, row in placed]
    width, height = _MARGIN + n_bytes * unit, n_lanes * _LANE + 18
    ticks: list[Row] = [
        {"x": _MARGIN + at * unit, "top": 0, "bottom": n_lanes * _LANE, "at": at} for at in _cuts(kept)
    ]
    chart = alt.layer(*_layers(alt, width, height)).properties(width=width, height=height)
    text = "".join(str(row["text"]) for row in rows if row["is_best"])
    left_out = len(rows) - len(kept)
    subtitle = (
        "Each box is a piece that fits, with its score (log-probability); the path of the highest sum wins"
    )
    if left_out:
        subtitle += f"; {left_out} of {len(rows)} edges are left out, those of the lowest scores"
    labels: list[Row] = [
        *_labels(kept),
        {"x": 0, "y": n_lanes * _LANE + 3, "label": "", "sum": "position (bytes)"},
    ]
    datasets = {"edges": edges, "ticks": ticks, "labels": labels}
    return Drawing(chart, datasets, f"The lattice of {text}", options.subtitle or subtitle)


def _kept(rows: Sequence[Row]) -> list[Row]:
    ranked = sorted(
        range(len(rows)),
        key=lambda at: (
            not (rows[at]["is_best"] or rows[at]["is_runner_up"]),
            -float(rows[at]["score"] or 0),
            at,
        ),
    )
    return [rows[at] for at in sorted(ranked[:_MAX_EDGES])]


def _unit(edges: Sequence[Row]) -> float:
    """How many pixels a byte takes: enough for the text of every piece and its score, within bounds."""
    needed = max(
        (max(cell_width(str(edge["text"])), _SCORE_CELLS) * 7.4 + 8)
        / max(1, int(edge["end"] or 0) - int(edge["start"] or 0))
        for edge in edges
    )
    return round(min(max(needed, 12.0), 46.0), 1)


def _cuts(edges: Sequence[Row]) -> list[int]:
    return sorted({int(edge[end] or 0) for edge in edges for end in ("start", "end")})


def _edge(row: Row, lane: int, unit: float) -> Row:
    path = (
        ("best path" if lane == 0 else "runner-up")
        if lane < 2 and (row["is_best"] or row["is_runner_up"])
        else "other"
    )
    start, end = int(row["start"] or 0), int(row["end"] or 0)
    top = lane * _LANE + 3
    x1, x2 = _MARGIN + start * unit + 1.5, _MARGIN + end * unit - 1.5
    return {
        **row, "path": path, "fill": _FILLS[path], "x1": x1, "x2": x2, "y1": top, "y2": top + _LANE - 6,
        "x": (x1 + x2) / 2, "y": top + (_LANE - 6) / 2, "is_dark": path == "best path",
    }  # fmt: skip


def _labels(edges: Sequence[Row]) -> list[Row]:
    found: list[Row] = []
    for lane, (flag, name) in enumerate((("is_best", "best path"), ("is_runner_up", "runner-up"))):
        scores = [float(edge["score"] or 0) for edge in edges if edge[flag]]
        if scores:
            found.append(
                {
                    "x": 0,
                    "y": lane * _LANE + _LANE / 2,
                    "label": name,
                    "sum": f"sum {sum(scores):.2f}".replace("-", "−"),
                }
            )
    if found and any(not edge["is_best"] and not edge["is_runner_up"] for edge in edges):
        found.append({"x": 0, "y": len(found) * _LANE + _LANE / 2, "label": "other pieces", "sum": ""})
    return found


def _layers(alt: ModuleType, width: float, height: float) -> list[object]:
    x = {"type": "quantitative", "axis": None, "scale": alt.Scale(domain=[0, width], nice=False)}
    y = {"type": "quantitative", "axis": None, "scale": alt.Scale(domain=[height, 0], nice=False)}
    edges = alt.Chart(alt.NamedData(name="edges"))
    centers = {"x": alt.X("x", **x), "y": alt.Y("y", **y)}
    tooltip = [
        alt.Tooltip("text:N", title="piece"),
        alt.Tooltip("id:Q", title="id", format="d"),
        alt.Tooltip("score:Q", title="score", format=".4f"),
        alt.Tooltip("path:N", title="lies on"),
        alt.Tooltip("start:Q", title="from byte", format="d"),
        alt.Tooltip("end:Q", title="to byte", format="d"),
    ]
    ink = alt.condition("datum.is_dark", alt.value("#ffffff"), alt.value(INK))
    labels = alt.Chart(alt.NamedData(name="labels")).encode(**centers)
    ticks = alt.Chart(alt.NamedData(name="ticks"))
    return [
        ticks.mark_rule(color="#dddddd").encode(x=alt.X("x", **x), y=alt.Y("top", **y), y2="bottom"),
        edges.mark_rect(stroke=GRAY, strokeWidth=0.7, cornerRadius=4).encode(
            x=alt.X("x1", **x), x2="x2", y=alt.Y("y1", **y), y2="y2",
            color=alt.Color("fill:N", scale=None), tooltip=tooltip,
        ),
        edges.mark_text(fontSize=12, dy=-5).encode(**centers, text="text:N", color=ink, tooltip=tooltip),
        edges.mark_text(fontSize=9, dy=8).encode(
            **centers, text=alt.Text("score:Q", format=".2f"), color=ink, tooltip=tooltip
        ),
        labels.mark_text(align="left", fontSize=11, dy=-5, color=INK).encode(text="label:N"),
        labels.mark_text(align="left", fontSize=10, dy=8, color=GRAY).encode(text="sum:N"),
        ticks.mark_text(fontSize=10, dy=6, baseline="top", color=GRAY).encode(
            x=alt.X("x", **x), y=alt.Y("bottom", **y), text="at:N"
        ),
    ]  # fmt: skip
