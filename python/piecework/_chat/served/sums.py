"""Parts, bands, bases and notes of a count, while it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from piecework._counts import Count, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._types import Basis

__all__ = ["Sum", "worst"]

_ORDER: Sequence[Basis] = ("exact", "calibrated", "estimate", "lower-bound")


def worst(*bases: Basis) -> Basis:
    """Returns the basis of a sum, which is that of its least certain part."""
    return max(bases, key=_ORDER.index)


@dataclass(slots=True)
class Sum:
    """A count in the making.

    Attributes:
        basis: What it is worth so far.
        parts: Its parts so far.
        notes: Its notes so far.
        least: The least that it can be so far.
        most: The most that it can be so far.
    """

    basis: Basis
    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    least: int = 0
    most: int = 0

    def add(self, name: str, n: int, *, band: tuple[int, int] | None = None, basis: Basis = "exact") -> None:
        """Adds a part; without a band of its own, it is as large as it says."""
        least, most = band or (n, n)
        self.parts.append(Part(name, n))
        self.least += least
        self.most += most
        self.basis = worst(self.basis, basis)

    def note(self, text: str) -> None:
        """Adds a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def lack(self, text: str) -> None:
        """Notes something that is not counted, so that the count is a lower bound."""
        self.note(text)
        self.basis = worst(self.basis, "lower-bound")

    def count(self, tokenizer: str, fingerprint: str) -> Count:
        """Returns the count. A lower bound has no band, since nothing is known of its most."""
        n = sum(part.n_tokens for part in self.parts)
        has_band = self.basis == "estimate" or (self.basis == "calibrated" and self.least != self.most)
        band = (
            (min(self.least, n), max(self.most, n)) if has_band else (n, n) if self.basis == "exact" else None
        )
        return Count(n, self.basis, tokenizer, fingerprint, band, tuple(self.parts), tuple(self.notes))
