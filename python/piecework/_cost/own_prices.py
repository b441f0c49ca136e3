"""Prices that the caller gives: per million tokens, per request, per image, or of a machine by the hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from piecework._budget.data_sources import DataSource
from piecework._cost.amounts import EXACT, Amount, add_up, exact, plain
from piecework._cost.line import CostLine
from piecework.errors import CostError, UnknownPriceError

if TYPE_CHECKING:
    from piecework._cost.usage import Usage

__all__ = ["OwnPrices", "read_prices"]

_MILLION = 1_000_000
_PER_TOKEN = ("input", "output", "cached", "cache_write", "reasoning")
_PER_THING = ("request", "image")
_MACHINE = ("gpu_hour", "n_gpus", "tokens_per_s", "input_tokens_per_s")
_NAMES = (*_PER_TOKEN, *_PER_THING, *_MACHINE)
# A price by the hour seldom has an end in decimals: a quotient is cut at as many digits as Python's own.
_QUOTIENTS = Context(prec=28)
_SHOWN = Context(prec=6)
_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The caller's prices, in dollars.

    Attributes:
        rates: By name: `input`, `output`, `cached`, `cache_write` and `reasoning` for a million tokens, `request`, `image`.
        source: Who says so, and when.
        machine: How they follow from a price by the hour; None where they were given as they are.
    """

    rates: Mapping[str, Decimal]
    source: DataSource
    machine: str | None = None

    @property
    def priced_as(self) -> str | None:
        """None: they are no model's of a list."""
        return None

    @property
    def held_on(self) -> None:
        """None: they hold on any day."""

    @property
    def bills_cache_writes(self) -> bool:
        """Whether there is a price for writing into a cache."""
        return "cache_write" in self.rates

    @property
    def bills_long_cache_writes(self) -> bool:
        """False: there is one price for writing."""
        return False

    def listed(self) -> Mapping[str, Decimal]:
        """The prices per million tokens."""
        return MappingProxyType({name: self.rates[name] for name in _PER_TOKEN if name in self.rates})

    def lines(self, usage: Usage) -> list[CostLine]:
        """The bill of one request.

        Raises:
            UnknownPriceError: Something is used that has no price.
        """
        if usage.units:
            raise UnknownPriceError(
                f"prices are given, and none for {', '.join(usage.units)}",
                name=next(iter(usage.units)),
                hint=f"own prices are for {', '.join(_NAMES)}",
            )
        tokens = (
            ("input", usage.plain_input_tokens, ("input",)),
            ("cached input", usage.cached_tokens, ("cached", "input")),
            ("cache write", usage.cache_write_tokens, ("cache_write", "input")),
            ("output", usage.output_tokens - usage.reasoning_tokens, ("output",)),
            ("reasoning", usage.reasoning_tokens, ("reasoning", "output")),
        )
        lines = [self._line(name, n, "tokens", _MILLION, rates) for name, n, rates in tokens if n]
        if "request" in self.rates:
            lines.append(self._line("request", 1, "requests", 1, ("request",)))
        if usage.n_images:
            lines.append(self._line("images", usage.n_images, "images", 1, ("image",)))
        return lines

    def amount(self, usage: Usage) -> Decimal:
        """The sum of the lines of one request."""
        return add_up(line.amount_usd for line in self.lines(usage))

    def notes(self, usage: Usage) -> list[str]:
        """Which components are billed at the price of another, and what a machine's price rests on."""
        missing = (
            ("cached", "input", usage.cached_tokens, "reading from the cache"),
            ("cache_write", "input", usage.cache_write_tokens, "writing into the cache"),
        )
        found = [
            f"no price is given for {what}: billed as {other}"
            for name, other, n, what in missing
            if n and name not in self.rates
        ]
        return [*([self.machine] if self.machine else []), *found]

    def _line(self, name: str, n: int, unit: str, per: int, rates: tuple[str, ...]) -> CostLine:
        price = next((self.rates[rate] for rate in rates if rate in self.rates), None)
        if price is None:
            wanted = "input_tokens_per_s" if self.machine and rates[-1] == "input" else rates[0]
            raise UnknownPriceError(
                f"no price is given for {name} ({n:,} {unit})", name=name, hint=f"give prices a {wanted!r}"
            )
        return CostLine(name, Decimal(n), unit, per, price, EXACT.divide(EXACT.multiply(price, n), per))


def read_prices(prices: Mapping[str, Amount]) -> OwnPrices:
    """Reads prices.

    Args:
        prices: By the names above, with `source` and `date` where they have one.

    Raises:
        CostError: One is negative or no number, or a machine's hour comes without its speed.
        TypeError: One is of another type.
        ValueError: A name is none of a price.

    Examples:
        >>> read_prices({"gpu_hour": 2, "tokens_per_s": 1000, "input_tokens_per_s": 20000}).machine
        '2 dollars an hour at 1000 output and 20000 input tokens a second: $0.555556 and $0.0277778 a million'
    """
    if not isinstance(prices, Mapping):
        raise TypeError(f"prices are a mapping of names to dollars, not {type(prices).__name__}")
    rest = dict(prices)
    source = DataSource(str(rest.pop("source", "given")), _day(rest.pop("date", None)))
    unknown = rest.keys() - set(_NAMES)
    if unknown:
        named = ", ".join(sorted(map(str, unknown)))
        raise ValueError(f"prices have the names {', '.join(_NAMES)}, source and date; not {named}")
    rates = {name: exact(value, f"the price {name}") for name, value in rest.items()}
    machine = {name: rates.pop(name) for name in _MACHINE if name in rates}
    said = _add_machine(rates, machine) if machine else None
    if not rates:
        raise UnknownPriceError(
            "prices are given, and there is none in them", name="", hint="give input and output"
        )
    return OwnPrices(MappingProxyType(rates), source, said)


def _day(value: object) -> str | None:
    return None if value is None else str(value)


def _add_machine(rates: dict[str, Decimal], machine: Mapping[str, Decimal]) -> str:
    """Adds the prices per million tokens that follow from a machine's hour, and says how."""
    if "gpu_hour" not in machine or "tokens_per_s" not in machine:
        raise CostError(
            "a price by the hour needs gpu_hour (dollars) and tokens_per_s (tokens written in a second by the whole machine)",
            hint="input_tokens_per_s, tokens read in a second, prices the prompt; n_gpus is 1 if it is not given",
        )
    if {"input", "output"} & rates.keys():
        raise CostError("a price by the hour and one by the token are given: give one of them")
    hour = EXACT.multiply(machine["gpu_hour"], machine.get("n_gpus", Decimal(1)))
    speeds = {"output": machine["tokens_per_s"], "input": machine.get("input_tokens_per_s")}
    for name, speed in speeds.items():
        if speed == 0:
            raise CostError("tokens_per_s is 0, so that a token costs without end")
        if speed is not None:
            rates[name] = _QUOTIENTS.divide(EXACT.multiply(hour, _MILLION), EXACT.multiply(speed, _SECONDS))
    known = [(name, speed, rates[name]) for name, speed in speeds.items() if speed is not None]
    speed_text = " and ".join(f"{plain(speed)} {name}" for name, speed, _ in known)
    price_text = " and ".join(f"${plain(_SHOWN.plus(rate))}" for _, _, rate in known)
    return f"{plain(hour)} dollars an hour at {speed_text} tokens a second: {price_text} a million"
