"""A list of objects as a heading `[n]{a,b}:` and a line of cells for each: CSV with its length and without its quotes."""

from __future__ import annotations

import json
import re

from piecework._slim.data import Value, scalar
from piecework._slim.records import cell, records, table

__all__ = ["read", "write"]

_HEAD = re.compile(r"\[(\d+)\]\{(.*)\}:")
_MARKS = ",{}[]:"
_DECODER = json.JSONDecoder()


def write(value: Value) -> str | None:
    """A list of flat objects in this form; None for anything else."""
    found = table(value)
    if found is None:
        return None
    keys, rows = found
    head = ",".join(cell(key, marks=_MARKS) for key in keys)
    return "\n".join(
        [f"[{len(rows)}]{{{head}}}:", *(",".join(cell(x, marks=",") for x in row) for row in rows)]
    )


def read(text: str) -> Value:
    """Reads it back, with types.

    Raises:
        ValueError: The heading is none, or there are more or fewer rows than it says.
    """
    head, *lines = text.split("\n")
    found = _HEAD.fullmatch(head)
    if found is None or int(found[1]) != len(lines):
        raise ValueError("the heading says another number of rows")
    return records(_cells(found[2]), [_cells(line) for line in lines])


def _cells(line: str) -> list[Value]:
    cells: list[Value] = []
    at = 0
    while True:
        if line[at : at + 1] == '"':
            item, at = _DECODER.raw_decode(line, at)
        else:
            end = line.find(",", at)
            end = len(line) if end < 0 else end
            item, at = scalar(line[at:end]), end
        cells.append(item)
        if at >= len(line):
            return cells
        at += 1
