"""JSON on one line, packed or with spaces; and a line for each item of a list."""

from __future__ import annotations

from piecework._slim.data import NotDataError, Value, read_json, write_json

__all__ = ["read_lines", "write_line", "write_lines", "write_min"]


def write_min(value: Value) -> str:
    """JSON without white space, characters unescaped."""
    return write_json(value)


def write_line(value: Value) -> str:
    """JSON on one line with a space after commas and colons: some vocabularies have tokens for just this."""
    return write_json(value, separators=(", ", ": "))


def write_lines(value: Value) -> str | None:
    """A line for each item; None for what is no list."""
    return "\n".join(map(write_json, value)) if isinstance(value, list) and value else None


def read_lines(text: str) -> Value:
    """Reads a line for each item.

    Raises:
        ValueError: A line is no JSON; the message names it.
    """
    return [_item(at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]


def _item(at: int, line: str) -> Value:
    try:
        return read_json(line)
    except ValueError as error:
        kind = NotDataError if isinstance(error, NotDataError) else ValueError
        raise kind(f"line {at:,}: {error}") from None
