"""A table as HTML for a notebook: no script, no style sheet, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from piecework._measure.table_formats import is_number_column, shown

if TYPE_CHECKING:
    from piecework._measure.table_formats import Table

__all__ = ["table_html"]

_RIGHT = ' style="text-align: right"'
_LEFT = ' style="text-align: left"'


def table_html(table: Table) -> str:
    """Writes a table; its title is the caption, its note a paragraph under it, the first cell of a row its head.

    Examples:
        >>> from piecework._measure.table_formats import Table
        >>> print(table_html(Table("<T>", ["text", "n"], [["en", "1"]])))
        <table>
        <caption style="text-align: left">&lt;T&gt;</caption>
        <thead><tr><th style="text-align: left">text</th><th style="text-align: right">n</th></tr></thead>
        <tbody>
        <tr><th style="text-align: left">en</th><td style="text-align: right">1</td></tr>
        </tbody>
        </table>
    """
    looks = [_RIGHT if is_number_column(table, at) else _LEFT for at in range(len(table.heads))]
    caption = [f"<caption{_LEFT}>{_text(table.title)}</caption>"] if table.title else []
    note = [f"<p>{_text(table.note)}</p>"] if table.note else []
    heads = _cells(table.heads, looks, ["th"] * len(looks))
    tags = ["th", *["td"] * (len(looks) - 1)]
    rows = [f"<tr>{_cells(row, looks, tags)}</tr>" for row in table.rows]
    return "\n".join(
        [
            "<table>",
            *caption,
            f"<thead><tr>{heads}</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
            *note,
        ]
    )


def _cells(row: Sequence[str], looks: Sequence[str], tags: Sequence[str]) -> str:
    return "".join(
        f"<{tag}{look}>{_text(cell)}</{tag}>" for cell, look, tag in zip(row, looks, tags, strict=True)
    )


def _text(text: str) -> str:
    return escape(shown(text))
