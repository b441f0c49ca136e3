"""A string whose characters know their origin: a `str` subclass with runs of one origin each.

What Python's own methods return for it is a plain `str`, whose origin counts as unknown; the operations that chat
templates use are defined here so that the origins survive. The text is always exactly what `str` would give.
"""

# ruff: noqa: SLF001 - what a class would have as methods are functions here, since templates could call methods

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Self, SupportsIndex, TypeVar

from piecework._chat.engine.limits import in_time
from piecework._chat.engine.origins import TEMPLATE, UNKNOWN, Origin

__all__ = [
    "Tracked",
    "as_tracked",
    "by_character",
    "concat",
    "literal",
    "mapped",
    "plain",
    "runs_of",
    "tracked",
    "uniform",
    "with_origins",
]


class Tracked(str):
    """Text with the origin of each character.

    The attributes are private because templates may read every public one.
    """

    __slots__ = ("_origins", "_stops")
    _stops: tuple[int, ...]
    _origins: tuple[Origin, ...]

    def __new__(cls, text: str, stops: tuple[int, ...], origins: tuple[Origin, ...]) -> Self:
        self = super().__new__(cls, text)
        self._stops = stops
        self._origins = origins
        return self

    def __str__(self) -> str:
        return self

    def __add__(self, other: object) -> Tracked:
        # Markup escapes what it is added to, in its own way.
        if isinstance(other, Tracked) or (isinstance(other, str) and not hasattr(other, "__html__")):
            return concat((self, other))
        return NotImplemented

    def __radd__(self, other: object) -> Tracked:
        return concat((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, n: SupportsIndex) -> Tracked:
        text = str.__mul__(self, n)
        if len(self._origins) <= 1:
            return _like(self, text)
        return concat([self] * n.__index__())

    __rmul__ = __mul__

    def __getitem__(self, key: SupportsIndex | slice) -> Tracked:
        if not isinstance(key, slice):
            str.__getitem__(self, key)
            index = key.__index__() % len(self)
            return _cut(self, index, index + 1)
        start, stop, step = key.indices(len(self))
        if step == 1:
            return _cut(self, start, max(start, stop))
        picked = str.__getitem__(self, key)
        if len(self._origins) <= 1:
            return _like(self, picked)
        return _with_each(
            picked, [self._origins[bisect_right(self._stops, i)] for i in range(start, stop, step)]
        )

    def __iter__(self) -> Iterator[Tracked]:
        return (_cut(self, i, i + 1) for i in in_time(range(len(self))))

    def lstrip(self, chars: str | None = None, /) -> Tracked:
        """As str.lstrip, keeping origins."""
        return _cut(self, len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> Tracked:
        """As str.rstrip, keeping origins."""
        return _cut(self, 0, len(str.rstrip(self, chars)))

    def strip(self, chars: str | None = None, /) -> Tracked:
        """As str.strip, keeping origins."""
        start = len(self) - len(str.lstrip(self, chars))
        return _cut(self, start, start + len(str.strip(self, chars)))

    def removeprefix(self, prefix: str, /) -> Tracked:
        """As str.removeprefix, keeping origins."""
        return _cut(self, len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> Tracked:
        """As str.removesuffix, keeping origins."""
        return _cut(self, 0, len(str.removesuffix(self, suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Tracked]:  # type: ignore[override] # list is invariant
        """As str.split, keeping origins."""
        return _pieces(self, str.split(self, sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Tracked]:  # type: ignore[override] # list is invariant
        """As str.rsplit, keeping origins."""
        return _pieces(self, str.rsplit(self, sep, maxsplit), sep)

    def splitlines(self, keepends: bool = False) -> list[Tracked]:  # type: ignore[override] # noqa: FBT001, FBT002 - str's own signature
        """As str.splitlines, keeping origins."""
        out, at = [], 0
        for whole, line in in_time(
            zip(str.splitlines(self, keepends=True), str.splitlines(self, keepends), strict=True)
        ):
            out.append(_cut(self, at, at + len(line)))
            at += len(whole)
        return out

    def partition(self, sep: str, /) -> tuple[Tracked, Tracked, Tracked]:
        """As str.partition, keeping origins."""
        before, between, _ = str.partition(self, sep)
        return _three(self, len(before), len(between))

    def rpartition(self, sep: str, /) -> tuple[Tracked, Tracked, Tracked]:
        """As str.rpartition, keeping origins."""
        before, between, _ = str.rpartition(self, sep)
        return _three(self, len(before), len(between))

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Tracked:
        """As str.replace, keeping origins."""
        str.replace(self, old, new, 0)
        left = count.__index__()
        if not old:
            return _interleaved(self, new, left)
        first, *others = _pieces(self, str.split(self, old, left), old)
        out: list[str] = [first]
        for piece in others:
            out += (new, piece)
        return concat(out) if others else self

    def join(self, parts: Iterable[str], /) -> Tracked:
        """As str.join, keeping origins."""
        items = list(parts)
        str.join(self, items)
        between = [self] * (2 * len(items) - 1)
        between[::2] = items  # type: ignore[assignment] # plain str among them is of unknown origin
        return concat(between)

    def upper(self) -> Tracked:
        """As str.upper, keeping origins."""
        return mapped(self, str.upper)

    def lower(self) -> Tracked:
        """As str.lower, keeping origins."""
        return mapped(self, str.lower)

    def casefold(self) -> Tracked:
        """As str.casefold, keeping origins."""
        return mapped(self, str.casefold)

    def swapcase(self) -> Tracked:
        """As str.swapcase, keeping origins."""
        return mapped(self, str.swapcase)

    def title(self) -> Tracked:
        """As str.title, keeping origins where no character grows."""
        return mapped(self, str.title, by_context=True)

    def capitalize(self) -> Tracked:
        """As str.capitalize, keeping origins where no character grows."""
        return mapped(self, str.capitalize, by_context=True)

    def ljust(self, width: SupportsIndex, fill: str = " ", /) -> Tracked:
        """As str.ljust, keeping origins."""
        return _padded(self, 0, str.ljust(self, width, fill), fill)

    def rjust(self, width: SupportsIndex, fill: str = " ", /) -> Tracked:
        """As str.rjust, keeping origins."""
        text = str.rjust(self, width, fill)
        return _padded(self, len(text) - len(self), text, fill)

    def center(self, width: SupportsIndex, fill: str = " ", /) -> Tracked:
        """As str.center, keeping origins."""
        text = str.center(self, width, fill)
        # How an odd space is shared out depends on both lengths; a text without the fill character shows it.
        probe = str.center("\0" * len(self), width, "\1")
        return _padded(self, len(probe) - len(probe.lstrip("\1")), text, fill)

    def zfill(self, width: SupportsIndex, /) -> Tracked:
        """As str.zfill, keeping origins."""
        zeros = literal("0" * (len(str.zfill(self, width)) - len(self)))
        n_sign = 1 if str.startswith(self, ("+", "-")) else 0
        return concat((_cut(self, 0, n_sign), zeros, _cut(self, n_sign, len(self))))


Kind = TypeVar("Kind", bound=Tracked)
_EMPTY = Tracked("", (), ())


def tracked(text: str, origin: Origin) -> Tracked:
    """Text that is all of one origin."""
    return Tracked(text, (len(text),), (origin,)) if text else _EMPTY


def literal(text: str) -> Tracked:
    """Text that the template wrote."""
    return tracked(text, TEMPLATE)


def as_tracked(text: str) -> Tracked:
    """The text itself where its origins are known, else with an unknown one."""
    return text if isinstance(text, Tracked) else tracked(plain(text), UNKNOWN)


def plain(text: str) -> str:
    """The text as exactly a `str`."""
    return str.__str__(text)


def uniform(text: Tracked) -> Origin:
    """The one origin of all the text (an empty one is the template's); unknown where there are several."""
    if not text._origins:
        return TEMPLATE
    return text._origins[0] if len(text._origins) == 1 else UNKNOWN


def concat(parts: Iterable[str]) -> Tracked:
    """The parts joined; a part that is a plain `str` has an unknown origin."""
    kept = [part for part in parts if len(part)]
    stops: list[int] = []
    origins: list[Origin] = []
    at = 0
    for part in in_time(kept):
        known = as_tracked(part) if isinstance(part, Tracked) else None
        for stop, origin in (
            zip(known._stops, known._origins, strict=True) if known else ((len(part), UNKNOWN),)
        ):
            if origins and origins[-1] is origin:
                stops[-1] = at + stop
            else:
                stops.append(at + stop)
                origins.append(origin)
        at += len(part)
    return Tracked("".join(kept), tuple(stops), tuple(origins))


def by_character(text: str, write: Callable[[str], str], expected: str) -> Tracked:
    """Text in which each character of another is written in its own way, such as escaped, with the origins kept.

    Args:
        text: What is written.
        write: How one character is written.
        expected: How the whole is written.

    Returns:
        `expected`, with origins; of unknown origin where the characters' ways joined are something else.
    """
    known = as_tracked(text)
    if len(known._origins) <= 1:
        return _like(known, expected)
    ends, total = [], 0
    for character in in_time(plain(text)):
        total += len(write(character))
        ends.append(total)
    if total != len(expected):
        return tracked(expected, UNKNOWN)
    return Tracked(expected, tuple(ends[stop - 1] for stop in known._stops), known._origins)


def runs_of(text: Tracked) -> Iterator[tuple[int, int, Origin]]:
    """Start, stop and origin of each run."""
    start = 0
    for stop, origin in zip(text._stops, text._origins, strict=True):
        yield start, stop, origin
        start = stop


def with_origins(text: Tracked, change: Callable[[Origin], Origin]) -> Tracked:
    """The same text with each origin put through a function."""
    return Tracked(plain(text), text._stops, tuple(change(origin) for origin in text._origins))


def recast(text: Tracked, kind: type[Kind]) -> Kind:
    """The same text as another class of tracked text."""
    return kind(plain(text), text._stops, text._origins)


def _like(text: Tracked, new: str) -> Tracked:
    """New text that is all of the one origin of another."""
    return tracked(new, text._origins[0] if text._origins else TEMPLATE)


def _with_each(text: str, origins: list[Origin]) -> Tracked:
    """Text with the origin of each of its characters."""
    ends = [
        i + 1 for i, origin in enumerate(origins) if i + 1 == len(origins) or origins[i + 1] is not origin
    ]
    return Tracked(text, tuple(ends), tuple(origins[end - 1] for end in ends))


def _cut(text: Tracked, start: int, stop: int) -> Tracked:
    part = str.__getitem__(text, slice(start, stop))
    if not part:
        return _EMPTY
    if len(part) == len(text):
        return text
    if len(text._origins) == 1:
        return Tracked(part, (len(part),), text._origins)
    first, last = bisect_right(text._stops, start), bisect_left(text._stops, stop) + 1
    stops = tuple([min(end, stop) - start for end in text._stops[first:last]])
    return Tracked(part, stops, text._origins[first:last])


def _pieces(text: Tracked, parts: list[str], sep: str | None) -> list[Tracked]:
    """The parts of a split where they stand: only white space, or exactly one separator, lies between two."""
    out, at = [], 0
    for part in in_time(parts):
        start = at if sep is not None else str.find(text, part, at)
        out.append(_cut(text, start, start + len(part)))
        at = start + len(part) + len(sep or "")
    return out


def _three(text: Tracked, n_before: int, n_between: int) -> tuple[Tracked, Tracked, Tracked]:
    end = n_before + n_between
    return _cut(text, 0, n_before), _cut(text, n_before, end), _cut(text, end, len(text))


def _interleaved(text: Tracked, new: str, count: int) -> Tracked:
    if not new:
        return text
    n = len(text) + 1 if count < 0 else min(count, len(text) + 1)
    out: list[str] = []
    for i in in_time(range(n)):
        out += (new, _cut(text, i, i + 1))
    return concat([*out, _cut(text, n, len(text))])


def mapped(text: Tracked, change: Callable[[str], str], *, by_context: bool = False) -> Tracked:
    """Text put through a function that changes single characters, and shortens none.

    Args:
        text: The text.
        change: The function.
        by_context: What becomes of a character depends on others; where one grows, the origins are then unknown.
    """
    new = change(plain(text))
    if len(text._origins) <= 1:
        return _like(text, new)
    if len(new) == len(text):  # no character shrinks, so none has grown
        return Tracked(new, text._stops, text._origins)
    return tracked(new, UNKNOWN) if by_context else by_character(text, change, new)


def _padded(text: Tracked, n_before: int, new: str, fill: str) -> Tracked:
    pad = fill if isinstance(fill, Tracked) else tracked(fill, TEMPLATE if fill == " " else UNKNOWN)
    return concat((pad * n_before, text, pad * (len(new) - len(text) - n_before)))
