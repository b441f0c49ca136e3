"""How large the result of a method, a filter or an operator will be, asked before it is made."""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jinja2.runtime import LoopContext
from jinja2.utils import Namespace

from piecework._chat.engine.formatting import check_percent
from piecework._chat.engine.limits import METER, LimitExceededError, check_number, weigh

__all__ = ["before_binop", "before_call", "before_filter", "charge"]

_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_MAX_ARGUMENT = {"batch": 100_000, "slice": 100_000, "center": 100_000, "round": 1000, "tojson": 1000}
_MAX_SEARCHED = 100_000


def before_binop(operator: str, left: Any, right: Any) -> None:
    """Raise LimitExceededError where `left operator right` would be too large."""
    meter = METER.get()
    check_number(left)
    check_number(right)
    if operator == "*":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, str | bytes | list | tuple) and isinstance(other, int):
                meter.room(len(one) * max(0, other))
    elif operator == "**" and isinstance(left, int) and isinstance(right, int):
        check_number(1 << min(abs(right) * left.bit_length(), 1 << 16))
    elif operator == "%" and isinstance(left, str | bytes):
        if isinstance(left, bytes):
            raise LimitExceededError("it formats bytes with %, which is not supported")
        weigh(right)
        check_percent(left, right)
    elif (
        operator == "+"
        and isinstance(left, str | bytes | list | tuple)
        and isinstance(right, type(left) | str)
    ):
        meter.room(len(left) + len(right))


def before_call(called: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Check a call that a template makes of something that is not its own macro.

    Args:
        called: A function, method or class.
        args: The positional arguments.
        kwargs: The others.

    Returns:
        The positional arguments; an iterator that had to be run through to be measured is now a list.

    Raises:
        LimitExceededError: What would be made is too large.
    """
    meter = METER.get()
    for value in (*args, *kwargs.values()):
        check_number(value)
    if not isinstance(called, LoopContext) and not (
        isinstance(called, type) and issubclass(called, Namespace)
    ):
        weigh(*args, *kwargs.values())
    owner = getattr(called, "__self__", None)
    if not isinstance(called, types.MethodType | types.BuiltinMethodType) or owner is None:
        return args
    if isinstance(owner, list | tuple) and called.__name__ in {"index", "count"}:
        weigh(owner)
    given = (*args, *kwargs.values())
    if not isinstance(owner, str) or not given:
        return _before_split(owner, called.__name__, args)
    if called.__name__ == "join":
        args = (args[0] if isinstance(args[0], str) else list(args[0]), *args[1:])
    rule = _STRING_RULES.get(called.__name__)
    if rule is not None:
        meter.room(rule(owner, *(args or given)))
    return _before_split(owner, called.__name__, args)


def _before_split(owner: object, name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Ask for room for the objects that a split makes."""
    if isinstance(owner, str):
        if name == "splitlines":
            METER.get().objects(1 + sum(owner.count(mark) for mark in _LINE_BREAKS))
        elif name in {"split", "rsplit"}:
            sep = args[0] if args and isinstance(args[0], str) and args[0] else None
            METER.get().objects(1 + (owner.count(sep) if sep else len(owner) // 2))
        elif name == "replace" and args and isinstance(args[0], str):
            METER.get().objects(owner.count(args[0]))
    return args


def _length_replaced(text: str, old: str = "", new: str = "", *_: object) -> int:
    return len(text) + len(new) * (text.count(old) if old else len(text) + 1)


def _length_joined(sep: str, parts: str | list[Any], *_: object) -> int:
    if isinstance(parts, str):
        return len(parts) * (1 + len(sep))
    return sum(len(part) for part in parts if isinstance(part, str)) + len(sep) * len(parts)


def _length_padded(text: str, width: object = 0, *_: object) -> int:
    return max(len(text), width if isinstance(width, int) else 0)


def _length_expanded(text: str, size: object = 8, *_: object) -> int:
    return len(text) + text.count("\t") * (size if isinstance(size, int) else 0)


def _length_translated(text: str, table: object = None, *_: object) -> int:
    values = table.values() if isinstance(table, Mapping) else ()
    return len(text) * max((len(value) for value in values if isinstance(value, str)), default=1)


_STRING_RULES: dict[str, Callable[..., int]] = {
    "replace": _length_replaced,
    "join": _length_joined,
    "ljust": _length_padded,
    "rjust": _length_padded,
    "center": _length_padded,
    "zfill": _length_padded,
    "expandtabs": _length_expanded,
    "translate": _length_translated,
}


def before_filter(name: str, args: list[Any], kwargs: Mapping[str, Any]) -> None:
    """Check the use of a filter or test.

    Args:
        name: The filter's name.
        args: The value and the positional arguments; an iterator that has to be measured is replaced by a list.
        kwargs: The others.

    Raises:
        LimitExceededError: What would be made is too large, or would take too long.
    """
    meter = METER.get()
    meter.tick()
    given = [*args[1:], *kwargs.values()]
    most = _MAX_ARGUMENT.get(name)
    for value in given:
        if isinstance(value, int):
            check_number(value)
            if most is not None and abs(value) > most:
                raise LimitExceededError(f"it asks the filter {name} for {value:,}; the limit is {most:,}")
    value = args[0] if args else None
    if name not in _UNWEIGHED:
        weigh(*given)
    if isinstance(value, str):
        _before_filter_of_text(name, value, args, kwargs)
        return
    if name in _MEASURED and not isinstance(value, list | tuple | Mapping) and isinstance(value, Iterable):
        args[0] = value = list(value)
    n, depth, _ = (0, 0, 0) if name in _UNWEIGHED else weigh(value)
    if name == "join" and isinstance(value, list | tuple | Mapping):
        sep = str(kwargs.get("d", args[1] if len(args) > 1 else ""))
        meter.room(len(value) * len(sep))
    if name == "tojson":
        indent = kwargs.get("indent", args[2] if len(args) > 2 else 0)
        width = len(indent) if isinstance(indent, str) else indent
        meter.room(n * depth * (width if isinstance(width, int) else 0))


def _before_filter_of_text(name: str, text: str, args: list[Any], kwargs: Mapping[str, Any]) -> None:
    meter = METER.get()
    if name in _SLOW and len(text) > _MAX_SEARCHED:
        raise LimitExceededError(f"it asks the filter {name} for a text of {len(text):,} characters")
    if name in _SLOW:
        words = [word for word in (*args[1:], *kwargs.values()) if isinstance(word, str)]
        meter.room(len(text) * sum(map(len, words)))
    if name in _OF_CHARACTERS:
        meter.objects(len(text))
    if name == "replace":
        words = [
            str(word) for word in (*args[1:3], *(kwargs[key] for key in ("old", "new") if key in kwargs))
        ]
        meter.room(_length_replaced(text, *words))
        meter.objects(text.count(words[0]) if words else 0)
    elif name == "indent":
        width = kwargs.get("width", args[1] if len(args) > 1 else 4)
        n_lines = 1 + sum(text.count(mark) for mark in _LINE_BREAKS)
        meter.objects(n_lines)
        meter.room(len(text) + n_lines * (len(width) if isinstance(width, str) else abs(int(width))))
    elif name == "join":
        meter.room(len(text) * (1 + len(str(kwargs.get("d", args[1] if len(args) > 1 else "")))))
    elif name == "format":
        check_percent(text, kwargs or tuple(args[1:]))


_MEASURED = frozenset({"join", "sum", "sort", "unique", "min", "max", "groupby", "list"})
_UNWEIGHED = frozenset(
    {
        "list",
        "first",
        "last",
        "length",
        "count",
        "map",
        "select",
        "selectattr",
        "reject",
        "rejectattr",
        "items",
    }
    | {
        "batch",
        "slice",
        "default",
        "d",
        "reverse",
        "attr",
        "defined",
        "undefined",
        "none",
        "mapping",
        "sequence",
    }
    | {"string", "iterable", "sameas", "number", "boolean", "true", "false", "callable", "integer", "float"}
)
_SLOW = frozenset({"urlize", "striptags", "xmlattr", "wordwrap"})
_OF_CHARACTERS = frozenset(
    {"list", "sort", "unique", "batch", "slice", "groupby", "map", "join", "min", "max", "reverse", "title"}
)


def charge(value: object) -> None:
    """Count what was made.

    Raises:
        LimitExceededError: It is too much.
    """
    if isinstance(value, str | bytes):
        METER.get().room(len(value))
    elif isinstance(value, list | tuple | Mapping):
        METER.get().objects(len(value))
