"""Many requests at one model's prices: what a token more of each kind costs is asked once for each step of the prices.

Within a step (a prompt below or above some length) every price is linear, so that the sum of a request follows from these
without the tables: a log of a million lines takes seconds where it took a quarter of an hour.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from piecework._cost.amounts import EXACT
from piecework._cost.usage import read_usage

if TYPE_CHECKING:
    from piecework._cost.usage import Usage

__all__ = ["StepRates"]

# Of each kind, the fields that one token more of it adds to.
_KINDS = {
    "plain_input_tokens": ("input_tokens",),
    "cached_tokens": ("input_tokens", "cached_tokens"),
    "cache_write_tokens": ("input_tokens", "cache_write_tokens"),
    "output_tokens": ("output_tokens",),
    "reasoning_tokens": ("output_tokens", "reasoning_tokens"),
}


class StepRates:
    """What requests cost, by the step that their prompt reaches."""

    def __init__(self, price: Callable[[Usage], Decimal], steps: tuple[int, ...]) -> None:
        """Prepares for one model.

        Args:
            price: What one request costs, by the tables.
            steps: The lengths of prompts over which another price holds, ascending.
        """
        self._price = price
        self._steps = steps
        self._known: dict[tuple[int, str], Decimal] = {}

    def amount(self, usage: Usage) -> Decimal:
        """What a request costs that uses nothing but tokens."""
        step = max((one for one in self._steps if usage.input_tokens > one), default=-1)
        # The shortest prompt of the step, all of it plain; what differs from it is added.
        n_base = step + 1
        total = self._rate(step, "")
        counts = {
            "plain_input_tokens": usage.plain_input_tokens - n_base,
            "cached_tokens": usage.cached_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "output_tokens": usage.output_tokens - usage.reasoning_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
        }
        for kind, n in counts.items():
            if n:
                total = EXACT.add(total, EXACT.multiply(self._rate(step, kind), n))
        return total

    def _rate(self, step: int, kind: str) -> Decimal:
        """What one token more of a kind costs; for no kind, what the shortest prompt of the step does."""
        found = self._known.get((step, kind))
        if found is None:
            numbers = {"input_tokens": step + 1}
            for name in _KINDS.get(kind, ()):
                numbers[name] = numbers.get(name, 0) + 1
            price = self._price(read_usage(numbers))
            found = EXACT.subtract(price, self._rate(step, "")) if kind else price
            self._known[step, kind] = found
        return found
