"""The lines of a bill out of genai-prices' tables: each priced unit, with what no narrower one has taken."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from piecework._cost.amounts import EXACT
from piecework._cost.line import CostLine

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, PriceCalculation, TieredPrices
    from genai_prices.units import UnitDef, UnitRegistry

    from piecework._cost.usage import Usage

__all__ = ["leaf_lines", "priced_keys", "registry", "unit_name", "with_reasoning"]

_NAMES = {
    "input_tokens": "input",
    "cache_read_tokens": "cached input",
    "cache_write_tokens": "cache write",
    "cache_write_5m_tokens": "cache write (5 minutes)",
    "cache_write_1h_tokens": "cache write (1 hour)",
    "output_tokens": "output",
    "output_reasoning_tokens": "reasoning",
    "requests": "request",
}
_ORDER = list(_NAMES.values())


def leaf_lines(
    total: PriceCalculation, values: Mapping[str, Decimal], registry: UnitRegistry
) -> list[CostLine]:
    """What genai-prices multiplies: each priced unit with what no narrower one has taken."""
    from genai_prices import Usage as PricedUsage  # noqa: PLC0415 - loaded with the table
    from genai_prices.decompose import compute_leaf_values  # noqa: PLC0415

    priced = priced_keys(total.model_price, registry)
    usage = PricedUsage(**values)
    leaves = compute_leaf_values(priced - {"requests"}, usage, registry.units)
    n_input = values.get("input_tokens", Decimal(0))
    lines = [
        _leaf_line(registry.units[key], Decimal(str(leaves[key])), total.model_price, n_input)
        for key in registry.units
        if leaves.get(key)
    ]
    if "requests" in priced:
        lines.append(_leaf_line(registry.units["requests"], Decimal(1), total.model_price, n_input))
    # The prompt first, whole, then the answer, then what else is billed.
    return sorted(lines, key=lambda line: _ORDER.index(line.name) if line.name in _ORDER else len(_ORDER))


def _leaf_line(unit: UnitDef, n: Decimal, prices: ModelPrice, n_input: Decimal) -> CostLine:
    from genai_prices.types import calc_unit_price  # noqa: PLC0415 - as above

    price: Decimal | TieredPrices = vars(prices)[unit.price_key]
    whole = calc_unit_price(price, unit.per, n_input, unit.per)
    amount = calc_unit_price(price, n, n_input, unit.per)
    is_tokens = unit.dimensions.get("family") == "tokens"
    name = "tokens" if is_tokens else unit.usage_key.replace("_", " ")
    return CostLine(unit_name(unit.usage_key), n, name, unit.per, whole, amount)


def with_reasoning(lines: list[CostLine], usage: Usage) -> list[CostLine]:
    """Parts the reasoning from the output that it is billed as."""
    n = usage.reasoning_tokens
    if not n or any(line.name == "reasoning" for line in lines):
        return lines
    found: list[CostLine] = []
    for line in lines:
        if line.name != "output" or line.n < n:
            found.append(line)
            continue
        for name, part in (("output", line.n - n), ("reasoning", Decimal(n))):
            amount = EXACT.divide(EXACT.multiply(line.price_usd, part), line.per)
            found += [CostLine(name, part, line.unit, line.per, line.price_usd, amount)] if part else []
    return found


def priced_keys(prices: ModelPrice, registry: UnitRegistry) -> set[str]:
    by_price = {unit.price_key: key for key, unit in registry.units.items()}
    return {by_price[key] for key, value in vars(prices).items() if value is not None and key in by_price}


def unit_name(usage_key: str) -> str:
    return _NAMES.get(usage_key, usage_key.replace("_", " "))


@cache
def registry() -> UnitRegistry:
    from genai_prices.data_units import unit_data  # noqa: PLC0415 - as above
    from genai_prices.units import UnitRegistry  # noqa: PLC0415

    return UnitRegistry(unit_data)
