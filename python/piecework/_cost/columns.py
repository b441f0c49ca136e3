"""Three columns about a model for a comparison: its window, its price, and what a million characters of a text cost in it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from piecework._budget.limits import Limit, model_limits
from piecework._cost.amounts import EXACT, plain
from piecework._cost.prices import PriceMap, find_prices
from piecework.errors import BudgetError, UnknownPriceError

if TYPE_CHECKING:
    from piecework._budget.data_sources import DataSource

__all__ = ["ModelColumns", "model_columns"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelColumns:
    """What is known of a model beside its tokens.

    Attributes:
        model: Its name.
        window: Tokens of prompt and answer together, with source and date; None where nobody says.
        input_usd: Dollars for a million tokens of the prompt; None where no price is known: never zero.
        source: Whose price that is.
        missing: Why a figure is None, a sentence each.
    """

    model: str
    window: Limit | None
    input_usd: Decimal | None
    source: DataSource | None
    missing: tuple[str, ...] = ()

    def million_characters_usd(self, n_tokens: int, n_characters: int) -> Decimal | None:
        """Dollars for reading a million characters of a text that has so many tokens and characters; None where unknown.

        Examples:
            >>> row = model_columns("gpt-4o")
            >>> row.million_characters_usd(250, 1_000)
            Decimal('0.625')
        """
        if self.input_usd is None or n_characters == 0:
            return None
        return (EXACT.divide(EXACT.multiply(self.input_usd, n_tokens), Decimal(n_characters))).normalize()

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "model": self.model,
            "window": None if self.window is None else self.window.to_dict(),
            "input_usd": None if self.input_usd is None else plain(self.input_usd),
            "price_source": None if self.source is None else self.source.to_dict(),
            "missing": list(self.missing),
        }


def model_columns(model: str, *, prices: PriceMap | None = None, window: int | None = None) -> ModelColumns:
    """Finds what is known of a model; what is not known is None, with the reason.

    Args:
        model: Its name.
        prices: The caller's own prices, in place of those that are known.
        window: The caller's own window.

    Examples:
        >>> row = model_columns("gpt-4o")
        >>> row.window.n_tokens, row.input_usd
        (128000, Decimal('2.5'))
        >>> model_columns("o200k_base").missing
        ('no window is known for o200k_base', 'no price is known for o200k_base')
    """
    missing: list[str] = []
    limit: Limit | None = None
    input_usd: Decimal | None = None
    source: DataSource | None = None
    try:
        limit = model_limits(model, window=window).window
    except BudgetError as error:
        missing.append(error.message)
    try:
        found = find_prices(model, prices)
        input_usd, source = found.listed().get("input"), found.source
        if input_usd is None:
            missing.append(f"no price for input is known of {model}")
    except UnknownPriceError as error:
        missing.append(error.message)
    return ModelColumns(model, limit, input_usd, source, tuple(missing))
