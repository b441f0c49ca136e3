"""Usage records as what is priced: read as bills are reconciled, with what prices tell apart and bills do not.

A record may also be a usage object alone, or have our own names; one that names no model is priced as the caller's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from piecework._cost.reconcile.usage_record import NotUsageError
from piecework._cost.reconcile.usage_record import read_record as read_bill
from piecework._cost.usage import Usage, read_usage
from piecework.errors import CostError

__all__ = ["Record", "read_record", "read_records"]

_OWN = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")
_NAMELESS = "?"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Record:
    """One request that ran.

    Attributes:
        usage: What it used.
        model: The model that the record names; None where it names none.
    """

    usage: Usage
    model: str | None


def read_records(lines: Iterable[Mapping[str, Any] | str | bytes]) -> list[Record]:
    """Reads the records of a log, one a line; empty lines are left out.

    Args:
        lines: Each a record, or its JSON.

    Raises:
        CostError: One is no record of usage; the message names its line.
    """
    found: list[Record] = []
    for at, line in enumerate(lines, 1):
        if isinstance(line, str | bytes) and not line.strip():
            continue
        try:
            found.append(read_record(_parsed(line)))
        except CostError as error:
            raise CostError(f"line {at}: {error.message}", hint=error.hint) from None
    return found


def read_record(record: Mapping[str, Any]) -> Record:
    """Reads one record: a provider's response, its usage alone, an OpenTelemetry span, a row of `log_request`, or our names.

    Raises:
        CostError: It holds no usage, or numbers that contradict each other.

    Examples:
        >>> usage = {"input_tokens": 50, "cache_read_input_tokens": 1000, "output_tokens": 20}
        >>> read_record({"model": "claude-sonnet-4-5", "usage": usage}).usage.input_tokens
        1050
    """
    row = _unwrapped(record)
    usage = row.get("usage")
    own = row if usage is None else usage
    if isinstance(own, Mapping) and own.keys() & {"cached_tokens", "cache_write_tokens", "reasoning_tokens"}:
        model = row.get("model")
        return Record(
            read_usage({name: _n(own, name) for name in _OWN}), model if isinstance(model, str) else None
        )
    try:
        bill = read_bill(row, model=_NAMELESS)
    except NotUsageError as error:
        raise CostError(
            str(error),
            hint="a record has usage as OpenAI, Anthropic or Gemini report it, or input_tokens and output_tokens",
        ) from None
    numbers = {
        "input_tokens": bill.input_tokens,
        "output_tokens": bill.output_tokens,
        "cached_tokens": bill.cached_tokens,
        "cache_write_tokens": bill.cache_write_tokens,
        "reasoning_tokens": bill.reasoning_tokens or 0,
    }
    return Record(read_usage(numbers, _long_lived(usage)), None if bill.model == _NAMELESS else bill.model)


def _unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row in what wraps it: the body of a batch's response, or nothing around a usage object."""
    response = record.get("response")
    if isinstance(response, Mapping) and isinstance(response.get("body"), Mapping):
        return _unwrapped({"model": record.get("model"), **response["body"]})
    for name in ("prompt_tokens", "input_tokens", "promptTokenCount"):
        if name in record:
            return {"usage": _answered(record), "model": record.get("model")}
    usage = record.get("usage")
    return {**record, "usage": _answered(usage)} if isinstance(usage, Mapping) else record


def _answered(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    """The usage of a request that writes nothing, such as an embedding: providers leave the number out."""
    return {**usage, "completion_tokens": 0} if not usage.keys() & _WRITTEN else usage


_WRITTEN = {"completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count"}


def _long_lived(usage: object) -> dict[str, int] | None:
    """Of what Anthropic wrote into a cache, the part that is kept for an hour and costs more."""
    details = usage.get("cache_creation") if isinstance(usage, Mapping) else None
    n = _n(details, "ephemeral_1h_input_tokens") if isinstance(details, Mapping) else 0
    return {"cache_write_1h_tokens": n} if n else None


def _n(values: Mapping[str, Any], name: str) -> int:
    """A number of tokens; 0 where it is missing or null."""
    found: object = values.get(name)
    if found is None:
        return 0
    if isinstance(found, bool) or not isinstance(found, int):
        raise CostError(f"{name} is {str(found)[:_SHOWN]!r}, and a whole number is needed")
    return found


def _parsed(line: object) -> Mapping[str, Any]:
    if isinstance(line, Mapping):
        return line
    try:
        value = json.loads(line) if isinstance(line, str | bytes) else line
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)[:_SHOWN]
        raise CostError(f"it is no JSON: {why}") from None
    if not isinstance(value, dict):
        raise CostError(f"it is of the type {type(value).__name__}, and an object is needed")
    return value
