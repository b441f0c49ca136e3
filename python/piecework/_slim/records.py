"""A list of objects with the same keys and no depth: what a table can hold."""

from __future__ import annotations

from piecework._slim.data import Number, Value, scalar, write_json

__all__ = ["Table", "cell", "records", "table"]

Table = tuple[list[str], list[list[Value]]]


def table(value: Value) -> Table | None:
    """The keys and rows of a list of flat objects; None where it is something else."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict) or not value[0]:
        return None
    keys = list(value[0])
    rows = []
    for item in value:
        if (
            not isinstance(item, dict)
            or list(item) != keys
            or any(isinstance(x, dict | list) for x in item.values())
        ):
            return None
        rows.append(list(item.values()))
    return keys, rows


def records(keys: list[Value], rows: list[list[Value]]) -> Value:
    """The list that a table stands for.

    Raises:
        ValueError: A row has another length, or a key stands twice or is no text.
    """
    if len(set(map(str, keys))) != len(keys) or not all(type(key) is str for key in keys):
        raise ValueError("keys are texts, each once")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def cell(value: Value, *, marks: str) -> str:
    """A scalar as a cell: a text as it stands where nobody can take it for something else, else in JSON's quotes."""
    if not isinstance(value, str) or isinstance(value, Number):
        return write_json(value)
    is_plain = value == value.strip() and value.isprintable() and not any(mark in value for mark in marks)
    return value if value and is_plain and '"' not in value and scalar(value) is value else write_json(value)
