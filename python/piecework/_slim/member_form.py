"""A table in an object: the object as JSON with an empty list in its place, then the member's key, then the table."""

from __future__ import annotations

from collections.abc import Callable

from piecework._slim.data import Value, read_json, scalar, write_json
from piecework._slim.records import cell, table

__all__ = ["members", "reader", "shown", "writer"]

_SHOWN = 30


def members(value: Value) -> list[str]:
    """The keys of an object's own lists of flat objects; lists further down are left alone."""
    return [key for key, item in value.items() if table(item) is not None] if isinstance(value, dict) else []


def shown(key: str) -> str:
    """A key for a sentence, however long it is and whatever it holds."""
    text = cell(key, marks="")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def writer(key: str, write: Callable[[Value], str | None]) -> Callable[[Value], str | None]:
    """Writes an object whose member `key` is a list, that one as `write` does."""

    def written(value: Value) -> str | None:
        if not isinstance(value, dict) or key not in value:
            return None
        listed = write(value[key])
        return (
            None if listed is None else f"{write_json({**value, key: []})}\n{cell(key, marks='')}:\n{listed}"
        )

    return written


def reader(read: Callable[[str], Value]) -> Callable[[str], Value]:
    """Reads that back.

    Raises:
        ValueError: There is no object, no key, or no empty list in its place.
    """

    def data(text: str) -> Value:
        head, name, listed = text.split("\n", 2)
        value, key = read_json(head), scalar(name.removesuffix(":"))
        if not isinstance(value, dict) or not isinstance(key, str) or value.get(key) != []:
            raise ValueError("the key before the table is none of an empty list")
        return {**value, key: read(listed)}

    return data
