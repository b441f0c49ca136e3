"""One line of a bill: so many units at such a price; and the table that lines are shown in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from piecework._cost.amounts import plain

__all__ = ["CostLine", "table_text"]


@dataclass(frozen=True, slots=True)
class CostLine:
    """What one component of a request costs.

    Attributes:
        name: `input`, `cached input`, `cache write`, `output`, `reasoning`, `requests`, or what else is billed.
        n: How many units, in one request.
        unit: `tokens`, or what is counted.
        per: How many units the price is for: 1,000,000 for tokens.
        price_usd: The price of that many units.
        amount_usd: What these units cost.
        share_of_tokens: Of all tokens of the request, from 0 to 1; None where the unit is not a token.
        share_of_cost: Of the request's cost; None where that is 0.
    """

    name: str
    n: Decimal
    unit: str
    per: int
    price_usd: Decimal
    amount_usd: Decimal
    share_of_tokens: float | None = None
    share_of_cost: float | None = None

    @property
    def is_tokens(self) -> bool:
        """Whether what is counted are tokens."""
        return self.unit == "tokens"

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it; amounts as exact digits."""
        return {
            "name": self.name,
            "n": int(self.n) if self.n == self.n.to_integral_value() else float(self.n),
            "unit": self.unit,
            "per": self.per,
            "price_usd": plain(self.price_usd),
            "amount_usd": plain(self.amount_usd),
            "share_of_tokens": self.share_of_tokens,
            "share_of_cost": self.share_of_cost,
        }


def table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], *, n_left: int = 1) -> str:
    """Writes a table: the first `n_left` columns start on the left, the others, which are numbers, end on the right.

    Examples:
        >>> print(table_text(["part", "tokens"], [["input", "10"], ["output", "5"]]))
        part    tokens
        input       10
        output       5
    """
    lines = [heads, *rows]
    widths = [max(len(row[at]) for row in lines) for at in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < n_left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in lines
    )
