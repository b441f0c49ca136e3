"""Plain data for charts: rows with named columns, checked, and cleaned of what a picture cannot hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Column", "Row", "Value", "distinct", "read_rows"]

Value: TypeAlias = "str | int | float | bool | None"
Row: TypeAlias = dict[str, Value]

_NUMBERS = (int, float)
# XML has no form for these, and JSON none for half a character.
_UNDRAWABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a kind of chart reads.

    Attributes:
        name: Its key in each row.
        holds: `text`, `number`, `whole` (a whole number that is not negative) or `flag`.
        meaning: What it says, with its unit.
        is_required: Whether each row must have it; where not, a row without it has None.
    """

    name: str
    holds: Literal["text", "number", "whole", "flag"]
    meaning: str
    is_required: bool = True


def read_rows(rows: Iterable[Mapping[str, object]], columns: Sequence[Column], *, kind: str) -> list[Row]:
    """Takes from rows the columns that a chart reads.

    Args:
        rows: Mappings; what else they hold is ignored.
        columns: The columns.
        kind: The kind of chart, for messages.

    Returns:
        A dict for each row, with all the columns in their order.

    Raises:
        TypeError: The rows are no mappings, or a value is of another type than its column.
        ValueError: There are no rows, a required value is missing, or a number is not finite or negative where it cannot be.

    Examples:
        >>> read_rows([{"part": "system", "n": 3, "x": 0}], [Column("n", "whole", "tokens")], kind="budget")
        [{'n': 3}]
    """
    found: list[Row] = []
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"{kind}: row {at} is a {type(row).__name__}, not a mapping of columns to values")
        found.append(
            {column.name: _value(row.get(column.name), column, f"{kind}: row {at}") for column in columns}
        )
    if not found:
        wanted = ", ".join(column.name for column in columns if column.is_required)
        raise ValueError(f"{kind}: there are no rows to draw; a row has {wanted}")
    return found


def distinct(rows: Iterable[Row], column: str) -> list[str]:
    """The texts of a column, each once, in the order of their first row."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


def _value(value: object, column: Column, where: str) -> Value:
    if value is None:
        if column.is_required:
            raise ValueError(f"{where} has no {column.name} ({column.meaning})")
        return None
    if column.holds == "text" and isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if column.holds == "flag" and isinstance(value, bool):
        return value
    if column.holds in {"number", "whole"} and isinstance(value, _NUMBERS) and not isinstance(value, bool):
        return _number(value, column, where)
    kinds = {"text": "a text", "flag": "a truth value", "number": "a number", "whole": "a whole number"}
    raise TypeError(f"{where}: {column.name} is {kinds[column.holds]}, not {value!r}")


def _number(value: float, column: Column, where: str) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{where}: {column.name} is {value}, which no axis can show")
    if column.holds == "whole" and (value < 0 or value != int(value)):
        raise ValueError(f"{where}: {column.name} is {value}, not a whole number from 0 up")
    return int(value) if column.holds == "whole" else value
