"""A plan's numbers, each with what it is worth and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._types import Basis

__all__ = ["Planned", "estimated", "exactly"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A number of a plan.

    Attributes:
        value: The number.
        basis: `"exact"` or `"estimate"`.
        how: How it was found; empty where it was just counted.
    """

    value: int | float
    basis: Basis
    how: str = ""

    def to_dict(self) -> dict[str, object]:
        """Returns value, basis and how."""
        return {"value": self.value, "basis": self.basis, "how": self.how}


def exactly(value: int, how: str = "") -> Planned:
    """A number that was counted."""
    return Planned(value, "exact", how)


def estimated(value: float, how: str) -> Planned:
    """A number that was reckoned; whole numbers stay whole."""
    return Planned(value, "estimate", how)
