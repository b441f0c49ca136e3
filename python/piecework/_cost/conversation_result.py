"""The cost of a conversation as a result: a row for each turn, totals, what savings save, and the rows of its chart."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING

from piecework._cost.amounts import plain, usd
from piecework._cost.line import table_text
from piecework._cost.result import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._budget.data_sources import DataSource
    from piecework._cost.usage import Usage
    from piecework._plots.kinds import KindName
    from piecework._types import Basis

__all__ = ["ConversationCost", "Saving", "Turn"]

_SHOWN = 12
_STACKED = ("system", "summary", "history", "question", "tools", "answer", "cached input", "input", "output")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        number: From 1.
        n_requests: Requests that it takes: the answer, tool calls, a summary.
        usage: Their tokens together.
        amount_usd: What they cost.
        cumulative_usd: What the conversation has cost up to here.
        parts: What fills the window at its answer, by kind: system, summary, history, question, tools, answer.
        said: What happened in it.
        n_prompt: Tokens of the prompt that is answered; None where that is all of `usage`.
    """

    number: int
    n_requests: int
    usage: Usage
    amount_usd: Decimal
    cumulative_usd: Decimal
    parts: tuple[tuple[str, int], ...]
    said: str = ""
    n_prompt: int | None = None

    @property
    def n_window(self) -> int:
        """Tokens that the answered prompt and its answer take of the window."""
        return sum(n for _, n in self.parts)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it; amounts as exact digits."""
        return {
            "turn": self.number,
            "n_requests": self.n_requests,
            "input_tokens": self.usage.input_tokens,
            "cached_tokens": self.usage.cached_tokens,
            "cache_write_tokens": self.usage.cache_write_tokens,
            "output_tokens": self.usage.output_tokens,
            "reasoning_tokens": self.usage.reasoning_tokens,
            "amount_usd": plain(self.amount_usd),
            "cumulative_usd": plain(self.cumulative_usd),
            "window_tokens": self.n_window,
            "parts": [{"part": name, "n_tokens": n} for name, n in self.parts],
            "said": self.said,
        }


@dataclass(frozen=True, slots=True)
class Saving:
    """What one way to save is worth.

    Attributes:
        name: The way.
        without_usd: What the conversation costs without it, all else alike.
        saved_usd: That, less what it costs with it; negative where the way costs more than it saves.
    """

    name: str
    without_usd: Decimal
    saved_usd: Decimal

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {
            "name": self.name,
            "without_usd": plain(self.without_usd),
            "saved_usd": plain(self.saved_usd),
        }


@dataclass(frozen=True, slots=True)
class ConversationCost:
    """What a conversation costs.

    Attributes:
        model: The model's name as given; None where prices were.
        priced_as: Provider and model whose prices they are; None for the caller's own.
        turns: Its turns.
        savings: What each way to save is worth.
        source: Whose prices they are, and of what date.
        held_on: The day whose prices they are, where one was chosen; None for today's.
        basis: How far the numbers of tokens can be trusted.
        counted_by: What counted them; None where they were given.
        window: Tokens of prompt and answer together; None where nobody says.
        is_replay: Whether it ran, and each turn is a request of its records.
        notes: What a reader must know.
    """

    model: str | None
    priced_as: str | None
    turns: tuple[Turn, ...]
    savings: tuple[Saving, ...]
    source: DataSource
    held_on: str | None = None
    basis: Basis = "exact"
    counted_by: str | None = None
    window: int | None = None
    is_replay: bool = False
    notes: tuple[str, ...] = ()

    @property
    def input_tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(turn.usage.input_tokens for turn in self.turns)

    @property
    def cached_tokens(self) -> int:
        """Of them, those read from a cache."""
        return sum(turn.usage.cached_tokens for turn in self.turns)

    @property
    def output_tokens(self) -> int:
        """Tokens of all answers, calls and summaries."""
        return sum(turn.usage.output_tokens for turn in self.turns)

    @property
    def total_usd(self) -> Decimal:
        """What all of it costs, in dollars, exactly."""
        return self.turns[-1].cumulative_usd

    @property
    def label(self) -> str:
        """How far its figures can be trusted, for a chart."""
        kind = "replayed" if self.is_replay else "planned"
        return f"{kind}, {self.basis} counts, prices: {self.source}, total {usd(self.total_usd)}"

    @property
    def chart_kinds(self) -> tuple[KindName, ...]:
        """What it is drawn as."""
        return ("conversation",)

    def chart_rows(self, kind: KindName) -> list[Mapping[str, object]]:
        """A row for each part of each turn, in the order in which a prompt has them: a chart stacks them so."""
        del kind
        return [
            {"turn": turn.number, "part": part, "n_tokens": n}
            for name in _STACKED
            for turn in self.turns
            for part, n in turn.parts
            if part == name
        ]

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it; amounts as exact digits."""
        return {
            "model": self.model,
            "priced_as": self.priced_as,
            "source": self.source.name,
            "date": self.source.date,
            "held_on": self.held_on,
            "basis": self.basis,
            "counted_by": self.counted_by,
            "is_replay": self.is_replay,
            "window": self.window,
            "n_turns": len(self.turns),
            "input_tokens": self.input_tokens,
            "cached_tokens": self.cached_tokens,
            "output_tokens": self.output_tokens,
            "total_usd": plain(self.total_usd),
            "turns": [turn.to_dict() for turn in self.turns],
            "savings": [saving.to_dict() for saving in self.savings],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        heads = ["turn", "input", "cached", "output", "cost", "so far", ""]
        rows = [_row(turn) for turn in self._shown()]
        if len(self.turns) > len(rows):
            rows.insert(_SHOWN // 2, ["…"] + [""] * (len(heads) - 1))
        totals = (self.input_tokens, self.cached_tokens, self.output_tokens)
        rows.append(["total", *(f"{n:,}" for n in totals), usd(self.total_usd), "", ""])
        table = table_text(heads[:-1], [row[:-1] for row in rows])
        ends = ["", *(row[-1] for row in rows)]
        lines = [f"{line}  {end}".rstrip() for line, end in zip(table.splitlines(), ends, strict=True)]
        of = f", {self.priced_as}" if self.priced_as else ""
        of += f", as on {self.held_on}" if self.held_on else ""
        counts = "as recorded" if self.is_replay else "as planned"
        counts = f"counted by {self.counted_by}" if self.counted_by else counts
        saved = [_saved(one) for one in self.savings]
        return "\n".join(
            [*lines, *saved, *self.notes, f"prices: {self.source}{of} · counts: {self.basis}, {counts}"]
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _shown(self) -> tuple[Turn, ...]:
        """The turns of the table: all of a short conversation, both ends of a long one."""
        half = _SHOWN // 2
        return self.turns if len(self.turns) <= _SHOWN else (*self.turns[:half], *self.turns[-half:])


def _row(turn: Turn) -> list[str]:
    usage = turn.usage
    numbers = (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    return [
        str(turn.number),
        *(f"{n:,}" for n in numbers),
        usd(turn.amount_usd),
        usd(turn.cumulative_usd),
        turn.said,
    ]


def _saved(saving: Saving) -> str:
    share = float(saving.saved_usd) / float(saving.without_usd) if saving.without_usd else None
    if saving.saved_usd < 0:
        return f"{saving.name}: costs {usd(saving.saved_usd.copy_negate())} more than it saves ({usd(saving.without_usd)} without)"
    return f"{saving.name}: saves {usd(saving.saved_usd)} ({percent(share)} of {usd(saving.without_usd)})"
