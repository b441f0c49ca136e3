"""A conversation that has not begun: how long its turns are, and what is done to keep it cheap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from piecework._cost.amounts import whole
from piecework.errors import CostError

__all__ = ["MAX_REQUESTS", "Caching", "Plan", "Summarizing", "ToolLoop", "read_caching"]

MAX_REQUESTS = 1_000
"""Of one conversation; each sends all that came before it, so that the work grows with the square."""


@dataclass(frozen=True, slots=True)
class Caching:
    """How a service caches the start of prompts.

    Attributes:
        min_tokens: The shortest start that is cached; of most services 1,024.
        step_tokens: Only whole steps of this length are: 128 where a service says so.
        lifetime_s: Seconds that it is kept since its last use.
        gap_s: Seconds between one turn and the next; requests of one turn follow each other at once.
    """

    min_tokens: int = 1_024
    step_tokens: int = 1
    lifetime_s: int = 300
    gap_s: int = 0

    def n_cached(self, n_shared: int, *, is_new_turn: bool) -> int:
        """How many of the tokens shared with the last prompt are read from the cache."""
        if n_shared < self.min_tokens or (is_new_turn and self.gap_s > self.lifetime_s):
            return 0
        return n_shared - n_shared % self.step_tokens

    def n_held(self, n_tokens: int) -> int:
        """How many of a prompt's tokens are in the cache after it."""
        return 0 if n_tokens < self.min_tokens else n_tokens - n_tokens % self.step_tokens


@dataclass(frozen=True, slots=True)
class Summarizing:
    """History that becomes a summary.

    Attributes:
        every_turns: After how many turns.
        n_tokens: How long the summary is.
    """

    every_turns: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """Tools that a turn calls before it answers.

    Attributes:
        n_calls: How many calls, one after the other; each is a request of its own.
        call_tokens: What the model writes to call.
        result_tokens: What the tool returns.
    """

    n_calls: int
    call_tokens: int
    result_tokens: int

    @property
    def n_loop(self) -> int:
        """Tokens of a call and its result, which the next request sends."""
        return self.call_tokens + self.result_tokens


@dataclass(frozen=True, slots=True)
class Plan:
    """A conversation that has not begun.

    Attributes:
        n_turns: How many questions are asked and answered.
        system: Tokens before the first turn: system prompt and tools.
        user: Tokens of each question.
        answer: Tokens of each answer that stay in the history.
        reasoning: Tokens of each answer that nobody sees and that are not sent again.
        caching: How prompts are cached; None for not at all.
        trim_tokens: The longest prompt: older turns are dropped, whole, until the rest fits; None for no end.
        summarizing: When history becomes a summary; None for never.
        tools: The tool loop of each turn; None for none.
    """

    n_turns: int
    system: int = 0
    user: int = 0
    answer: int = 0
    reasoning: int = 0
    caching: Caching | None = None
    trim_tokens: int | None = None
    summarizing: Summarizing | None = None
    tools: ToolLoop | None = None

    @property
    def n_history(self) -> int:
        """Tokens that each turn leaves for the next ones to send again."""
        tools = self.tools
        return self.user + self.answer + (0 if tools is None else tools.n_calls * tools.n_loop)

    def input_tokens(self, n_turns: int) -> int:
        """Tokens of all prompts of so many turns, if none is trimmed or summarized.

        Examples:
            >>> Plan(5, 400, 150, 250).input_tokens(10)
            23500
        """
        n_calls = 0 if self.tools is None else self.tools.n_calls
        n_loops = 0 if self.tools is None else self.tools.n_loop * n_calls * (n_calls + 1) // 2
        each = (n_calls + 1) * (self.system + self.user) + n_loops
        return n_turns * each + (n_calls + 1) * self.n_history * (n_turns * (n_turns - 1) // 2)

    def checked(self) -> Plan:
        """The plan itself, if its numbers can be.

        Raises:
            CostError: A number is negative, or there would be too many requests.
            TypeError: A number is not whole.
        """
        least = {"n_turns": 1}
        for name in ("n_turns", "system", "user", "answer", "reasoning"):
            whole(getattr(self, name), name, least=least.get(name, 0))
        if self.trim_tokens is not None:
            whole(self.trim_tokens, "trim_tokens", least=1)
        for part in (self.caching, self.summarizing, self.tools):
            for name in () if part is None else part.__slots__:
                whole(getattr(part, name), name, least=1 if name in {"every_turns", "step_tokens"} else 0)
        n_requests = self.n_turns * (1 + (self.tools.n_calls if self.tools else 0))
        if n_requests > MAX_REQUESTS:
            raise CostError(f"{n_requests:,} requests are planned, and at most {MAX_REQUESTS:,} can be")
        return self

    def without(self, saving: str) -> Plan:
        """The same conversation without one of its savings: `caching`, `trim_tokens` or `summarizing`."""
        changes: dict[str, Any] = {saving: None}
        return replace(self, **changes)


def read_caching(cache: bool | Caching | Mapping[str, int]) -> Caching | None:  # noqa: FBT001 - a choice, or how
    """How prompts are cached: as usual, not at all, or as the fields say.

    Raises:
        ValueError: A name is none of the fields.
        TypeError: It is of another type.
    """
    if isinstance(cache, Caching):
        return cache
    if isinstance(cache, bool):
        return Caching() if cache else None
    if not isinstance(cache, Mapping):
        raise TypeError(f"cache is True, False, a Caching or its fields, not {type(cache).__name__}")
    unknown = cache.keys() - set(Caching.__slots__)
    if unknown:
        raise ValueError(
            f"cache has the fields {', '.join(Caching.__slots__)}; not {', '.join(sorted(unknown))}"
        )
    return Caching(**cache)
