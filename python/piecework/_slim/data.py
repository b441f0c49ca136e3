"""JSON read so that nothing is lost: numbers as they are spelled, keys in order and as often as they stand there."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

__all__ = ["NotDataError", "Number", "Value", "read_json", "same", "scalar", "write_json"]

Value: TypeAlias = object
"""None, a bool, a `Number`, a str, a list of values, or a dict of them."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Number(str):
    """A number by its spelling: `1.0` is not `1`, and one of a hundred digits keeps them all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Number({self!s})"


class NotDataError(ValueError):
    """What looks like JSON and is none: a key twice in an object, NaN."""


def read_json(text: str) -> Value:
    """Reads JSON.

    Raises:
        ValueError: It is none, holds NaN or Infinity, which are no JSON, or holds a key twice in one object.
    """
    return json.loads(
        text, parse_float=Number, parse_int=Number, parse_constant=_refuse, object_pairs_hook=_object
    )


def _refuse(name: str) -> Value:
    raise NotDataError(f"{name} is no JSON; null says that there is no number")


def _object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise NotDataError(
            f"the key {twice[:60]!r} stands twice in one object, and which one counts nobody knows"
        )
    return found


def scalar(text: str) -> Value:
    """What a cell of a table means: a JSON scalar if it is one, else the text.

    Examples:
        >>> scalar("1.50"), scalar("true"), scalar('"12"'), scalar("red fish")
        (Number(1.50), True, '12', 'red fish')
    """
    if _NUMBER.fullmatch(text):
        return Number(text)
    if text in {"true", "false", "null"}:
        return {"true": True, "false": False, "null": None}[text]
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            found = json.loads(text)
        except ValueError:
            return text
        return found if isinstance(found, str) else text
    return text


def write_json(value: Value, *, separators: tuple[str, str] = (",", ":")) -> str:
    """Writes JSON on one line; characters as they are, lone surrogates as escapes."""
    return "".join(_parts(value, *separators))


def _parts(value: Value, comma: str, colon: str) -> Iterator[str]:
    if isinstance(value, Number):
        yield str(value)
    elif isinstance(value, dict):
        yield "{"
        for at, (key, item) in enumerate(value.items()):
            yield comma * (at > 0) + _string(key) + colon
            yield from _parts(item, comma, colon)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for at, item in enumerate(value):
            yield comma * (at > 0)
            yield from _parts(item, comma, colon)
        yield "]"
    elif isinstance(value, str):
        yield _string(value)
    else:
        yield json.dumps(value)


def _string(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def same(first: Value, second: Value, *, by_value: bool = False) -> bool:
    """Whether two values are the same data: types, keys and their order, numbers by their spelling.

    Args:
        first: A value.
        second: Another.
        by_value: Whether numbers compare by what they are worth, a number with a fraction or exponent staying one.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        return list(first) == list(second) and all(
            same(item, second[key], by_value=by_value) for key, item in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(
            same(a, b, by_value=by_value) for a, b in zip(first, second, strict=True)
        )
    if isinstance(first, Number) and isinstance(second, Number) and by_value:
        exact = decimal_of(first), decimal_of(second)
        if None in exact:
            return first == second
        return exact[0] == exact[1] and _is_float(first) == _is_float(second)
    return type(first) is type(second) and first == second


def decimal_of(number: Number) -> Decimal | None:
    """What a number is worth; None where its exponent is beyond what decimals hold."""
    try:
        return Decimal(number)
    except ArithmeticError:
        return None


def _is_float(number: Number) -> bool:
    return any(mark in number for mark in ".eE")
