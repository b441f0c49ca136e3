"""What the pre-tokenizer cut, and the tokens that the model made of it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeAlias

from piecework import _core
from piecework._explain.made_on_demand import MadeOnDemand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "CutRow",
    "Pretoken",
    "Pretokens",
    "distinct_places",
    "iter_ids",
    "last_ids",
    "n_ids",
    "pretokens_of",
    "word_places",
]

CutRow: TypeAlias = tuple[int | None, int | None, str]

# Ids that are made at once.
_BLOCK = 4_096


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


class Pretokens(MadeOnDemand[Pretoken]):
    """The pretokens of one or more sections of a text, in order."""

    __slots__ = ("_ends", "_natives")

    def __init__(self, natives: Sequence[_core.Pretokens]) -> None:
        self._natives = list(natives)
        self._ends = list(accumulate(map(len, self._natives)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _make(self, places: range) -> Iterator[Pretoken]:
        for place in places:
            section, at = self._split(place)
            yield Pretoken(*self._natives[section][at])

    @property
    def natives(self) -> Sequence[_core.Pretokens]:
        """The native record of each section."""
        return self._natives

    def distinct(self, max_places: int | None) -> tuple[int, ...]:
        """Returns the place of each text where it stands first, at most so many."""
        return self._joined(_core.Pretokens.distinct(self._natives, max_places))

    def places(self, word: str) -> tuple[int, ...]:
        """Returns the place of each distinct text that is `word`, with or without a space around it."""
        return self._joined(_core.Pretokens.places(self._natives, word))

    def what_cut(self, places: Iterable[int]) -> Iterator[tuple[int, CutRow]]:
        """Yields what cut the pretokens at places, each with its place, in one walk over the text."""
        of_sections: list[list[int]] = [[] for _ in self._natives]
        wanted = sorted(places)
        for place in wanted:
            section, at = self._split(place)
            of_sections[section].append(at)
        rows = chain.from_iterable(_core.Pretokens.what_cut(self._natives, of_sections))
        return zip(wanted, rows, strict=True)

    def _split(self, place: int) -> tuple[int, int]:
        section = bisect_right(self._ends, place)
        return section, place - (self._ends[section - 1] if section else 0)

    def _joined(self, places: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        return tuple(at + (self._ends[section - 1] if section else 0) for section, at in places)


def pretokens_of(sections: Sequence[Sequence[Pretoken]]) -> Sequence[Pretoken]:
    """Returns the pretokens of all sections; made on demand, unless they come out of a pickle."""
    natives: list[_core.Pretokens] = []
    for section in sections:
        if not isinstance(section, Pretokens):
            return tuple(chain.from_iterable(sections))
        natives.extend(section.natives)
    return Pretokens(natives)


def distinct_places(pretokens: Sequence[Pretoken], max_places: int | None) -> tuple[int, ...]:
    """Returns the place of each text where it stands first, at most so many; None for all."""
    if isinstance(pretokens, Pretokens):
        return pretokens.distinct(max_places)
    seen: dict[str, int] = {}
    for at, pretoken in enumerate(pretokens):
        seen.setdefault(pretoken.text, at)
    return tuple(seen.values())[:max_places]


def word_places(pretokens: Sequence[Pretoken], word: str) -> tuple[int, ...]:
    """Returns the place of each distinct text that is `word`, with or without a space around it."""
    if isinstance(pretokens, Pretokens):
        return pretokens.places(word)
    found = distinct_places(pretokens, None)
    return tuple(at for at in found if word in {pretokens[at].text, pretokens[at].text.strip(" ▁")})


def n_ids(pretokens: Sequence[Pretoken]) -> int:
    """Returns how many ids they have."""
    if isinstance(pretokens, Pretokens):
        return sum(native.n_ids for native in pretokens.natives)
    return sum(len(pretoken.ids) for pretoken in pretokens)


def iter_ids(pretokens: Sequence[Pretoken]) -> Iterator[int]:
    """Yields their ids in order."""
    if isinstance(pretokens, Pretokens):
        return chain.from_iterable(map(_ids, pretokens.natives))
    return chain.from_iterable(pretoken.ids for pretoken in pretokens)


def last_ids(pretokens: Sequence[Pretoken], max_ids: int) -> list[int]:
    """Returns the last of their ids, at most so many."""
    found: list[int] = []
    if not isinstance(pretokens, Pretokens):
        return list(iter_ids(pretokens))[-max_ids:]
    for native in reversed(pretokens.natives):
        found[:0] = native.ids(max(0, native.n_ids - max_ids + len(found)), native.n_ids)
        if len(found) >= max_ids:
            break
    return found


def _ids(native: _core.Pretokens) -> Iterator[int]:
    for start in range(0, native.n_ids, _BLOCK):
        yield from native.ids(start, start + _BLOCK)
