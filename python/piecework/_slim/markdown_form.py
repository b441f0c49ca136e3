"""A Markdown table; cells as in CSV, `|` and a backslash written with a backslash before them."""

from __future__ import annotations

import re

from piecework._slim.data import Value, scalar
from piecework._slim.records import cell, records, table

__all__ = ["read", "write"]

_CUT = re.compile(r"((?:[^|\\]|\\.)*)\|")


def write(value: Value) -> str | None:
    """A list of flat objects as a table; None for anything else."""
    found = table(value)
    if found is None:
        return None
    keys, rows = found
    all_rows: list[list[Value]] = [list(keys), *rows]
    lines = [_line([cell(x, marks="") for x in row]) for row in all_rows]
    return "\n".join([lines[0], "|" + "-|" * len(keys), *lines[1:]])


def read(text: str) -> Value:
    """Reads it back, with types."""
    head, _, *rows = [[scalar(x) for x in _cells(line)] for line in text.split("\n")]
    return records(head, rows)


def _line(cells: list[str]) -> str:
    return "|" + "".join(re.sub(r"([|\\])", r"\\\1", x) + "|" for x in cells)


def _cells(line: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", found) for found in _CUT.findall(line[1:])]
