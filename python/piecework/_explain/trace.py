"""A text on its way through a tokenizer, and why: the stages, and for each pretoken the model's own reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

from piecework._explain.cuts import Cut, Cuts
from piecework._explain.reasons import Reasons, read_reasons
from piecework._explain.stages import Stages, read_stages
from piecework._explain.trace_text import render_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from piecework._explain.cuts import CutRow
    from piecework._explain.pretokens import Pretoken

__all__ = ["Cut", "Reasoner", "Trace", "Why", "explain"]

_MAX_PRETOKENS = 20


class Reasoner(Protocol):
    """What knows the reasons: the engine."""

    def reasons(self, piece: str) -> Mapping[str, Any]:
        """Returns the native record of one pretoken."""
        ...


class Why(Sequence[Reasons]):
    """The reasons of each pretoken, each made when it is asked for: a text of 20 MB has millions."""

    __slots__ = ("_native", "_pretokens")

    def __init__(self, native: Reasoner, pretokens: Sequence[Pretoken]) -> None:
        self._native = native
        self._pretokens = pretokens

    def __len__(self) -> int:
        return len(self._pretokens)

    @overload
    def __getitem__(self, index: int) -> Reasons: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Reasons, ...]: ...
    def __getitem__(self, index: int | slice) -> Reasons | tuple[Reasons, ...]:
        if isinstance(index, slice):
            return tuple(self._of(pretoken) for pretoken in self._pretokens[index])
        return self._of(self._pretokens[index])

    def __iter__(self) -> Iterator[Reasons]:
        return map(self._of, self._pretokens)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | Why):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (list(self),)

    def _of(self, pretoken: Pretoken) -> Reasons:
        return read_reasons(pretoken.text, self._native.reasons(pretoken.text))


@dataclass(frozen=True, slots=True)
class Trace:
    """A text on its way through a tokenizer, and why it became these tokens.

    Attributes:
        stages: What each stage makes of the text.
        why: The model's reasons for each of `stages.pretokens`, made when they are asked for.
        cuts: What cut each of them.
    """

    stages: Stages
    why: Sequence[Reasons]
    cuts: Sequence[Cut]

    @property
    def pretokens(self) -> Sequence[Pretoken]:
        """All pretokens, in order."""
        return self.stages.pretokens

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids, in order: what `Tokenizer.ids` returns for the same text."""
        return self.stages.ids

    def distinct(self, max_pretokens: int | None = _MAX_PRETOKENS) -> tuple[int, ...]:
        """Returns the places of the first pretokens that differ, at most so many; None for all."""
        seen: dict[str, int] = {}
        for at, pretoken in enumerate(self.pretokens):
            if max_pretokens is not None and len(seen) >= max_pretokens:
                break
            seen.setdefault(pretoken.text, at)
        return tuple(seen.values())

    def places(self, word: str) -> tuple[int, ...]:
        """Returns the place of each distinct pretoken that is `word`, with or without the space before it."""
        seen: dict[str, int] = {}
        for at, pretoken in enumerate(self.pretokens):
            if word in {pretoken.text, pretoken.text.strip(" ▁")}:
                seen.setdefault(pretoken.text, at)
        return tuple(seen.values())

    def n_distinct(self) -> int:
        """Returns how many pretokens differ."""
        return len({pretoken.text for pretoken in self.pretokens})

    def __str__(self) -> str:
        return render_trace(self, self.distinct())

    def __repr__(self) -> str:
        return str(self)

    def rows(self, chosen: Sequence[int] | None = None) -> Iterator[dict[str, object]]:
        """Yields what is known of each pretoken as JSON can hold it, one at a time.

        Args:
            chosen: The places of the pretokens; None for each distinct one, where it stands first.
        """
        pretokens = self.pretokens
        for at in self.distinct(None) if chosen is None else chosen:
            row = {"pretoken": at, "text": pretokens[at].text, "cut": asdict(self.cuts[at])}
            yield {**row, **self.why[at].to_dict()}

    def to_dict(self, chosen: Sequence[int] | None = None) -> dict[str, object]:
        """Returns all of it as JSON can hold it: the stages, and `why`, a row for each distinct pretoken."""
        return {**self.stages.to_dict(), "why": list(self.rows(chosen))}

    def _repr_html_(self) -> str:
        from piecework._explain.trace_html import trace_html  # noqa: PLC0415 - a terminal needs none

        return trace_html(self, self.distinct())


def explain(
    name: str,
    info: Mapping[str, Any],
    record: Mapping[str, Any],
    native: Reasoner,
    cuts: Callable[[], Sequence[Sequence[CutRow]]],
) -> Trace:
    """Makes the native records of one text into a trace.

    Args:
        name: The tokenizer's name.
        info: The native description of its stages.
        record: The native record of the text's stages.
        native: What gives the reasons.
        cuts: Says, when it is called, what cut the pretokens of each section of text.
    """
    stages = read_stages(name, info, record)
    pretokens = stages.pretokens
    return Trace(stages, Why(native, pretokens), Cuts(len(pretokens), cuts))
