"""Sequences whose items are made when they are asked for: a text of 20 MB has millions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MadeOnDemand"]

Item_co = TypeVar("Item_co", covariant=True)


class MadeOnDemand(Sequence[Item_co]):
    """Equal to the equal tuple, and pickled as one."""

    __slots__ = ()

    @abstractmethod
    def _make(self, places: range) -> Iterator[Item_co]:
        """Yields the items at places of the sequence."""

    @overload
    def __getitem__(self, index: int) -> Item_co: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item_co, ...]: ...
    def __getitem__(self, index: int | slice) -> Item_co | tuple[Item_co, ...]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return tuple(self._make(places))
        return next(self._make(range(places, places + 1)))

    def __iter__(self) -> Iterator[Item_co]:
        return self._make(range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | MadeOnDemand):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)
