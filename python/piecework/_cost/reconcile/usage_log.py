"""A log of usage, a JSON object on each line: what is a record is read, what is none is listed with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from piecework._cost.reconcile.usage_record import NotUsageError, UsageRecord, read_record

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["UnreadLine", "UsageLog", "read_usage_log"]


class UnreadLine(NamedTuple):
    """A line that is no usage record.

    Attributes:
        line: Its number, from 1.
        reason: Why it is none.
    """

    line: int
    reason: str


class UsageLog(NamedTuple):
    """What a log holds.

    Attributes:
        records: The records, in their order.
        unread: The other lines.
    """

    records: tuple[UsageRecord, ...]
    unread: tuple[UnreadLine, ...]


def read_usage_log(lines: Iterable[str | bytes], *, model: str | None = None) -> UsageLog:
    """Reads a log.

    Args:
        lines: JSON, an object on each; empty lines are passed over. An array on one line is read as its items.
        model: The model of records that name none.
    """
    records: list[UsageRecord] = []
    unread: list[UnreadLine] = []
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            unread.append(UnreadLine(at, f"no JSON: {str(error)[:80]}"))
            continue
        for row in value if isinstance(value, list) else [value]:
            try:
                if not isinstance(row, dict):
                    raise NotUsageError("it is no object")  # noqa: TRY301 - one place that lists
                records.append(read_record(row, line=at, model=model))
            except NotUsageError as error:
                unread.append(UnreadLine(at, str(error)))
    return UsageLog(tuple(records), tuple(unread))
