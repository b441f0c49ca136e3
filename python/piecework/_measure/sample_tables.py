"""Tables with a column for each language and a row for each meaning: TSV, CSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from piecework._optional import optional_module
from piecework.errors import InputError

__all__ = ["COLUMN_READERS", "Columns"]

Columns = dict[str, list[str]]
"""The rows of each language."""


def read_tsv(path: Path) -> Columns:
    """Reads columns between tabs, whose names stand in the first line. Quotation marks are text."""
    with path.open(encoding="utf-8-sig", newline="\n") as lines:
        rows = (line.removesuffix("\n").removesuffix("\r").split("\t") for line in lines)
        return _columns(path, rows)


def read_csv(path: Path) -> Columns:
    """Reads columns between commas, whose names stand in the first line, quoted as RFC 4180 has it."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        try:
            return _columns(path, csv.reader(lines, strict=True))
        except csv.Error as error:
            raise _broken(path, str(error)) from None


def read_jsonl(path: Path) -> Columns:
    """Reads an object a line; its strings are the columns, what else it holds is no text. A missing one is empty."""
    columns: Columns = {}
    n_rows = 0
    with path.open(encoding="utf-8-sig", newline="\n") as lines:
        for at, line in enumerate(lines, 1):
            if not line.strip():
                continue
            for key, value in _object(path, at, line).items():
                if isinstance(value, str):
                    rows = columns.setdefault(key, [])
                    rows.extend([""] * (n_rows - len(rows)))
                    rows.append(value)
            n_rows += 1
    return {key: rows + [""] * (n_rows - len(rows)) for key, rows in columns.items()}


def read_parquet(path: Path) -> Columns:
    """Reads the columns of strings; a null is an empty row.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    optional_module("pyarrow", extra="arrow")
    parquet = optional_module("pyarrow.parquet", extra="arrow")
    try:
        table = parquet.read_table(path)
    except ValueError as error:
        # ArrowInvalid is one.
        raise _broken(path, str(error)) from None
    found = {name: table.column(name).to_pylist() for name in table.column_names}
    return {
        name: ["" if value is None else value for value in values]
        for name, values in found.items()
        if any(isinstance(value, str) for value in values)
        and all(value is None or isinstance(value, str) for value in values)
    }


COLUMN_READERS: dict[str, Callable[[Path], Columns]] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".parquet": read_parquet,
}
"""The reader of each suffix."""


def _columns(path: Path, rows: Iterable[list[str]]) -> Columns:
    heads: list[str] = []
    found: list[list[str]] = []
    for at, row in enumerate(rows, 1):
        if not heads:
            heads, found = row, [[] for _ in row]
            if len(set(heads)) != len(heads):
                raise _broken(path, "two columns have one name")
        elif row and row != [""]:
            if len(row) != len(heads):
                raise _broken(path, f"row {at:,} has {len(row)} columns, the first line names {len(heads)}")
            for column, value in zip(found, row, strict=True):
                column.append(value)
    return dict(zip(heads, found, strict=True))


def _object(path: Path, at: int, line: str) -> dict[str, object]:
    try:
        value: object = json.loads(line)
    except ValueError as error:
        raise _broken(path, f"line {at:,}: {error}") from None
    except RecursionError:
        raise _broken(path, f"line {at:,} is nested too deep") from None
    if not isinstance(value, dict):
        raise _broken(path, f"line {at:,} is no object of language to text")
    return value


def _broken(path: Path, reason: str) -> InputError:
    return InputError(f"{path} cannot be read: {reason}", path=str(path), reason=reason)
