"""What a template has read last of messages, tools and documents: where its failures and refusals come from."""

from __future__ import annotations

from types import BuiltinMethodType
from typing import TYPE_CHECKING, Any

from piecework._chat.engine.limits import METER
from piecework._chat.engine.taint import step
from piecework._chat.engine.tracked import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._chat.engine.limits import Meter

__all__ = ["note_call", "note_read", "start_reads"]

# Longer than what a path shows of a key.
_MAX_KEY = 100
_HOLDERS = ("messages", "tools", "documents")


def start_reads(meter: Meter, variables: Mapping[str, Any]) -> None:
    """Tell a meter where messages, tools and documents stand, before a template runs."""
    meter.messages.update((id(message), at) for at, message in enumerate(variables.get("messages", ())))
    for name in _HOLDERS:
        held = variables.get(name)
        if isinstance(held, list | tuple):
            _place_items(meter, held, name)


def note_read(holder: object, key: object, value: object) -> None:
    """Remember that a template read `holder[key]`; what it read is then known by its own path.

    Complexity: O(items of a list) the first time that it is read, else O(1).
    """
    if type(holder) is not dict:
        return
    meter = METER.get()
    index = meter.messages.get(id(holder))
    if index is not None:
        meter.last_message = index
    path = meter.places.get(id(holder))
    if path is None:
        return
    if not isinstance(key, str | int):
        meter.last_read = path
        return
    if key in holder or not (isinstance(key, str) and hasattr(dict, key)):
        path += step(plain(key)[:_MAX_KEY] if isinstance(key, str) else key)
    meter.last_read = path
    if key in holder and isinstance(value, dict | list | tuple) and id(value) not in meter.places:
        meter.places[id(value)] = path
        if not isinstance(value, dict):
            _place_items(meter, value, path)


def note_call(called: object, args: Sequence[object], value: object) -> None:
    """Remember what `holder.get(key)` read."""
    if isinstance(called, BuiltinMethodType) and called.__name__ == "get" and args:
        note_read(called.__self__, args[0], value)


def _place_items(meter: Meter, items: Sequence[object], path: str) -> None:
    for at, item in enumerate(items):
        if isinstance(item, dict):
            meter.places[id(item)] = f"{path}[{at}]"
