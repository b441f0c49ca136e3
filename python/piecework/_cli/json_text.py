"""JSON in parts: a text of 100 MB has columns of ten millions, which at once fill the memory and are deaf to Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice

__all__ = ["json_parts"]

# Values that the encoder takes at once.
_SLICE = 1 << 14


def json_parts(value: object) -> Iterator[str]:
    """Yields JSON of dicts, of lists, tuples and iterators, and of what they hold, part by part.

    Iterators become lists, and may be long: no more than a slice of one is in memory.
    """
    if isinstance(value, dict):
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


def _list_parts(items: Iterable[object]) -> Iterator[str]:
    """Yields the items of a list with commas between them, as many together as make a slice."""
    rest = iter(items)
    comma = ""
    while batch := list(islice(rest, _SLICE)):
        # All items of a list are of one kind.
        if isinstance(batch[0], dict) and sum(map(_weight, batch)) > _SLICE:
            for item in batch:
                yield comma
                yield from json_parts(item)
                comma = ", "
        else:
            yield comma + _whole(batch)[1:-1]
        comma = ", "


def _weight(item: object) -> int:
    values = item.values() if isinstance(item, dict) else ()
    return sum(len(value) for value in values if isinstance(value, list | tuple))


def _whole(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
