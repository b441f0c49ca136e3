"""What a count is: a number, and how far it can be trusted. Here, below all rooms, since every room that counts gives one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._types import Basis

__all__ = ["Count", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of what was counted.

    Attributes:
        name: What it is.
        n_tokens: Its tokens; those of all parts add up to the count.
    """

    name: str
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Count:
    """A count that says how far it can be trusted.

    Attributes:
        n: The number of tokens.
        basis: `"exact"` where the tokenizer is the model's own, `"estimate"` where another one stands in for it.
        tokenizer: The tokenizer that counted.
        fingerprint: That tokenizer's fingerprint.
        band: The least and the most that the true count can be, where that is known; an exact count is its own band.
        parts: What adds up to `n`.
    """

    n: int
    basis: Basis
    tokenizer: str
    fingerprint: str
    band: tuple[int, int] | None
    parts: tuple[Part, ...]

    def __repr__(self) -> str:
        band = "" if self.band == (self.n, self.n) else f", band={self.band}"
        return (
            f"Count({self.n}, {self.basis}, {self.tokenizer}, fingerprint {self.fingerprint[:12]}{band}, "
            f"parts {', '.join(f'{part.name} {part.n_tokens}' for part in self.parts)})"
        )

    def __int__(self) -> int:
        return self.n

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "n": self.n,
            "basis": self.basis,
            "tokenizer": self.tokenizer,
            "fingerprint": self.fingerprint,
            "band": None if self.band is None else list(self.band),
            "parts": [{"name": part.name, "n_tokens": part.n_tokens} for part in self.parts],
        }
