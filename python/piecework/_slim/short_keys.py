"""Keys that stand often, as letters, with a legend before the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count, product
from string import ascii_lowercase

from piecework._slim.data import Value, read_json, write_json

__all__ = ["read", "write"]


def write(value: Value) -> str | None:
    """An object of legend (`keys`) and data (`data`); None where no key of some length stands twice."""
    counts = Counter(_keys(value))
    taken = set(counts)
    names = (name for name in _names() if name not in taken)
    short = {key: next(names) for key, n in counts.most_common() if n > 1 and len(key) > 2}
    if not short:
        return None
    return write_json({"keys": {name: key for key, name in short.items()}, "data": _renamed(value, short)})


def read(text: str) -> Value:
    """Puts the keys of the legend back."""
    found = read_json(text)
    if not isinstance(found, dict) or list(found) != ["keys", "data"] or not isinstance(found["keys"], dict):
        raise ValueError("there is no legend")
    return _renamed(found["data"], found["keys"])


def _keys(value: Value) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _renamed(value: Value, names: dict[str, str]) -> Value:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


def _names() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
