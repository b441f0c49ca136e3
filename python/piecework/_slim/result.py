"""What is offered: forms with their tokens, the cheapest first, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Form", "Slimmed"]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of the content.

    Attributes:
        name: Such as `json-min`.
        text: The content in this form.
        n_tokens: Its tokens, legend and headings included.
        n_saved: How many fewer than the content as given has.
        is_same_data: Whether it was parsed back and is the same data, with types, key order and the spelling of numbers (of
            `decimals`, their value). For text, whether it is the same text.
        is_lossy: Whether something is lost: digits that it was asked to lose, or white space of a text.
        says: What it is, and what a reader must know.
    """

    name: str
    text: str
    n_tokens: int
    n_saved: int
    is_same_data: bool
    is_lossy: bool
    says: str

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Slimmed:
    """Forms of one content.

    Attributes:
        tokenizer: The tokenizer's name.
        source: What the content was read as: `json`, `jsonl`, `csv`, `yaml` or `text`.
        n_tokens: Tokens of the content as given.
        forms: The forms, the cheapest first.
        left_out: Forms that are not offered, each with the reason.
        notes: What else a reader must know of the content, a sentence each.
    """

    tokenizer: str
    source: str
    n_tokens: int
    forms: tuple[Form, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Form | None:
        """The cheapest form that loses nothing and saves something; None where there is none."""
        return next((form for form in self.forms if form.is_same_data and form.n_saved > 0), None)

    def __getitem__(self, name: str) -> Form:
        """Returns the form of a name.

        Raises:
            KeyError: It is not offered.
        """
        for form in self.forms:
            if form.name == name:
                return form
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {
            "tokenizer": self.tokenizer,
            "source": self.source,
            "n_tokens": self.n_tokens,
            "forms": [form.to_dict() for form in self.forms],
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        rows = [("form", "tokens", "saved", "", "same data", "")]
        rows.append(("as given", f"{self.n_tokens:,}", "", "", "", self.source))
        for form in self.forms:
            share = f"{100 * form.n_saved / self.n_tokens:.1f} %" if self.n_tokens else ""
            proof = "lossy" if form.is_lossy else "yes" if form.is_same_data else "no"
            rows.append((form.name, f"{form.n_tokens:,}", f"{form.n_saved:,}", share, proof, form.says))
        widths = [max(len(row[at]) for row in rows) for at in range(6)]
        lines = [
            "  ".join(
                cell.rjust(width) if at in {1, 2, 3} else cell.ljust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        not_offered = (f"not offered: {name}: {why}" for name, why in self.left_out.items())
        return "\n".join([*lines, *not_offered, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
