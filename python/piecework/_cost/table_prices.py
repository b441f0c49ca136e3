"""Prices by a model's name, through genai-prices' own calculation: long prompts, caches, batches, audio, searches, requests."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal, localcontext
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING

from piecework._budget.data_sources import genai_prices_source
from piecework._budget.known_models import Priced, close_models, find_priced
from piecework._cost.amounts import EXACT, add_up
from piecework._cost.line import CostLine
from piecework._cost.step_rates import StepRates
from piecework._cost.table_lines import leaf_lines, priced_keys, registry, unit_name, with_reasoning
from piecework.errors import CostError, UnknownPriceError

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, PriceCalculation, PriceVariant, TieredPrices
    from genai_prices.units import UnitRegistry

    from piecework._budget.data_sources import DataSource
    from piecework._cost.usage import Usage

__all__ = ["TablePrices", "table_prices"]

_LISTED = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cached",
    "cache_write_mtok": "cache_write",
}


@dataclass(frozen=True, slots=True)
class TablePrices:
    """The prices of a model in genai-prices.

    Attributes:
        entry: The model's entry.
        context: What was asked for beside the model: a tier, or batches.
        at: The moment of the request.
        is_chosen: Whether the caller chose that moment.
        rates: What many requests need only once; empty until one is priced.
    """

    entry: Priced
    context: Mapping[str, str]
    at: datetime
    is_chosen: bool = False
    rates: list[StepRates] = field(default_factory=list, compare=False, repr=False)

    @property
    def source(self) -> DataSource:
        """The package and its date."""
        return genai_prices_source()

    @property
    def priced_as(self) -> str:
        """Provider and model."""
        return self.entry.name

    @property
    def held_on(self) -> str | None:
        """The day whose prices they are, where the caller chose one."""
        return f"{self.at:%Y-%m-%d}" if self.is_chosen else None

    @property
    def bills_cache_writes(self) -> bool:
        """Whether writing into a cache has a price of its own."""
        return vars(self.prices()).get("cache_write_mtok") is not None

    @property
    def bills_long_cache_writes(self) -> bool:
        """Whether writing for an hour has another price."""
        return vars(self.prices()).get("cache_write_1h_mtok") is not None

    def listed(self) -> Mapping[str, Decimal]:
        """The prices per million tokens, of a prompt that reaches no higher step."""
        prices = vars(self.prices())
        found = {
            name: _at_least(price) for key, name in _LISTED.items() if (price := prices.get(key)) is not None
        }
        return MappingProxyType(found)

    def lines(self, usage: Usage) -> list[CostLine]:
        """The bill of one request; it adds up to what genai-prices calculates.

        Raises:
            UnknownPriceError: Something is used that has no price.
        """
        if usage.n_images:
            raise UnknownPriceError(
                f"genai-prices has no price for an image of {self.priced_as}",
                name="image",
                hint="give the images' tokens as units={'input_image_tokens': N}, or prices= with an 'image'",
            )
        units = registry()
        values = self._usage_values(usage, units)
        self._check_priced(values, units)
        with localcontext(EXACT):
            total = self._calculate(values)
            lines = leaf_lines(total, values, units)
            rest = total.total_price - sum((line.amount_usd for line in lines), Decimal(0))
        if rest:
            lines.append(CostLine("least that is billed", Decimal(1), "requests", 1, rest, rest))
        return with_reasoning(lines, usage)

    def amount(self, usage: Usage) -> Decimal:
        """The sum of the lines of one request, without the lines."""
        if usage.units or usage.n_images:
            return add_up(line.amount_usd for line in self.lines(usage))
        if not self.rates:
            self.rates.append(
                StepRates(lambda one: add_up(line.amount_usd for line in self.lines(one)), self.steps())
            )
        return self.rates[0].amount(usage)

    def steps(self) -> tuple[int, ...]:
        """The lengths of prompts over which another price holds, ascending."""
        tiers = [tier for price in vars(self.prices()).values() for tier in getattr(price, "tiers", ())]
        return tuple(sorted({tier.start for tier in tiers}))

    def notes(self, usage: Usage) -> list[str]:
        """Which components have no price of their own, which step of a price holds, and whether it changes in time."""
        units = registry()
        found = [
            f"{unit_name(key)} has no price of its own at {self.priced_as}: billed as {unit_name(other)}"
            for key, other in self._billed_as(self._usage_values(usage, units), units)
        ]
        reached = max((step for step in self.steps() if usage.input_tokens > step), default=None)
        if reached is not None:
            found.append(
                f"a prompt of more than {reached:,} tokens: all of it, and the answer, cost the price of long ones"
            )
        found += self._usual_prices(usage)
        if _changes_in_a_day(self.entry):
            found.append(f"the price depends on the hour; this is that of {self.at:%H:%M} UTC")
        return found

    def prices(self) -> ModelPrice:
        """The prices that hold at this moment in this tier."""
        return self.entry.model.get_prices(self.at, dict(self.context) or None)

    def _usual_prices(self, usage: Usage) -> list[str]:
        """Components that have no price of their own in the tier that was asked for."""
        variant = next((one for one in _active_variants(self) if one.when == dict(self.context)), None)
        if variant is None:
            return []
        parts = (("cache_read_mtok", usage.cached_tokens), ("cache_write_mtok", usage.cache_write_tokens))
        usual = [
            key for key, n in parts if n and key in vars(self.prices()) and key not in vars(variant.prices)
        ]
        return [
            f"{_LISTED[key].replace('_', ' ')}: the usual price, {_asked(self.context)} has none"
            for key in usual
        ]

    def _usage_values(self, usage: Usage, units: UnitRegistry) -> dict[str, Decimal]:
        """The usage by genai-prices' names; what is 0 is left out."""
        unknown = usage.units.keys() - (units.units.keys() - {"requests"})
        if unknown:
            close = [key for name in unknown for key in get_close_matches(name, units.units, n=3, cutoff=0.4)]
            raise CostError(
                f"units have genai-prices' names of usage, and {', '.join(sorted(unknown))} is none",
                hint=f"such as {', '.join(close or ['input_audio_tokens', 'web_searches', 'input_document_pages'])}",
            )
        values = {key: n for key, n in self._plain_values(usage).items() if n}
        return {**values, **usage.units}

    def _plain_values(self, usage: Usage) -> dict[str, Decimal]:
        values = {
            "input_tokens": Decimal(usage.input_tokens),
            "output_tokens": Decimal(usage.output_tokens),
            "cache_read_tokens": Decimal(usage.cached_tokens),
            "cache_write_tokens": Decimal(usage.cache_write_tokens),
        }
        if usage.reasoning_tokens and "output_reasoning_mtok" in vars(self.prices()):
            values["output_reasoning_tokens"] = Decimal(usage.reasoning_tokens)
        return values

    def _billed_as(self, values: Mapping[str, Decimal], units: UnitRegistry) -> list[tuple[str, str]]:
        """Usage without a price of its own, each with the narrowest usage that it is billed as part of."""
        priced = priced_keys(self.prices(), units)
        found: list[tuple[str, str]] = []
        for key in values.keys() - priced:
            wider = [units.units[other] for other in units.ancestor_usage_keys(key) & priced]
            if wider:
                found.append((key, max(wider, key=lambda unit: len(unit.dimensions)).usage_key))
        return sorted(found)

    def _check_priced(self, values: Mapping[str, Decimal], units: UnitRegistry) -> None:
        priced = priced_keys(self.prices(), units)
        billed = priced | {key for key, _ in self._billed_as(values, units)}
        missing = sorted(values.keys() - billed)
        if missing:
            known = ", ".join(unit_name(key) for key in units.units if key in priced)
            raise UnknownPriceError(
                f"no price is known for {' and '.join(map(unit_name, missing))} of {self.priced_as}",
                name=self.priced_as,
                hint=f"{f'known there: {known}; ' if known else ''}prices= gives your own",
            )

    def _calculate(self, values: Mapping[str, Decimal]) -> PriceCalculation:
        from genai_prices import Usage as PricedUsage  # noqa: PLC0415 - loaded with the table

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a kind of usage that this model never has
                return self.entry.model.calc_price(
                    PricedUsage(**values),
                    self.entry.provider,
                    genai_request_timestamp=self.at,
                    price_context=dict(self.context) or None,
                )
        except ValueError as error:
            raise CostError(
                f"{self.priced_as} cannot be priced: {error}",
                hint="what is missing stands in units=, also where it is 0",
            ) from error


def table_prices(
    model: str, *, provider: str | None, context: Mapping[str, str], at: date | datetime | None
) -> TablePrices:
    """Finds a model's prices.

    Raises:
        UnknownPriceError: The model is not there, has no price, or none of the tier.
    """
    entry = find_priced(model, provider)
    if entry is None:
        close = tuple(name for name in close_models(model) if find_priced(name, provider))
        service = f" of {provider}" if provider else ""
        near = f"close names are {', '.join(close)}; or " if close else ""
        raise UnknownPriceError(
            f"no price is known for {model}{service}",
            name=model,
            close_matches=close,
            hint=f"{near}prices= gives your own",
        )
    found = TablePrices(entry, MappingProxyType(dict(context)), _moment(at), at is not None)
    if context:
        _check_context(found, model)
    if not any(value is not None for value in vars(found.prices()).values()):
        raise UnknownPriceError(
            f"genai-prices lists {found.priced_as} without a price", name=model, hint="prices= gives your own"
        )
    return found


def _active_variants(found: TablePrices) -> list[PriceVariant]:
    """The tiers of a model that hold at the moment of the request."""
    return [
        variant
        for variant in found.entry.model.price_variants or ()
        if variant.constraint is None or variant.constraint.active(found.at)
    ]


def _check_context(found: TablePrices, model: str) -> None:
    """A tier that a model does not have would be billed as its usual one, in silence."""
    variants = _active_variants(found)
    is_own = any(found.entry.model is one for one in found.entry.provider.models)
    if is_own and any(variant.when == dict(found.context) for variant in variants):
        return
    asked = _asked(found.context)
    known = sorted({" ".join(variant.when.values()) for variant in variants}) if is_own else []
    near = f"known are {', '.join(known)}; " if known else ""
    raise UnknownPriceError(
        f"no {asked} price is known for {found.priced_as}",
        name=model,
        hint=f"{near}prices= gives your own",
    )


def _moment(at: date | datetime | None) -> datetime:
    if at is None:
        return datetime.now(tz=UTC)
    if not isinstance(at, datetime):
        return datetime.combine(at, time(12), tzinfo=UTC)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at


def _at_least(price: Decimal | TieredPrices) -> Decimal:
    return price if isinstance(price, Decimal) else price.base


def _changes_in_a_day(entry: Priced) -> bool:
    prices = entry.model.prices if isinstance(entry.model.prices, list) else []
    return any(hasattr(one.constraint, "start_time") for one in prices)


def _asked(context: Mapping[str, str]) -> str:
    return " ".join(context.values())
