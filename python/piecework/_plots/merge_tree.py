"""How a pretoken's symbols became tokens: the merges of BPE as a tree, the first at the bottom."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible
from piecework._plots.drawing import Drawing, Options
from piecework._plots.rows import Column, Row
from piecework._plots.theme import GRAY, INK, OKABE_ITO
from piecework._plots.tree_layout import ROW, lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["columns", "draw"]

KIND = "merge-tree"
_MAX_SYMBOLS = 120
# A symbol that is one byte of a character, as it is shown. A backslash of the text is a symbol of its own.
_BYTE = re.compile(r"\\x[0-9a-f]{2}")
_MARGIN = 96
_NOTES_MARGIN = 200
_BLUE = OKABE_ITO[0]
_FILLS = {"symbol": "#f0f0f0", "merge": "#cfe3f2", "token": _BLUE}


def columns(options: Options) -> list[Column]:
    """The columns of a row: a symbol of the text, or a merge of two rows before it."""
    del options
    return [
        Column("text", "text", "what the symbol or the product of the merge is"),
        Column(
            "left", "whole", "the number of the row that is joined on the left, from 0", is_required=False
        ),
        Column("right", "whole", "the number of the row that is joined on the right", is_required=False),
        Column("rank", "whole", "the merge's rank", is_required=False),
        Column("id", "whole", "the token's id", is_required=False),
        Column("is_token", "flag", "whether it is one of the tokens that came out", is_required=False),
        Column("note", "text", "what stands under the rank: the merge that lost", is_required=False),
    ]


def draw(alt: ModuleType, rows: Sequence[Row], options: Options) -> Drawing:
    """Draws a box for each symbol and merge; the text of each row of merges is its axis."""
    n_symbols = sum(row["left"] is None for row in rows)
    if n_symbols > _MAX_SYMBOLS:
        raise ValueError(
            f"{KIND}: a tree of {n_symbols} symbols cannot be read; at most {_MAX_SYMBOLS} are drawn"
        )
    tree = lay_out(rows)
    margin = _NOTES_MARGIN if any(row["note"] for row in rows) else _MARGIN
    nodes: list[Row] = [
        {
            **row, "state": _state(row), "fill": _FILLS[_state(row)], "row": box.row, "x": margin + box.middle, "y": box.y,
            "x1": margin + box.left, "x2": margin + box.right, "y1": box.y - 11, "y2": box.y + 11,
            "above": f"id {row['id']}" if row["is_token"] and row["id"] is not None else "",
        }
        for row, box in zip(rows, tree.boxes, strict=True)
    ]  # fmt: skip
    lines: list[Row] = [
        {"x": margin + line.x, "y": line.y, "x2": margin + line.x2, "y2": line.y2} for line in tree.lines
    ]
    labels = [_label(row) for row in nodes if row["row"]]
    labels.insert(0, {"x": 0, "y": ROW // 2, "label": "symbols", "note": ""})
    chart = alt.layer(*_layers(alt, margin + tree.width, tree.n_rows * ROW + 14)).properties(
        width=margin + tree.width, height=tree.n_rows * ROW + 14
    )
    text = _read([str(row["text"]) for row in rows if row["left"] is None])
    title = f"The merges of {text}" if len(text) <= 40 else f"The merges of {text[:39]}…"
    subtitle = "From the bottom up, in the order in which they fire; of all pairs, the lowest rank goes first"
    return Drawing(
        chart, {"nodes": nodes, "lines": lines, "labels": labels}, title, options.subtitle or subtitle
    )


def _read(symbols: Sequence[str]) -> str:
    r"""Returns symbols as one text, those that are bytes of a character as the character.

    Examples:
        >>> print(_read(["·", "c", "\\xc3", "\\xa9", "\\xf0"]))
        ·cé\xf0
    """
    data = b"".join(
        bytes.fromhex(symbol[2:]) if _BYTE.fullmatch(symbol) else symbol.encode("utf-8", "surrogatepass")
        for symbol in symbols
    )
    return visible(data.decode("utf-8", "backslashreplace"))


def _layers(alt: ModuleType, width: float, height: float) -> list[object]:
    x = {"type": "quantitative", "axis": None, "scale": alt.Scale(domain=[0, width], nice=False)}
    y = {"type": "quantitative", "axis": None, "scale": alt.Scale(domain=[0, height], nice=False)}
    lines = alt.Chart(alt.NamedData(name="lines")).mark_rule(color=GRAY, strokeWidth=1)
    nodes = alt.Chart(alt.NamedData(name="nodes"))
    labels = alt.Chart(alt.NamedData(name="labels")).encode(x=alt.X("x", **x), y=alt.Y("y", **y))
    tooltip = [
        alt.Tooltip("text:N", title="text"),
        alt.Tooltip("state:N", title="is"),
        alt.Tooltip("id:Q", title="id", format="d"),
        alt.Tooltip("rank:Q", title="rank", format=",d"),
        alt.Tooltip("note:N", title="lost"),
    ]
    centers = {"x": alt.X("x", **x), "y": alt.Y("y", **y)}
    return [
        lines.encode(x=alt.X("x", **x), y=alt.Y("y", **y), x2="x2", y2="y2"),
        nodes.mark_rect(stroke=GRAY, strokeWidth=1, cornerRadius=4).encode(
            x=alt.X("x1", **x), x2="x2", y=alt.Y("y1", **y), y2="y2",
            color=alt.Color("fill:N", scale=None), tooltip=tooltip,
        ),
        nodes.mark_text(fontSize=12).encode(
            **centers, text="text:N", tooltip=tooltip,
            color=alt.condition("datum.is_token", alt.value("#ffffff"), alt.value(INK)),
        ),
        nodes.mark_text(fontSize=10, dy=-17, color=_BLUE).encode(**centers, text="above:N"),
        labels.mark_text(align="left", fontSize=11, dy=-1, color=INK).encode(text="label:N"),
        labels.mark_text(align="left", fontSize=9, dy=11, color=GRAY).encode(text="note:N"),
    ]  # fmt: skip


def _state(row: Row) -> str:
    if row["is_token"]:
        return "token"
    return "symbol" if row["left"] is None else "merge"


def _label(row: Row) -> Row:
    rank = row["rank"]
    label = f"merge {row['row']}" if rank is None else f"{row['row']}: rank {rank:,}"
    return {"x": 0, "y": row["y"], "label": label, "note": row["note"] or ""}
