"""Limits of time and size for one rendering: a template comes with a downloaded model and may be hostile.

Every loop iteration and call ticks; everything that makes a text or a list is measured before it is made.
"""

from __future__ import annotations

import time
from collections.abc import Collection, ItemsView, Iterable, Iterator, KeysView, ValuesView
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, cast

from jinja2.utils import Namespace

__all__ = ["METER", "LimitExceededError", "Limits", "Meter", "check_number", "in_time", "weigh"]

Item = TypeVar("Item")

_MAX_NODES = 300_000
_MAX_DEPTH = 200
_MAX_BITS = 4096
_WORK_FACTOR = 16
_PER_TICK = 4096
_OBJECT = 64
"""What an object costs besides its contents, in the units of one character."""


class LimitExceededError(Exception):
    """A template went over a limit. It never leaves the engine: `render` makes it a `TemplateError`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a template may take.

    Attributes:
        max_seconds: The time for one rendering.
        max_chars: The longest text, and the most items of a list, that it may make. All it makes together may be 16
            times as much.
        max_source_chars: The longest template.
    """

    max_seconds: float = 10.0
    max_chars: int = 16_000_000
    max_source_chars: int = 100_000


@dataclass(slots=True)
class Meter:
    """What one rendering has used, and what it has looked at last.

    Attributes:
        limits: What it may use.
        today: The time that the template is told.
        messages: The index of each message by the identity of its mapping.
        last_message: The index of the message that was read last.
        places: The path of each mapping and list of the caller's that is known, by its identity.
        last_read: The path of what was read last in messages, tools and documents; None for nothing.
    """

    limits: Limits
    today: datetime
    messages: dict[int, int] = field(default_factory=dict)
    last_message: int | None = None
    places: dict[int, str] = field(default_factory=dict)
    last_read: str | None = None
    _deadline: float = 0.0
    _work: int = 0

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.limits.max_seconds

    def tick(self) -> None:
        """Say that something was done once more.

        Raises:
            LimitExceededError: Time is up, or too much was made.
        """
        if time.monotonic() > self._deadline:
            raise LimitExceededError(f"it runs for more than {self.limits.max_seconds:g} s")
        self._work += _OBJECT
        if self._work > self.limits.max_chars * _WORK_FACTOR:
            raise LimitExceededError(
                f"it makes more than {self.limits.max_chars * _WORK_FACTOR:,} characters of text on the way"
            )

    def room(self, n: int) -> None:
        """Ask for room for a text of so many characters, or a list of so many items.

        Raises:
            LimitExceededError: There is none.
        """
        self.fits(n)
        self._work += n
        self.tick()

    def fits(self, n: int) -> None:
        """Ask whether a text of so many characters, or a list of so many items, would be within the limit.

        Raises:
            LimitExceededError: It would not.
        """
        if n > self.limits.max_chars:
            raise LimitExceededError(
                f"it asks for {n:,} characters or items; the limit is {self.limits.max_chars:,}"
            )

    def objects(self, n: int) -> None:
        """Ask for room for so many objects.

        Raises:
            LimitExceededError: There is none.
        """
        self.room(n)
        self._work += n * _OBJECT
        self.tick()


METER: ContextVar[Meter] = ContextVar("piecework_chat_meter")


def in_time(items: Iterable[Item]) -> Iterator[Item]:
    """The same items; while a template runs, it ticks between thousands of them: one filter may go over millions."""
    meter = METER.get(None)
    for n, item in enumerate(items):
        if n % _PER_TICK == _PER_TICK - 1 and meter is not None:
            meter.tick()
        yield item


def weigh(*values: object) -> tuple[int, int, int]:
    """Measure what is about to be compared, hashed or printed, counting what containers hold as often as it is reached.

    A list that holds a list twice, which holds a list twice, and so on, is small and takes for ever to compare, hash or
    print; a very deep one overflows the stack of the interpreter.

    Args:
        values: The values.

    Returns:
        How many values there are, how deep they are nested, and how many characters their texts have.

    Raises:
        LimitExceededError: There are more than 300,000, they are nested more than 200 deep, or their texts are too long.
    """
    n = n_chars = 0
    level: Collection[object] = values
    for depth in range(_MAX_DEPTH):
        nested = [_parts(value) for value in level if isinstance(value, _CONTAINERS)]
        n += len(level)
        n_chars += sum([len(value) for value in level if isinstance(value, str | bytes)])
        if n + sum(map(len, nested)) > _MAX_NODES:
            raise LimitExceededError(f"it handles a value that holds more than {_MAX_NODES:,} others")
        if not nested:
            METER.get().fits(n_chars)
            return n, depth, n_chars
        level = [part for parts in nested for part in parts]
    raise LimitExceededError(f"it handles a value that is nested more than {_MAX_DEPTH} deep")


_CONTAINERS = (list, tuple, dict, set, frozenset, KeysView, ValuesView, ItemsView, Namespace)


def _parts(value: object) -> Collection[object]:
    if isinstance(value, Namespace):
        value = object.__getattribute__(value, "_Namespace__attrs")
    if isinstance(value, dict):
        return [*value.values(), *value]
    return cast("Collection[object]", value)


def check_number(value: object) -> None:
    """Raise LimitExceededError for an int that is too long to compute with in bounded time."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise LimitExceededError(f"it computes with a number of {value.bit_length():,} bits")
