"""What the pre-tokenizer cut, and the tokens that the model made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import _core

__all__ = ["Pretoken", "Pretokens"]


@dataclass(frozen=True, slots=True)
class Pretoken:
    """What the pre-tokenizer cut, and the tokens that the model made of it.

    Attributes:
        byte_span: Where it stands, in bytes of the section's normalized text.
        text: Its text.
        display: Its bytes in the display alphabet (a space as `Ġ`).
        ids: The ids of its tokens.
        pieces: Their readable pieces.
    """

    byte_span: tuple[int, int]
    text: str
    display: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "byte_span": self.byte_span,
            "text": self.text,
            "display": self.display,
            "ids": self.ids,
            "pieces": self.pieces,
        }


class Pretokens(Sequence[Pretoken]):
    """The pretokens of a text, each made when it is asked for: a text of 20 MB has millions. Equal to the equal tuple."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.Pretokens) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Pretoken: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Pretoken, ...]: ...
    def __getitem__(self, index: int | slice) -> Pretoken | tuple[Pretoken, ...]:
        places = range(len(self._native))[index]
        if isinstance(places, range):
            return tuple(Pretoken(*self._native[at]) for at in places)
        return Pretoken(*self._native[places])

    def __iter__(self) -> Iterator[Pretoken]:
        return (Pretoken(*self._native[at]) for at in range(len(self._native)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | Pretokens):
            return NotImplemented
        return len(self) == len(other) and all(map(Pretoken.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)
