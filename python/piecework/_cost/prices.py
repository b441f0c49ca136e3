"""Where the prices of a request come from: genai-prices by a model's name, or what the caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

from piecework.errors import UnknownPriceError

if TYPE_CHECKING:
    from decimal import Decimal

    from piecework._budget.data_sources import DataSource
    from piecework._cost.amounts import Amount
    from piecework._cost.line import CostLine
    from piecework._cost.usage import Usage

__all__ = ["PriceMap", "PriceSource", "find_prices"]

PriceMap: TypeAlias = "Mapping[str, Amount]"
"""The caller's own prices, by the names that `piecework.cost` lists."""


class PriceSource(Protocol):
    """Something that prices requests."""

    @property
    def source(self) -> DataSource:
        """Whose figures they are, and of what date."""

    @property
    def priced_as(self) -> str | None:
        """The provider and model whose prices they are; None for the caller's own."""

    @property
    def held_on(self) -> str | None:
        """The day whose prices they are, where the caller chose one."""

    @property
    def bills_cache_writes(self) -> bool:
        """Whether writing into a cache has a price of its own."""

    @property
    def bills_long_cache_writes(self) -> bool:
        """Whether writing for an hour has another price than writing for five minutes."""

    def lines(self, usage: Usage) -> list[CostLine]:
        """The bill of one request; lines of nothing are left out."""

    def amount(self, usage: Usage) -> Decimal:
        """The sum of the lines of one request."""

    def notes(self, usage: Usage) -> Sequence[str]:
        """What a reader of the bill must know, such as a component without a price of its own."""

    def listed(self) -> Mapping[str, Decimal]:
        """The prices per million tokens, of the shortest prompt, by `input`, `output`, `cached` and `cache_write`."""


def find_prices(
    model: str | None,
    prices: PriceMap | None = None,
    *,
    provider: str | None = None,
    batch: bool = False,
    tier: str | None = None,
    at: date | datetime | None = None,
) -> PriceSource:
    """Finds what a model's requests cost.

    Args:
        model: Its name; None where prices are given.
        prices: The caller's own prices, which then hold in place of all others.
        provider: Whose service is meant.
        batch: Whether at the price of batches.
        tier: The service's tier, such as `flex` or `priority`.
        at: The day or moment of the request, in UTC where it says no time zone; None for now.

    Raises:
        UnknownPriceError: No price is known; the hint has close names.
        ValueError: Both a batch and a tier are asked for, or prices have a name that is none.
        TypeError: An argument is of another type.
    """
    for name, value in (("model", model), ("provider", provider), ("tier", tier)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} is a name, not {type(value).__name__}")
    if at is not None and not isinstance(at, date):
        raise TypeError(f"at is a date or a datetime, not {type(at).__name__}")
    if batch and tier is not None:
        raise ValueError("batch is a tier of its own: ask for batch or for a tier, not for both")
    if prices is not None:
        from piecework._cost.own_prices import read_prices  # noqa: PLC0415 - one of the two is needed

        if batch or tier is not None:
            asked = "batch" if batch else f"tier {tier}"
            raise UnknownPriceError(
                f"prices are given, and none of them is for {asked}",
                name=asked,
                hint="give the prices that hold there, and leave it out",
            )
        return read_prices(prices)
    if model is None:
        raise UnknownPriceError(
            "neither a model nor prices are given", name="", hint="name a model, or give prices="
        )
    from piecework._cost.table_prices import table_prices  # noqa: PLC0415 - as above

    usual = tier in {None, "default", "standard"}
    context = {"processing": "batch"} if batch else {} if usual else {"service_tier": str(tier)}
    return table_prices(model, provider=provider, context=context, at=at)
