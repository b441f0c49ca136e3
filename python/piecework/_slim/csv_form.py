"""CSV with a heading. A cell is a JSON scalar if it reads as one, else text; text that reads as one stands in quotes."""

from __future__ import annotations

import csv
import io

from piecework._csv_rows import csv_rows
from piecework._slim.data import Value, scalar
from piecework._slim.records import cell, records, table

__all__ = ["read", "read_texts", "write", "write_texts"]


def write(value: Value) -> str | None:
    """A list of flat objects as CSV; None for anything else."""
    found = table(value)
    if found is None:
        return None
    keys, rows = found
    return _written(
        [[cell(key, marks="") for key in keys], *([cell(x, marks="") for x in row] for row in rows)]
    )


def read(text: str) -> Value:
    """Reads it back, with types."""
    head, *rows = _rows(text)
    return records([scalar(key) for key in head], [[scalar(x) for x in row] for row in rows])


def write_texts(value: Value) -> str | None:
    """A list of objects of texts as plain CSV."""
    found = table(value)
    if found is None or any(type(x) is not str for row in found[1] for x in row):
        return None
    return _written([found[0], *([str(x) for x in row] for row in found[1])])


def read_texts(text: str) -> Value:
    """Reads CSV as it is: every cell a text.

    Raises:
        ValueError: A row has another number of cells than the heading, or a heading stands twice.
    """
    rows = [(at, row) for at, row in csv_rows(text) if row]
    if not rows:
        raise ValueError("there is no heading")
    heads = rows[0][1]
    for at, row in rows:
        if len(row) != len(heads):
            raise ValueError(f"line {at:,}: {len(row):,} cells, and the heading has {len(heads):,}")
    return records(list(heads), [list(row) for _, row in rows[1:]])


def _written(rows: list[list[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().removesuffix("\n")


def _rows(text: str) -> list[list[str]]:
    return [row for _, row in csv_rows(text)]
