"""A prompt cut into the stretches of its parts: callers' texts by origin, the template's text between them by its markers.

No template is known by name. A turn begins at a marker that starts turns and ends before the next one; what stands
around tools is scaffold; what the template adds for an answer is the generation prompt.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from piecework._chat.owners import Held, Owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._chat.marks import Mark

__all__ = ["Stretch", "lay_out"]

_SCAFFOLD = Owner("scaffold")
_TEMPLATE = Owner("template")
_GENERATION = Owner("generation")
_ENDS = frozenset({"turn end", "end"})


class Stretch(NamedTuple):
    """Part of a prompt's text; those of one prompt tile it."""

    owner: Owner
    start: int
    stop: int


def lay_out(
    n_chars: int, held: Sequence[Held], marks: Sequence[Mark], n_messages: int, answer: int | None
) -> list[Stretch]:
    """Cuts a prompt into stretches.

    Args:
        n_chars: Characters of the prompt.
        held: The callers' texts in it.
        marks: The markers that the template wrote.
        n_messages: Messages of the conversation.
        answer: Where the generation prompt begins, if that is known; None without one.

    Returns:
        Stretches that tile the text, none of them empty.
    """
    cut = _Cut(marks, [mark.start for mark in marks])
    at = cut.begin()
    end = n_chars if answer is None else max(answer, held[-1].stop if held else at)
    last: Held | None = None
    for item in held:
        cut.between(at, last, item)
        cut.add(item.owner, item.start, item.stop)
        at, last = item.stop, item
    cut.after_all(at, end, last, n_messages)
    cut.generation(end, n_chars)
    return cut.stretches


@dataclass(slots=True)
class _Cut:
    marks: Sequence[Mark]
    # Where each mark begins, to find those of a stretch.
    mark_starts: Sequence[int]
    stretches: list[Stretch] = field(default_factory=list)
    # The message whose turn is open: tools may stand inside it.
    turn: Owner | None = None

    def add(self, owner: Owner, start: int, stop: int) -> None:
        if stop > start:
            self.stretches.append(Stretch(owner, start, stop))

    def begin(self) -> int:
        """The begin token, where the text starts with one; returns where it ends."""
        if self.marks and self.marks[0].start == 0 and "begin" in self.marks[0].roles:
            self.add(Owner("begin"), 0, self.marks[0].stop)
            return self.marks[0].stop
        return 0

    def marks_in(self, start: int, stop: int) -> Sequence[Mark]:
        """The marks that begin in a stretch."""
        return self.marks[bisect_left(self.mark_starts, start) : bisect_left(self.mark_starts, stop)]

    def starts(self, start: int, stop: int) -> list[int]:
        """Where turns start in a stretch; a begin token before a turn belongs to it."""
        found: list[int] = []
        opening: Mark | None = None
        for mark in self.marks_in(start, stop):
            if "turn start" in mark.roles:
                found.append(
                    opening.start if opening is not None and opening.stop == mark.start else mark.start
                )
            opening = mark if "begin" in mark.roles else None
        return found

    def last_end(self, start: int, stop: int) -> Mark | None:
        """The last marker in a stretch that ends a turn."""
        ends = [mark for mark in self.marks_in(start, stop) if mark.roles & _ENDS]
        return ends[-1] if ends else None

    def between(self, start: int, last: Held | None, item: Held) -> None:
        """The template's text between two callers' texts, or before the first."""
        starts = self.starts(start, item.start)
        if not starts:
            self.in_one_turn(start, last, item)
            return
        self.close(start, starts[0], last)
        bounds = [*starts, item.start]
        first = 0 if last is None or last.owner.kind != "message" else (last.owner.number or 0) + 1
        owners = _turns_without_text(first, item.owner, len(starts) - 1)
        for at, owner in enumerate([*owners, _opened_by(item)]):
            self.add(owner, bounds[at], bounds[at + 1])
        self.turn = item.owner if item.owner.kind == "message" else None

    def in_one_turn(self, start: int, last: Held | None, item: Held) -> None:
        """Without a marker that starts a turn: after a message's end marker, else before the next text."""
        end = self.last_end(start, item.start) if last is not None else None
        if item.owner.kind != "message" or (last is not None and last.owner.kind == "tool"):
            is_around_tools = "tool" in {item.owner.kind, last.owner.kind if last is not None else ""}
            if last is not None and last.owner.kind == "message" and end is not None:
                self.add(last.owner, start, end.stop)
                start, self.turn = end.stop, None
            self.add(_SCAFFOLD if is_around_tools else item.owner, start, item.start)
            self.turn = self.turn or (item.owner if item.owner.kind == "message" else None)
            return
        boundary = start if end is None else end.stop
        if last is not None:
            self.add(last.owner, start, boundary)
        self.add(item.owner, boundary, item.start)
        self.turn = item.owner

    def close(self, start: int, stop: int, last: Held | None) -> None:
        """What stands between a caller's text and the next turn: the end of its own turn."""
        if last is None:
            self.add(_TEMPLATE, start, stop)
        elif last.owner.kind != "tool":
            self.add(last.owner, start, stop)
        else:
            end = self.last_end(start, stop) if self.turn is not None else None
            boundary = stop if end is None else end.start
            self.add(_SCAFFOLD, start, boundary)
            self.add(self.turn or _SCAFFOLD, boundary, stop)

    def after_all(self, start: int, stop: int, last: Held | None, n_messages: int) -> None:
        """What stands after the last of the callers' texts, before the generation prompt."""
        starts = self.starts(start, stop)
        self.close(start, starts[0] if starts else stop, last)
        first = 0 if last is None or last.owner.kind != "message" else (last.owner.number or 0) + 1
        owners = _turns_without_text(first, Owner("message", n_messages), len(starts))
        if len(starts) == n_messages - first + 1:
            # Some templates open the answer's turn whatever is asked for.
            owners = [*(Owner("message", number) for number in range(first, n_messages)), _GENERATION]
        for owner, (begin, end) in zip(owners, pairwise([*starts, stop]), strict=True):
            self.add(owner, begin, end)

    def generation(self, start: int, stop: int) -> None:
        """The generation prompt, and the thinking that it opens or leaves empty."""
        thinking = [mark.start for mark in self.marks if mark.start >= start and "thinking" in mark.roles]
        boundary = thinking[0] if thinking else stop
        self.add(_GENERATION, start, boundary)
        self.add(Owner("thinking"), boundary, stop)


def _opened_by(item: Held) -> Owner:
    return _SCAFFOLD if item.owner.kind == "tool" else item.owner


def _turns_without_text(first: int, until: Owner, n: int) -> list[Owner]:
    """The owners of turns that hold no caller's text: messages left empty, if they are as many; else the template itself."""
    if until.kind == "message" and until.number is not None and until.number - first == n:
        return [Owner("message", index) for index in range(first, until.number)]
    return [_TEMPLATE] * n
