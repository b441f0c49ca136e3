"""What a conversation sends, request by request, before any of it is sent: turns, tool loops, trimming, summaries, a cache.

A prompt is a row of blocks, each with its tokens; the start that it shares with the prompt before it is what a cache can
hold. So trimming and summarizing show what they do to the cache, with no rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from piecework.errors import ContextOverflowError

if TYPE_CHECKING:
    from piecework._cost.plan import Caching, Plan

__all__ = ["Request", "requests_of"]


class Request(NamedTuple):
    """One request of a conversation.

    Attributes:
        turn: Its turn, from 1.
        purpose: `answer`, `tool call` or `summary`.
        parts: Tokens of the prompt by kind, in order: `system`, `summary`, `history`, `question`, `tools`.
        n_cached: Of them, read from the cache.
        n_written: Of them, written into it, where that is billed.
        n_output: Tokens written, reasoning among them.
        n_reasoning: Of them, reasoning.
        n_dropped: Turns of the history that trimming has left out.
    """

    turn: int
    purpose: str
    parts: tuple[tuple[str, int], ...]
    n_cached: int
    n_written: int
    n_output: int
    n_reasoning: int
    n_dropped: int = 0

    @property
    def n_input(self) -> int:
        """Tokens of the prompt."""
        return sum(n for _, n in self.parts)


class _Block(NamedTuple):
    """A piece of a prompt that is sent as a whole; its key is unlike that of any other piece of the conversation."""

    key: tuple[int, str, int]
    n_tokens: int


_Turn = tuple[_Block, ...]


@dataclass(slots=True)
class _State:
    """Where a conversation stands, and what a cache holds of it.

    Attributes:
        plan: The conversation.
        bills_writes: Whether what enters the cache is billed as written.
        start: System prompt, and the summary where there is one.
        history: The turns that are over, oldest first.
        last: The last prompt.
    """

    plan: Plan
    bills_writes: bool
    start: list[_Block]
    history: list[_Turn] = field(default_factory=list)
    last: list[_Block] = field(default_factory=list)

    def trimmed(self, now: Sequence[_Block]) -> list[_Turn]:
        """The turns of the history that are sent: whole, the newest first to be kept."""
        limit = self.plan.trim_tokens
        if limit is None:
            return self.history
        room = limit - _n_tokens(self.start) - _n_tokens(now)
        if room < 0:
            raise ContextOverflowError(
                f"system prompt and question alone have {limit - room:,} tokens, and a prompt may have {limit:,}",
                needed=limit - room,
                available=limit,
                excess=-room,
            )
        n_kept = 0
        for turn in reversed(self.history):
            room -= _n_tokens(turn)
            if room < 0:
                break
            n_kept += 1
        return self.history[len(self.history) - n_kept :]

    def send(self, turn: int, purpose: str, now: Sequence[_Block], n_output: int, *, is_new: bool) -> Request:
        """Sends a prompt: what it is, and what of it is cached."""
        kept = self.trimmed(now)
        prompt = [*self.start, *(block for one in kept for block in one), *now]
        n_cached, n_written = self._cached(prompt, is_new=is_new)
        parts = [
            *((("system", "summary")[at], block.n_tokens) for at, block in enumerate(self.start)),
            ("history", sum(map(_n_tokens, kept))),
            *((kind, n) for kind in ("question", "tools") if (n := _n_tokens_of(now, kind))),
        ]
        reasoning = self.plan.reasoning if purpose == "answer" else 0
        self.last = prompt
        return Request(
            turn,
            purpose,
            tuple(part for part in parts if part[1]),
            n_cached,
            n_written,
            n_output + reasoning,
            reasoning,
            len(self.history) - len(kept),
        )

    def _cached(self, prompt: Sequence[_Block], *, is_new: bool) -> tuple[int, int]:
        caching: Caching | None = self.plan.caching
        if caching is None:
            return 0, 0
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(prompt, self.last, strict=False))
        n_cached = caching.n_cached(sum(block.n_tokens for block, _ in pairs), is_new_turn=is_new)
        n_held = caching.n_held(_n_tokens(prompt)) if self.bills_writes else n_cached
        return n_cached, n_held - n_cached


def requests_of(plan: Plan, *, bills_writes: bool) -> Iterator[Request]:
    """Plays a conversation.

    Args:
        plan: The conversation, checked.
        bills_writes: Whether what enters the cache is billed as written.

    Yields:
        Its requests, in order.

    Raises:
        ContextOverflowError: System prompt and question alone are longer than a prompt may be.

    Examples:
        >>> from piecework._cost.plan import Plan
        >>> [one.n_input for one in requests_of(Plan(5, 400, 150, 250), bills_writes=False)]
        [550, 950, 1350, 1750, 2150]

    Complexity: O(n_requests ** 2): each prompt holds all that came before it.
    """
    state = _State(plan, bills_writes, [_Block((0, "system", 0), plan.system)])
    for turn in range(1, plan.n_turns + 1):
        now = [_Block((turn, "question", 0), plan.user)]
        tools = plan.tools
        for at in range(tools.n_calls if tools else 0):
            yield state.send(turn, "tool call", now, tools.call_tokens, is_new=at == 0)  # type: ignore[union-attr]
            now = [*now, _Block((turn, "tools", at), tools.n_loop)]  # type: ignore[union-attr]
        yield state.send(turn, "answer", now, plan.answer, is_new=len(now) == 1)
        state.history = [*state.history, (*now, _Block((turn, "answer", 0), plan.answer))]
        yield from _summary(state, turn)


def _summary(state: _State, turn: int) -> Iterator[Request]:
    """Turns the history into a summary, where it is time; the request for it is billed like any other."""
    summarizing = state.plan.summarizing
    if summarizing is None or turn % summarizing.every_turns or turn == state.plan.n_turns:
        return
    yield state.send(turn, "summary", [], summarizing.n_tokens, is_new=False)
    state.start = [state.start[0], _Block((turn, "summary", 0), summarizing.n_tokens)]
    state.history = []


def _n_tokens(blocks: Sequence[_Block]) -> int:
    return sum(block.n_tokens for block in blocks)


def _n_tokens_of(blocks: Sequence[_Block], kind: str) -> int:
    return sum(block.n_tokens for block in blocks if block.key[1] == kind)
