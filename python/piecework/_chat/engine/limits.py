"""Limits of time and size for one rendering: a template comes with a downloaded model and may be hostile.

Every loop iteration and call ticks; everything that makes a text or a list is measured before it is made.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["METER", "LimitExceededError", "Limits", "Meter", "check_number", "weigh"]

_MAX_NODES = 1_000_000
_MAX_BITS = 4096
_WORK_FACTOR = 32
_OBJECT = 64
"""What an object costs besides its contents, in the units of one character."""


class LimitExceededError(Exception):
    """A template went over a limit. It never leaves the engine: `render` makes it a `TemplateError`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a template may take.

    Attributes:
        max_seconds: The time for one rendering.
        max_chars: The longest text, and the most items of a list, that it may make. All it makes together may be 32
            times as much.
        max_source_chars: The longest template.
    """

    max_seconds: float = 10.0
    max_chars: int = 16_000_000
    max_source_chars: int = 500_000


@dataclass(slots=True)
class Meter:
    """What one rendering has used, and what it has looked at last.

    Attributes:
        limits: What it may use.
        today: The time that the template is told.
        messages: The index of each message by the identity of its mapping.
        last_message: The index of the message that was read last.
    """

    limits: Limits
    today: datetime
    messages: dict[int, int] = field(default_factory=dict)
    last_message: int | None = None
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

    def room(self, n: float) -> None:
        """Ask for room for a text of so many characters, or a list of so many items.

        Raises:
            LimitExceededError: There is none.
        """
        if n > self.limits.max_chars:
            shown = f"{n:,}" if math.isfinite(n) else "endlessly many"
            raise LimitExceededError(
                f"it asks for {shown} characters or items; the limit is {self.limits.max_chars:,}"
            )
        self._work += int(n)
        self.tick()

    def objects(self, n: int) -> None:
        """Ask for room for so many objects.

        Raises:
            LimitExceededError: There is none.
        """
        self.room(n)
        self._work += n * _OBJECT
        self.tick()


METER: ContextVar[Meter] = ContextVar("piecework_chat_meter")


def weigh(*values: object) -> int:
    """How many values there are, counting what containers hold as often as it is reached.

    A list that holds a list twice, which holds a list twice, and so on, is small and takes for ever to compare or print.

    Raises:
        LimitExceededError: There are more than a million.
    """
    n = 0
    waiting: list[object] = list(values)
    while waiting:
        value = waiting.pop()
        n += 1
        if isinstance(value, Mapping):
            waiting.extend(value.values())
            waiting.extend(key for key in value if isinstance(key, tuple))
        elif isinstance(value, list | tuple | set | frozenset):
            waiting.extend(value)
        if n + len(waiting) > _MAX_NODES:
            raise LimitExceededError(f"it handles a value that holds more than {_MAX_NODES:,} others")
    return n


def check_number(value: object) -> None:
    """Raise LimitExceededError for an int that is too long to compute with in bounded time."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise LimitExceededError(f"it computes with a number of {value.bit_length():,} bits")
