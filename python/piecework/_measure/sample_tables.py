"""Tables with a column for each language and a row for each meaning: TSV, CSV, JSON lines, Parquet."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from piecework._csv_rows import csv_rows
from piecework._measure.columns import Columns
from piecework._optional import optional_module

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["COLUMN_READERS", "read_csv", "read_jsonl", "read_parquet", "read_tsv"]

_KINDS = {"bool": "truth values", "int": "numbers", "float": "numbers", "list": "lists", "dict": "objects"}
_STRINGS = {"string", "large_string", "string_view"}
# Lines that share no key make a table of next to nothing but empty cells.
_MAX_EMPTY_CELLS = 10_000_000
_MAX_CELLS_A_VALUE = 20


def read_tsv(text: str) -> Columns:
    """Reads columns between tabs, whose names stand in the first line. Quotation marks are text.

    Raises:
        ValueError: It is no such table; the message names the line.
    """
    lines = text.removesuffix("\n").split("\n")
    rows = ((at, line.removesuffix("\r").split("\t")) for at, line in enumerate(lines, 1))
    return _columns((at, [] if row == [""] else row) for at, row in rows)


def read_csv(text: str) -> Columns:
    """Reads columns between commas, whose names stand in the first line, quoted as RFC 4180 has it; errors as above."""
    return _columns(csv_rows(text))


def read_jsonl(text: str) -> Columns:
    """Reads an object a line: its texts are the columns; a missing one, or null, is empty. Errors as above."""
    columns: dict[str, list[str]] = {}
    others: dict[str, tuple[int, str]] = {}
    n_rows = n_values = 0
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        for key, value in _object(at, line).items():
            if isinstance(value, str):
                rows = columns.setdefault(key, [])
                rows.extend([""] * (n_rows - len(rows)))
                rows.append(value)
                n_values += 1
            else:
                _note_other(others, at, key, value)
        n_rows += 1
        if _is_sparse(len(columns) * n_rows, n_values):
            raise ValueError(
                f"line {at:,}: {len(columns):,} different keys so far, and nearly every cell is empty"
            )
    for key, (at, what) in others.items():
        if what and key in columns:
            raise ValueError(f"line {at:,}: {key} is of {what} there, and text in other lines")
    texts = {key: rows + [""] * (n_rows - len(rows)) for key, rows in columns.items()}
    found = {key: f"its values are {what}" if what else "it is empty" for key, (_, what) in others.items()}
    return Columns(texts, {key: reason for key, reason in found.items() if key not in texts})


def read_parquet(path: Path) -> Columns:
    """Reads the columns of strings; a null is an empty row.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: It is no Parquet file, or two columns have one name.
    """
    arrow = optional_module("pyarrow", extra="arrow")
    try:
        return _parquet_columns(path)
    except (arrow.ArrowNotImplementedError, arrow.ArrowKeyError) as error:
        # Those are no ValueError.
        raise ValueError(f"pyarrow cannot read it: {error}") from None


def _parquet_columns(path: Path) -> Columns:
    parquet = optional_module("pyarrow.parquet", extra="arrow")
    # Not `read_table`, which takes folders named `lang=en` for columns.
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        _check_heads(list(schema.names), "the schema")
        kinds = {field.name: field.type for field in schema}
        names = [name for name, kind in kinds.items() if _is_string(kind)]
        table = file.read(columns=names)
    texts = {name: [value or "" for value in table.column(name).to_pylist()] for name in names}
    return Columns(texts, {name: f"it holds {kind}" for name, kind in kinds.items() if name not in texts})


COLUMN_READERS: dict[str, Callable[[str], Columns]] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
}
"""The reader of the text of each suffix; Parquet is no text."""


def _columns(rows: Iterable[tuple[int, list[str]]]) -> Columns:
    heads: list[str] = []
    found: list[list[str]] = []
    for at, row in rows:
        if not heads:
            heads, found = row, [[] for _ in row]
            _check_heads(heads, f"line {at:,}")
        elif row:
            if len(row) != len(heads):
                raise ValueError(f"line {at:,} has {len(row):,} columns, the first line names {len(heads):,}")
            for column, value in zip(found, row, strict=True):
                column.append(value)
    return Columns(dict(zip(heads, found, strict=True)), {})


def _check_heads(heads: list[str], where: str) -> None:
    for at, head in enumerate(heads, 1):
        if not head.strip():
            raise ValueError(f"{where}: column {at:,} has no name")
    twice = [head for head, n in Counter(heads).items() if n > 1]
    if twice:
        raise ValueError(f"{where}: two columns are called {twice[0]}")


def _object(at: int, line: str) -> dict[str, object]:
    def checked(pairs: list[tuple[str, object]]) -> dict[str, object]:
        _check_keys([key for key, _ in pairs])
        return dict(pairs)

    try:
        # What numbers are worth is asked by nobody, and those of more than 4,300 digits are refused.
        value: object = json.loads(line, object_pairs_hook=checked, parse_int=len)
    except ValueError as error:
        raise ValueError(f"line {at:,}: {error}") from None
    except RecursionError:
        raise ValueError(f"line {at:,} is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError(  # noqa: TRY004 - of the file and not of an argument
            f"line {at:,} is no object of language to text"
        )
    if any(not key.strip() for key in value):
        raise ValueError(f"line {at:,}: a key is empty, where a language's name is needed")
    return value


def _check_keys(keys: list[str]) -> None:
    if len(set(keys)) != len(keys):
        twice = next(key for key, n in Counter(keys).items() if n > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object, and which one counts nobody knows")


def _note_other(others: dict[str, tuple[int, str]], at: int, key: str, value: object) -> None:
    what = "" if value is None else _KINDS[type(value).__name__]
    if not others.get(key, (0, ""))[1]:
        others[key] = at, what


def _is_sparse(n_cells: int, n_values: int) -> bool:
    return n_cells > _MAX_EMPTY_CELLS and n_cells > _MAX_CELLS_A_VALUE * n_values


def _is_string(kind: Any) -> bool:  # noqa: ANN401 - pyarrow's
    # A dictionary stores each of its strings once.
    return str(getattr(kind, "value_type", None) if str(kind).startswith("dictionary<") else kind) in _STRINGS
