"""One line of a budget: what some part of a request takes of the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._counts import Count

if TYPE_CHECKING:
    from piecework._types import Basis

__all__ = ["ANSWER", "FRAMING", "MARGIN", "Line", "line_of", "weakest"]

ANSWER, MARGIN, FRAMING = "answer", "margin", "template framing"
# From the best to the weakest: a sum is worth what the weakest of its terms is.
_WORTH: tuple[Basis, ...] = ("exact", "calibrated", "estimate", "lower-bound")


@dataclass(frozen=True, slots=True)
class Line:
    """What a part of a request takes.

    Attributes:
        name: The part: `system`, `tools`, `history`, `evidence`, `message`, `template framing`, `answer`, `margin`, or a
            name of the caller's.
        n_tokens: Its count.
        reserved_tokens: What is set aside for it: the upper end of the count's band, so at least `n_tokens`.
        basis: What the count is worth; `"exact"` for a number that the caller gave.
        n_items: How many messages, tools or texts it is.
    """

    name: str
    n_tokens: int
    reserved_tokens: int
    basis: Basis = "exact"
    n_items: int = 1

    def to_dict(self) -> dict[str, object]:
        """The line's members, for JSON."""
        return {
            "name": self.name,
            "n_tokens": self.n_tokens,
            "reserved_tokens": self.reserved_tokens,
            "basis": self.basis,
            "n_items": self.n_items,
        }


def line_of(name: str, count: Count | int, *, n_items: int = 1) -> Line:
    """The line of a count; of an estimate, the upper end of its band is set aside."""
    if isinstance(count, Count):
        upper = count.n if count.band is None else count.band[1]
        return Line(name, count.n, max(count.n, upper), count.basis, n_items)
    return Line(name, count, count, "exact", n_items)


def weakest(bases: list[Basis]) -> Basis:
    """What a sum of numbers is worth: as much as the weakest of them.

    Examples:
        >>> weakest(["exact", "estimate", "calibrated"]), weakest([])
        ('estimate', 'exact')
    """
    return max(bases, key=_WORTH.index, default="exact")
