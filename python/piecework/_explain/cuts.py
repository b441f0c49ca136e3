"""What cut each pretoken: which pre-tokenizer, and which alternative of its pattern."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework._explain.made_on_demand import MadeOnDemand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.pretokens import CutRow, Pretokens

__all__ = ["Cut", "Cuts"]

# Each walk begins at the beginning of the text. Who reads one cut after the other has twice as many at each.
_MIN_BLOCK = 256


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


class Cuts(MadeOnDemand[Cut]):
    """What cut each pretoken of a text, found when it is asked for."""

    __slots__ = ("_pretokens", "_rows")

    def __init__(self, pretokens: Pretokens) -> None:
        self._pretokens = pretokens
        self._rows: dict[int, CutRow] = {}

    def __len__(self) -> int:
        return len(self._pretokens)

    def look_up(self, places: Iterable[int]) -> None:
        """Finds what cut the pretokens at places together: a walk over the text each is what takes time."""
        missing = [place for place in places if place not in self._rows]
        if missing:
            self._rows.update(self._pretokens.what_cut(missing))

    def _make(self, places: range) -> Iterator[Cut]:
        if len(places) == 1 and places[0] not in self._rows:
            first = places[0]
            self.look_up(range(first, min(len(self), 2 * first + _MIN_BLOCK)))
        self.look_up(places)
        return (Cut(*self._rows[place]) for place in places)
