"""What every value of a conversation must be: plain data of a depth that can be walked, with the path of what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from piecework.errors import MessageError

__all__ = ["check_depth", "kind_of", "list_at", "mapping_at", "refuse", "shown_type", "text_at"]

# Deeper than any schema of a tool; Python's own recursion ends at about a thousand.
_MAX_DEPTH = 100
# No real request holds so many lists and objects; one that holds itself twice doubles with each level.
_MAX_HOLDERS = 1_000_000
# The exact types first: asking for Mapping alone is slow.
_HOLDERS = (dict, list, tuple, Mapping)


def refuse(path: str, reason: str, *, hint: str | None = None) -> MessageError:
    """The error for what stands at a path."""
    return MessageError(f"{path}: {reason}", path=path, reason=reason, hint=hint)


def shown_type(value: object) -> str:
    """A value's type as JSON calls it, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a {type(value).__name__}"


def mapping_at(value: object, path: str, what: str) -> Mapping[str, Any]:
    """Returns an object; what an API's library returns in place of one is read as one.

    Raises:
        MessageError: It is none, or has a key that is no string.
    """
    if not isinstance(value, Mapping):
        dump = getattr(value, "model_dump", None)
        # A class itself has the method too, and nothing to dump.
        value = dump(exclude_none=True) if callable(dump) and not isinstance(value, type) else value
    if not isinstance(value, Mapping):
        raise refuse(path, f"{what} is an object, not {shown_type(value)}")
    for key in value:
        if not isinstance(key, str):
            raise refuse(path, f"a key is {key!r}; keys are strings")
    return value


def list_at(value: object, path: str, what: str) -> Sequence[Any]:
    """Returns a list.

    Raises:
        MessageError: It is none.
    """
    if isinstance(value, list | tuple):
        return value
    raise refuse(path, f"{what} is a list, not {shown_type(value)}")


def kind_of(holder: Mapping[str, Any]) -> str | None:
    """The type that an object says it is of; None where it says none, or no string."""
    kind = holder.get("type")
    return kind if isinstance(kind, str) else None


def text_at(holder: Mapping[str, Any], key: str, path: str) -> str:
    """Returns the string under a key.

    Raises:
        MessageError: There is none.
    """
    value = holder.get(key)
    if isinstance(value, str):
        return value
    reason = f"has no {key}" if key not in holder else f"{key} is a string, not {shown_type(value)}"
    raise refuse(path, reason)


def check_depth(value: object, path: str) -> None:
    """Refuses what is nested too deeply, or holds itself, before anything walks it.

    Raises:
        MessageError: It is.

    Complexity: O(values), without recursion.
    """
    level: list[object] = [value]
    n = 0
    for _ in range(_MAX_DEPTH):
        deeper: list[object] = []
        for item in level:
            if isinstance(item, _HOLDERS):
                inners = item.values() if isinstance(item, Mapping) else item
                deeper += [inner for inner in inners if isinstance(inner, _HOLDERS)]
        if not deeper:
            return
        n += len(deeper)
        if n > _MAX_HOLDERS:
            raise refuse(path, f"holds more than {_MAX_HOLDERS:,} lists and objects, or itself")
        level = deeper
    raise refuse(path, f"nested more than {_MAX_DEPTH} levels deep, or holds itself")
