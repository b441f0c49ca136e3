"""A text on its way through a tokenizer, and why: the stages, and for each pretoken the model's own reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from piecework._explain.cuts import Cut, Cuts
from piecework._explain.made_on_demand import MadeOnDemand
from piecework._explain.pretokens import Pretokens, distinct_places, word_places
from piecework._explain.reasons import Reasons, read_reasons
from piecework._explain.stages import Stages, read_stages
from piecework._explain.trace_text import render_trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from piecework._explain.pretokens import Pretoken

__all__ = ["Cut", "Reasoner", "Trace", "Why", "explain"]

_MAX_PRETOKENS = 20


class Reasoner(Protocol):
    """What knows the reasons: the engine."""

    def reasons(self, piece: str, max_steps: int | None = None) -> Mapping[str, Any]:
        """Returns the native record of one pretoken, at most so many steps of it."""
        ...


class Why(MadeOnDemand[Reasons]):
    """The reasons of each pretoken."""

    __slots__ = ("_max_merges", "_native", "_pretokens")

    def __init__(self, native: Reasoner, pretokens: Sequence[Pretoken], max_merges: int | None) -> None:
        self._native = native
        self._pretokens = pretokens
        self._max_merges = max_merges

    def __len__(self) -> int:
        return len(self._pretokens)

    def _make(self, places: range) -> Iterator[Reasons]:
        texts = (self._pretokens[place].text for place in places)
        return (read_reasons(text, self._native.reasons(text, self._max_merges)) for text in texts)


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
        return distinct_places(self.pretokens, max_pretokens)

    def places(self, word: str) -> tuple[int, ...]:
        """Returns the place of each distinct pretoken that is `word`, with or without the space before it."""
        return word_places(self.pretokens, word)

    def n_distinct(self) -> int:
        """Returns how many pretokens differ."""
        return len(distinct_places(self.pretokens, None))

    def look_up_cuts(self, places: Iterable[int]) -> None:
        """Finds what cut the pretokens at places together; one by one takes a walk over the text each."""
        if isinstance(self.cuts, Cuts):
            self.cuts.look_up(places)

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
        places = self.distinct(None) if chosen is None else chosen
        self.look_up_cuts(places)
        for at in places:
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
    *,
    max_merges: int | None,
) -> Trace:
    """Makes the native records of one text into a trace.

    Args:
        name: The tokenizer's name.
        info: The native description of its stages.
        record: The native record of the text's stages.
        native: What gives the reasons.
        max_merges: The most merges, or places of a word, that are recorded of one pretoken; None for all.
    """
    if max_merges is not None and max_merges < 0:
        raise ValueError(f"max_merges is {max_merges}, and at least 0 is needed, or None for all")
    stages = read_stages(name, info, record)
    pretokens = stages.pretokens
    cuts: Sequence[Cut] = Cuts(pretokens) if isinstance(pretokens, Pretokens) else ()
    return Trace(stages, Why(native, pretokens, max_merges), cuts)
