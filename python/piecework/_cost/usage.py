"""What one request uses: tokens read, of them from a cache or into one, tokens written, and what else a provider bills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType

from piecework._cost.amounts import Amount, exact, whole
from piecework.errors import CostError

__all__ = ["Usage", "read_usage"]

_NOTHING: Mapping[str, Decimal] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Usage:
    """What one request uses.

    Attributes:
        input_tokens: All tokens of the prompt, those of a cache among them.
        output_tokens: All tokens written, reasoning among them.
        cached_tokens: Of the prompt's, those read from a cache.
        cache_write_tokens: Of the prompt's, those written into a cache.
        reasoning_tokens: Of the output's, those that nobody sees.
        units: What else is billed, by genai-prices' names of usage, such as `input_audio_tokens` or `web_searches`.
        n_images: Images, where a price for each is given.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    units: Mapping[str, Decimal] = field(default_factory=lambda: _NOTHING)
    n_images: int = 0

    @property
    def plain_input_tokens(self) -> int:
        """Tokens of the prompt that no cache has to do with."""
        return self.input_tokens - self.cached_tokens - self.cache_write_tokens

    @property
    def n_tokens(self) -> int:
        """Input and output."""
        return self.input_tokens + self.output_tokens

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (*(getattr(self, name) for name in _WHOLE), dict(self.units))

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        numbers: dict[str, object] = {name: getattr(self, name) for name in _WHOLE}
        return {**numbers, "units": {name: float(n) for name, n in self.units.items()}}


_WHOLE = (
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "n_images",
)


def _rebuild(*values: object) -> Usage:
    *numbers, units = values
    return read_usage(dict(zip(_WHOLE, numbers, strict=True)), units)  # type: ignore[arg-type]


def read_usage(numbers: Mapping[str, object], units: Mapping[str, Amount] | None = None) -> Usage:
    """Checks the numbers of a request.

    Args:
        numbers: By the names of `Usage`; those that are missing are 0.
        units: What else is billed.

    Raises:
        CostError: A number is negative, or a part is larger than its whole.
        TypeError: A number is not whole.
    """
    checked = {name: whole(numbers.get(name, 0), name) for name in _WHOLE}
    if units is not None and not isinstance(units, Mapping):
        raise TypeError(f"units are a mapping of names to amounts, not {type(units).__name__}")
    extra = {name: exact(n, name) for name, n in (units or {}).items()}
    usage = Usage(**checked, units=MappingProxyType(extra))
    if usage.plain_input_tokens < 0:
        raise CostError(
            f"cached_tokens ({usage.cached_tokens:,}) and cache_write_tokens ({usage.cache_write_tokens:,}) are parts of "
            f"input_tokens ({usage.input_tokens:,}), and together more than it",
            hint="input_tokens is the whole prompt; where a provider reports the parts beside each other, add them up",
        )
    if usage.reasoning_tokens > usage.output_tokens:
        raise CostError(
            f"reasoning_tokens ({usage.reasoning_tokens:,}) is a part of output_tokens ({usage.output_tokens:,}), and is more",
            hint="output_tokens is all that is written and billed; add the reasoning to it",
        )
    return usage
