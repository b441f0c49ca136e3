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
        basis: `"exact"` where the tokenizer is the model's own; `"calibrated"` where a provider's published rules went
            into it; `"estimate"` where another tokenizer, or figures of others' counts, stand in for it; `"lower-bound"`
            where something could not be counted, which `notes` name.
        tokenizer: What counted: a tokenizer, a table of figures, or a provider's endpoint.
        fingerprint: The tokenizer's fingerprint or the table's; "" for an endpoint, which has none.
        band: The least and the most that the true count can be, where that is known; an exact count is its own band.
        parts: What adds up to `n`.
        notes: What is not counted or stands on less than the rest, and the sources of what is not exact.
    """

    n: int
    basis: Basis
    tokenizer: str
    fingerprint: str
    band: tuple[int, int] | None
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        fingerprint = f", fingerprint {self.fingerprint[:12]}" if self.fingerprint else ""
        band = "" if self.band == (self.n, self.n) else f", band={self.band}"
        notes = f"; {'; '.join(self.notes)}" if self.notes else ""
        return (
            f"Count({self.n}, {self.basis}, {self.tokenizer}{fingerprint}{band}, "
            f"parts {', '.join(f'{part.name} {part.n_tokens}' for part in self.parts)}{notes})"
        )

    def __str__(self) -> str:
        """Returns the number, what it is worth, its parts and its notes, a line each."""
        lines = [self._head()]
        width = max((len(f"{part.n_tokens:,}") for part in self.parts), default=0)
        lines += [f"  {part.n_tokens:>{width},}  {_line(part.name)}" for part in self.parts]
        return "\n".join([*lines, *map(_line, self.notes)])

    def _repr_html_(self) -> str:
        import html  # noqa: PLC0415 - only notebooks need it

        rows = "".join(
            f'<tr><td style="text-align: right">{part.n_tokens:,}</td>'
            f'<td style="text-align: left">{html.escape(part.name)}</td></tr>'
            for part in self.parts
        )
        notes = "".join(f"<div><small>{html.escape(note)}</small></div>" for note in self.notes)
        return f"<div>{html.escape(self._head())}</div><table>{rows}</table>{notes}"

    def _head(self) -> str:
        band = "" if self.band in (None, (self.n, self.n)) else f" ({self.band[0]:,} to {self.band[1]:,})"
        return f"{self.n:,} token{'s' if self.n != 1 else ''}, {self.basis}{band} by {self.tokenizer}"

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
            "notes": list(self.notes),
        }


def _line(text: str) -> str:
    """A name that a caller gave, as one line that a terminal does not obey."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
