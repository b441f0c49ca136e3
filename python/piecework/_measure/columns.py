"""Which columns of a table are texts of a language: row numbers, scores and identifiers beside them are none."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Columns", "LeftOut", "no_language", "text_columns"]

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?")
# Only ASCII: a sentence of Chinese or Thai is one word with a digit as well.
_IDENTIFIER = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9][A-Za-z0-9._:/#-]{0,63}")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column of a table that is not compared.

    Attributes:
        key: Its name.
        reason: Why.
    """

    key: str
    reason: str

    def to_dict(self) -> dict[str, object]:
        """Returns both as JSON can hold them."""
        return {"key": self.key, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Columns:
    """What a table holds.

    Attributes:
        texts: The columns of texts, by name, equally many rows in each.
        others: The columns of something else, with what that is.
    """

    texts: Mapping[str, Sequence[str]]
    others: Mapping[str, str]


def text_columns(
    columns: Columns, wanted: Collection[str]
) -> tuple[dict[str, Sequence[str]], tuple[LeftOut, ...]]:
    """The columns to compare, and those that are left out.

    Args:
        columns: The table's.
        wanted: Columns that were asked for by name: they are texts, whatever they hold.

    Examples:
        >>> table = Columns({"id": ["1", "2"], "en": ["A cat", "A dog"]}, {"score": "numbers"})
        >>> text_columns(table, ())[0]
        {'en': ['A cat', 'A dog']}
        >>> text_columns(table, ["id"])[1]
        (LeftOut(key='score', reason='numbers'),)
    """
    reasons = {key: None if key in wanted else no_language(rows) for key, rows in columns.texts.items()}
    kept = {key: rows for key, rows in columns.texts.items() if reasons[key] is None}
    left_out = {key: reason for key, reason in reasons.items() if reason is not None}
    return kept, tuple(LeftOut(key, reason) for key, reason in {**left_out, **columns.others}.items())


def no_language(rows: Sequence[str]) -> str | None:
    """Why the rows of a column are no texts of a language; None where they may be.

    Examples:
        >>> no_language(["1", "2", "10"]), no_language(["doc-1", "doc-2"]), no_language(["kucing", "anjing"])
        ('its values are numbers', 'its values are identifiers, each once', None)
    """
    filled = [stripped for row in rows if (stripped := row.strip())]
    if not filled:
        return None
    if all(_NUMBER.fullmatch(value) for value in filled):
        return "its values are numbers"
    if (
        len(filled) > 1
        and len(set(filled)) == len(filled)
        and all(_IDENTIFIER.fullmatch(value) for value in filled)
    ):
        return "its values are identifiers, each once"
    return None
