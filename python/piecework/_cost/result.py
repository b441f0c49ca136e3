"""What a call costs: its lines with their shares, the total, a million of them, the time to answer, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING

from piecework._cost.amounts import EXACT, add_up, plain, usd
from piecework._cost.line import table_text

if TYPE_CHECKING:
    from piecework._budget.data_sources import DataSource
    from piecework._cost.line import CostLine
    from piecework._cost.usage import Usage
    from piecework._types import Basis

__all__ = ["Cost", "percent"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls cost.

    Attributes:
        model: The model's name as given; None where prices were.
        priced_as: Provider and model whose prices they are; None for the caller's own.
        usage: The tokens of one request.
        n_requests: How many requests of this kind.
        lines: The bill of one request.
        source: Whose prices they are, and of what date.
        held_on: The day whose prices they are, where one was chosen; None for today's.
        basis: How far the counts can be trusted: the money follows from them exactly.
        band_usd: What one request costs at the least and the most, where the counts are known to a band; else None.
        counted_by: What counted the tokens; None where they were given.
        answer_s: Seconds until the answer is written, from the first token on; None where no speed is given.
        token_s: Seconds for a token of the answer.
        notes: What a reader must know.
    """

    model: str | None
    priced_as: str | None
    usage: Usage
    n_requests: int
    lines: tuple[CostLine, ...]
    source: DataSource
    held_on: str | None = None
    basis: Basis = "exact"
    band_usd: tuple[Decimal, Decimal] | None = None
    counted_by: str | None = None
    answer_s: Decimal | None = None
    token_s: Decimal | None = None
    notes: tuple[str, ...] = ()

    @property
    def request_usd(self) -> Decimal:
        """The cost of one request, in dollars, exactly."""
        return add_up(line.amount_usd for line in self.lines)

    @property
    def total_usd(self) -> Decimal:
        """The cost of all requests, in dollars, exactly."""
        return Decimal(plain(EXACT.multiply(self.request_usd, self.n_requests)))

    @property
    def million_usd(self) -> Decimal:
        """The cost of a million such requests, in dollars."""
        return Decimal(plain(EXACT.multiply(self.request_usd, _MILLION)))

    @property
    def input_usd(self) -> Decimal:
        """What the prompt of one request costs, with the images in it."""
        return add_up(line.amount_usd for line in self.lines if _is_input(line))

    @property
    def output_usd(self) -> Decimal:
        """What the answer of one request costs, with its reasoning."""
        return add_up(line.amount_usd for line in self.lines if _is_output(line))

    @property
    def input_share_of_tokens(self) -> float | None:
        """How much of all tokens the prompt is, from 0 to 1; None where there are none."""
        return self.usage.input_tokens / self.usage.n_tokens if self.usage.n_tokens else None

    @property
    def input_share_of_cost(self) -> float | None:
        """How much of the cost the prompt is, from 0 to 1; None where that is nothing."""
        return float(self.input_usd) / float(self.request_usd) if self.request_usd else None

    def __getitem__(self, name: str) -> CostLine:
        """Returns the line of a name.

        Raises:
            KeyError: There is none.
        """
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(name)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it; amounts as exact digits."""
        return {
            "model": self.model,
            "priced_as": self.priced_as,
            "source": self.source.name,
            "date": self.source.date,
            "held_on": self.held_on,
            "basis": self.basis,
            "counted_by": self.counted_by,
            "usage": self.usage.to_dict(),
            "n_requests": self.n_requests,
            "lines": [line.to_dict() for line in self.lines],
            "request_usd": plain(self.request_usd),
            "total_usd": plain(self.total_usd),
            "million_usd": plain(self.million_usd),
            "band_usd": None if self.band_usd is None else [plain(end) for end in self.band_usd],
            "input_usd": plain(self.input_usd),
            "output_usd": plain(self.output_usd),
            "input_share_of_tokens": self.input_share_of_tokens,
            "input_share_of_cost": self.input_share_of_cost,
            "answer_s": None if self.answer_s is None else float(self.answer_s),
            "token_s": None if self.token_s is None else float(self.token_s),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        heads = ["", "tokens", "per million", "cost", "of tokens", "of cost"]
        rows = [_row(line) for line in self.lines]
        rows.append(["total", f"{self.usage.n_tokens:,}", "", usd(self.request_usd), "", ""])
        return "\n".join([table_text(heads, rows), *self._said()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _said(self) -> list[str]:
        """The lines under the table."""
        said: list[str] = []
        if self.n_requests > 1:
            said.append(f"{self.n_requests:,} calls: {usd(self.total_usd)}")
        if self.n_requests != 1_000_000:
            said.append(f"a million calls: {usd(self.million_usd)}")
        if self.band_usd is not None:
            said.append(f"from {usd(self.band_usd[0])} to {usd(self.band_usd[1])}, by the band of the count")
        if self.answer_s is not None and self.token_s is not None:
            said.append(
                f"time to answer: {self.usage.output_tokens:,} × {float(self.token_s) * 1000:.6g} ms = {_seconds(self.answer_s)}, "
                "after the prompt, which is processed in parallel"
            )
        said += self.notes
        counts = (
            f"{self.basis}, counted by {self.counted_by}" if self.counted_by else f"{self.basis}, as given"
        )
        of = f", {self.priced_as}" if self.priced_as else ""
        of += f", as on {self.held_on}" if self.held_on else ""
        return [*said, f"prices: {self.source}{of} · counts: {counts}"]


def percent(share: float | None) -> str:
    """A share as a person reads it; empty where there is none.

    Examples:
        >>> percent(0.857142), percent(None)
        ('85.7 %', '')
    """
    return "" if share is None else f"{100 * share:.1f} %"


def _row(line: CostLine) -> list[str]:
    n = (
        f"{line.n:,}"
        if line.is_tokens
        else f"{line.n:,} {line.unit}"
        if line.name != line.unit
        else f"{line.n:,}"
    )
    price = usd(line.price_usd) if line.is_tokens else f"{usd(line.price_usd)} for {line.per:,}"
    return [
        line.name,
        n,
        price,
        usd(line.amount_usd),
        percent(line.share_of_tokens),
        percent(line.share_of_cost),
    ]


def _seconds(seconds: Decimal) -> str:
    return f"{seconds:.2f} s"


def _is_output(line: CostLine) -> bool:
    return line.name.startswith("output") or line.name == "reasoning"


def _is_input(line: CostLine) -> bool:
    return not _is_output(line) and line.unit != "requests" and "search" not in line.name
