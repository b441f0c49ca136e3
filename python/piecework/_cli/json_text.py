"""JSON in parts: a text of 100 MB has columns of ten millions, which at once fill the memory and are deaf to Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice

__all__ = ["json_parts"]

# Values that the encoder takes at once, and characters that are handed on at once.
_SLICE = 1 << 14


def json_parts(value: object) -> Iterator[str]:
    """Yields JSON of dicts, of lists, tuples and iterators, and of what they hold, part by part.

    Iterators become lists, and may be long: no more than a slice of one is in memory.
    """
    if _is_small(value):
        yield _whole(value)
    elif isinstance(value, dict):
        yield "{"
        for at, (key, item) in enumerate(value.items()):
            yield f"{', ' if at else ''}{_whole(key)}: "
            yield from json_parts(item)
        yield "}"
    elif isinstance(value, list | tuple | Iterator):
        yield "["
        yield from _list_parts(value)
        yield "]"
    else:
        yield _whole(value)


def _is_small(value: object) -> bool:
    """Whether the encoder may take a value at once, with all that it holds."""
    n_values, rest = 1, [value]
    while rest:
        item = rest.pop()
        if isinstance(item, Iterator):
            return False
        if isinstance(item, dict | list | tuple):
            n_values += len(item)
            if n_values > _SLICE:
                return False
            rest.extend(item.values() if isinstance(item, dict) else item)
    return True


def _list_parts(items: Iterable[object]) -> Iterator[str]:
    """Yields the items of a list with commas between them, as many together as make a slice."""
    rest = iter(items)
    first = list(islice(rest, 1))
    # All items of a list are of one kind.
    if first and isinstance(first[0], dict):
        yield from _row_parts(chain(first, rest))
        return
    comma, rest = "", chain(first, rest)
    while batch := list(islice(rest, _SLICE)):
        yield comma + _whole(batch)[1:-1]
        comma = ", "


def _row_parts(rows: Iterable[object]) -> Iterator[str]:
    """Yields rows with commas between them; what a row holds may be as long as a text."""
    made: list[str] = []
    size, comma = 0, ""
    for row in rows:
        is_small = _is_small(row)
        if is_small:
            made.append(_whole(row))
            size += len(made[-1])
            if size < _SLICE:
                continue
        if made:
            yield comma + ", ".join(made)
            made, size, comma = [], 0, ", "
        if not is_small:
            yield comma
            yield from json_parts(row)
            comma = ", "
    if made:
        yield comma + ", ".join(made)


def _whole(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
