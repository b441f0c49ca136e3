"""Where the normalizers changed a section of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from piecework._explain.made_on_demand import MadeOnDemand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import _core

__all__ = ["Change", "Changes"]

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """A place where the normalizer changed the text.

    Attributes:
        normalized_byte_span: The bytes of the section's normalized text that came out.
        byte_span: The bytes of the input that they were made from.
    """

    normalized_byte_span: Span
    byte_span: Span

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {"normalized_byte_span": self.normalized_byte_span, "byte_span": self.byte_span}


class Changes(MadeOnDemand[Change]):
    """The changes of one section."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.Pretokens) -> None:
        self._native = native

    def __len__(self) -> int:
        return self._native.n_changes

    def _make(self, places: range) -> Iterator[Change]:
        return (Change(*self._native.change(at)) for at in places)
