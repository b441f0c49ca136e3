"""What cut each pretoken: which pre-tokenizer, and which alternative of its pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias, overload

__all__ = ["Cut", "CutRow", "Cuts"]

CutRow: TypeAlias = tuple[int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class Cut:
    """What cut a pretoken.

    Attributes:
        stage: The place of the pre-tokenizer that made its last cut, in `Stages.pre_tokenizers`; None where none cuts.
        alternative: Which alternative of its pattern matched, from 0; None where that cannot be told, or nothing did.
        rule: The alternative as the pattern has it, or the name of the rule.
    """

    stage: int | None
    alternative: int | None
    rule: str


class Cuts(Sequence[Cut]):
    """What cut each pretoken of a text, found when the first is asked for. Equal to the equal tuple."""

    __slots__ = ("_find", "_length", "_rows")

    def __init__(self, length: int, find: Callable[[], Sequence[Sequence[CutRow]]]) -> None:
        self._length = length
        self._find = find
        self._rows: Sequence[CutRow] | None = None

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Cut: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Cut, ...]: ...
    def __getitem__(self, index: int | slice) -> Cut | tuple[Cut, ...]:
        if self._rows is None:
            self._rows = list(chain.from_iterable(self._find()))
        if isinstance(index, slice):
            return tuple(Cut(*row) for row in self._rows[index])
        return Cut(*self._rows[index])

    def __eq__(self, other: object) -> bool:
        return self[:] == (other[:] if isinstance(other, Cuts) else other)

    def __hash__(self) -> int:
        return hash(self[:])

    def __repr__(self) -> str:
        return repr(self[:])

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)
