"""A table as plain text, Markdown, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Table", "TableFormat", "is_number_column", "render", "shown"]

TableFormat: TypeAlias = Literal["table", "md", "csv", "latex"]
"""How a table is written."""

_WIDTH = 100
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        title: What it shows; empty for none.
        heads: The names of its columns; the first names the rows.
        rows: Its cells.
        note: What is said under it.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str | None = None


def render(table: Table, format: TableFormat) -> str:  # noqa: A002 - the flag's name
    """Writes a table, without a last line end.

    Raises:
        ValueError: There is no such format.
    """
    writers = {"table": _plain, "md": _markdown, "csv": _csv, "latex": _latex}
    if format not in writers:
        raise ValueError(f"format is one of {', '.join(writers)}, not {format!r}")
    return writers[format](table)


def _plain(table: Table) -> str:
    lines = [[shown(cell) for cell in row] for row in (table.heads, *table.rows)]
    widths = [max(_width(row[at]) for row in lines) for at in range(len(table.heads))]
    right = [is_number_column(table, at) for at in range(len(widths))]
    body = [
        "  ".join(
            " " * (width - _width(cell)) + cell if to_right else cell + " " * (width - _width(cell))
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in lines
    ]
    note = [textwrap.fill(table.note, _WIDTH)] if table.note else []
    return "\n".join([*([table.title] if table.title else []), *body, *note])


def _markdown(table: Table) -> str:
    marks = ["---:" if is_number_column(table, at) else "---" for at in range(len(table.heads))]
    lines = [_markdown_row(table.heads), f"|{'|'.join(marks)}|", *(_markdown_row(row) for row in table.rows)]
    title = [f"**{table.title}**", ""] if table.title else []
    return "\n".join([*title, *lines, *(["", table.note] if table.note else [])])


def _markdown_row(row: Sequence[str]) -> str:
    cells = (shown(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") for cell in row)
    return f"| {' | '.join(cells)} |"


def _csv(table: Table) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table.heads, *table.rows])
    return out.getvalue().removesuffix("\n")


def _latex(table: Table) -> str:
    columns = "".join("r" if is_number_column(table, at) else "l" for at in range(len(table.heads)))
    lines = [_latex_row(row) for row in (table.heads, *table.rows)]
    caption = [f"\\caption{{{_latex_text(table.title)}}}"] if table.title else []
    note = [f"\\\\[1ex] {{\\footnotesize {_latex_text(table.note)}}}"] if table.note else []
    body = ["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"]
    start = [
        "% needs the package booktabs",
        "\\begin{table}",
        "\\centering",
        *caption,
        f"\\begin{{tabular}}{{{columns}}}",
    ]
    return "\n".join([*start, *body, "\\end{tabular}", *note, "\\end{table}"])


def _latex_row(row: Sequence[str]) -> str:
    return " & ".join(_latex_text(shown(cell)) for cell in row) + " \\\\"


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def is_number_column(table: Table, at: int) -> bool:
    """Whether a column holds numbers alone, or none, and stands to the right; the first one names the rows."""
    cells = [row[at] for row in table.rows]
    return at > 0 and all(cell[:1].isdigit() or cell == "-" for cell in cells)


def shown(cell: str) -> str:
    r"""A text as a table can show it.

    Examples:
        >>> print(shown("a\nb"))
        a\u000ab
    """
    # A row of a text may hold anything; a line end or a control code would break the table or drive the terminal.
    return "".join(
        f"\\u{ord(character):04x}"
        if unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp", "Cs"}
        else character
        for character in cell
    )


def _width(text: str) -> int:
    wide = {"W": 2, "F": 2}
    return sum(
        0 if unicodedata.combining(character) else wide.get(unicodedata.east_asian_width(character), 1)
        for character in text
    )
