"""Compared spans in columns: for a terminal, and for a page."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from piecework._explain.glyphs import cell_width
from piecework._explain.palette import ANSI_RESET, ansi_style, color_numbers, css_style

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._explain.side_by_side import ComparedSpan

__all__ = ["columns_ansi", "table_html"]

_RING_ANSI = "\x1b[4;7m"
_RING_CSS = ";outline:2px solid #b00020"
_MAX_HTML_SPANS = 5_000
_MIN_WIDTH = 8


def columns_ansi(heads: Sequence[str], spans: Sequence[ComparedSpan], width: int) -> str:
    """Returns lines of columns, which stay level: a new line begins for all where one column is full or a line ends."""
    each = max(_MIN_WIDTH, (width - 2 * (len(heads) - 1)) // len(heads))
    wrapped = [textwrap.wrap(head, each) for head in heads]
    lines = [
        "  ".join((head[at] if at < len(head) else "").ljust(each) for head in wrapped).rstrip()
        for at in range(max(map(len, wrapped)))
    ]
    cells = [_Cell(each) for _ in heads]
    for span in spans:
        if any(not cell.has_room(pieces) for cell, pieces in zip(cells, span.pieces, strict=True)):
            lines += _flushed(cells)
        for cell, ids, pieces in zip(cells, span.ids, span.pieces, strict=True):
            cell.add(ids, pieces, is_shared=span.is_shared)
        if any(piece.endswith("⏎") for pieces in span.pieces for piece in pieces):
            lines += _flushed(cells)
    return "\n".join([*lines, *_flushed(cells)])


class _Cell:
    """The lines of one column that are not written yet."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.lines: list[tuple[str, int]] = []

    def has_room(self, pieces: Sequence[str]) -> bool:
        used = self.lines[-1][1] if self.lines else 0
        return not used or used + sum(map(cell_width, pieces)) <= self._width

    def add(self, ids: Sequence[int], pieces: Sequence[str], *, is_shared: bool) -> None:
        for number, piece in zip(color_numbers(ids), pieces, strict=True):
            style = ansi_style(number) + ("" if is_shared else _RING_ANSI)
            for part in _parts(piece, self._width):
                text, used = self.lines.pop() if self.lines else ("", 0)
                if used + cell_width(part) > self._width:
                    self.lines.append((text, used))
                    text, used = "", 0
                self.lines.append((f"{text}{style}{part}{ANSI_RESET}", used + cell_width(part)))


def _parts(piece: str, width: int) -> Iterator[str]:
    """A piece in parts that fit into a column; a character takes two columns at most."""
    step = width if piece.isascii() else max(1, width // 2)
    for at in range(0, len(piece), step):
        yield piece[at : at + step]


def _flushed(cells: Sequence[_Cell]) -> list[str]:
    n_lines = max((len(cell.lines) for cell in cells), default=0)
    rows = []
    for at in range(n_lines):
        row = []
        for cell in cells:
            text, used = cell.lines[at] if at < len(cell.lines) else ("", 0)
            row.append(text + " " * (cell._width - used))  # noqa: SLF001 - of this file
        rows.append("  ".join(row).rstrip())
    for cell in cells:
        cell.lines.clear()
    return rows


def table_html(heads: Sequence[str], spans: Sequence[ComparedSpan]) -> str:
    """Returns a table with a column for each tokenizer: inline styles, no script, ids in tooltips."""
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in heads)
    shown = spans[:_MAX_HTML_SPANS]
    cells = "".join(
        f'<td style="vertical-align:top;font-family:monospace;white-space:pre-wrap;line-height:1.9">'
        f"{''.join(_html_span(span, at) for span in shown)}</td>"
        for at in range(len(heads))
    )
    more = len(spans) - len(shown)
    tail = f"<div>… and {more:,} more spans</div>" if more else ""
    return f"<div><table><tr>{head}</tr><tr>{cells}</tr></table>{tail}</div>"


def _html_span(span: ComparedSpan, at: int) -> str:
    ring = "" if span.is_shared else _RING_CSS
    return "".join(
        f'<span style="{css_style(number)};border-radius:3px{ring}" title="{token_id}">'
        f"{escape(piece).replace('⏎', '⏎' + chr(10))}</span>"
        for number, token_id, piece in zip(
            color_numbers(span.ids[at]), span.ids[at], span.pieces[at], strict=True
        )
    )
