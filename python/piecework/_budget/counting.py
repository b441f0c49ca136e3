"""How packing and budgets count: by whatever the caller has, an exact tokenizer, a rule, or an estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from piecework._budget.line import weakest
from piecework._counts import Count

if TYPE_CHECKING:
    from piecework._budget.content import Message
    from piecework._types import Basis

__all__ = ["Counting", "CountsMessages", "MessageCounter"]

CountsMessages: TypeAlias = "Callable[[Sequence[Message]], int | Count]"
"""Counts a list of messages as they would be sent."""


class Counting(Protocol):
    """What counts for one model."""

    def text(self, text: str) -> Count:
        """The count of a text alone."""

    def chat(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None) -> Count:
        """The count of messages with tools, as they are sent."""


class MessageCounter:
    """Counts messages through a function, and remembers what its numbers are worth.

    Attributes:
        n_counts: How often it counted.
    """

    def __init__(self, count: CountsMessages) -> None:
        self._count = count
        self._bases: list[Basis] = []
        self.n_counts = 0

    def __call__(self, messages: Sequence[Message]) -> int:
        """The tokens of messages; of an estimate, the upper end of its band."""
        self.n_counts += 1
        found: object = self._count(messages)
        if isinstance(found, Count):
            if found.basis not in self._bases:
                self._bases.append(found.basis)
            return found.n if found.band is None else max(found.n, found.band[1])
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise TypeError(f"count gives a number of tokens, not {found!r}")
        return found

    @property
    def basis(self) -> Basis:
        """What all its numbers together are worth; `"exact"` for a function that gives plain numbers."""
        return weakest(self._bases)
