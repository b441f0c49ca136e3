"""Packing: the fixed parts whole, then whole turns, newest first, as long as they fit. Greedy, and said so.

Each choice is counted as it would be sent, since token counts do not add up across joins and templates.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from piecework._budget.content import message_text, preview
from piecework._budget.counting import MessageCounter
from piecework._budget.packed import Drop, Packed
from piecework._budget.request import Choice
from piecework.errors import BudgetError, ChatError, ContextOverflowError, MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._budget.content import Message
    from piecework._budget.counting import CountsMessages
    from piecework._budget.request import Request

__all__ = ["Rules", "pack_request"]


# A template that refuses so many numbers of turns in a row refuses something else than how the history begins.
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Rules:
    """How a request is packed.

    Attributes:
        scores: The worth of each piece of evidence; None where none is given.
        min_evidence: How many pieces of evidence must stay, the best ones; None for all, unless there are scores.
        first: What gets the room first where both history and evidence may go.
        starts_with: What the kept history must begin with.
        slack_tokens: What must be free besides, once anything is dropped: then the next turns need not drop at once, and
            the prefix stays cached.
        summarize: Writes what stands for the dropped messages; None for nothing.
        max_summary_tokens: The room that is kept for it.
    """

    scores: tuple[float, ...] | None = None
    min_evidence: int | None = None
    first: Literal["history", "evidence"] = "history"
    starts_with: Literal["any", "user"] = "any"
    slack_tokens: int = 0
    summarize: Callable[[Sequence[Message]], str] | None = None
    max_summary_tokens: int = 512


def pack_request(
    request: Request,
    *,
    window: int,
    answer: int,
    margin: int,
    count: CountsMessages,
    count_text: Callable[[str], int] | None,
    rules: Rules,
) -> Packed:
    """Packs a request into a window.

    Args:
        request: Its parts.
        window: The tokens of input and answer together.
        answer: What is kept for the answer.
        margin: What is kept besides.
        count: Counts messages as they are sent.
        count_text: Counts a text alone, for the log; None to count the dropped messages by `count`.
        rules: What may go, and in which order.

    Raises:
        ContextOverflowError: The fixed parts do not fit.
        BudgetError: The answer and the margin leave no room, or the summary is longer than the room kept for it.
        MessageError: The template refuses the messages, whatever is dropped.

    Complexity: O(log n_turns + n_evidence) counts of the whole.
    """
    available = window - answer - margin
    if available <= 0:
        raise BudgetError(
            f"an answer of {answer:,} and a margin of {margin:,} leave nothing of a window of {window:,}"
        )
    packer = _Packer(request, MessageCounter(count), rules, available)
    choice = packer.choose(fixed_tokens=answer + margin, window=window)
    messages = request.messages(choice)
    return Packed(
        messages=tuple(messages),
        n_tokens=packer.count(choice),
        available_tokens=available,
        basis=packer.counter.basis,
        dropped=tuple(_drops(packer, choice, count_text)),
        n_kept_turns=len(request.kept(choice)),
        n_stable_messages=request.n_stable(choice),
        summary=choice.summary,
        n_counts=packer.counter.n_counts,
    )


class _Packer:
    """One packing: what was counted already, and the search for what fits."""

    def __init__(self, request: Request, counter: MessageCounter, rules: Rules, available: int) -> None:
        self.request = request
        self.counter = counter
        self.rules = rules
        self.available = available
        self.refused: dict[int, str] = {}
        self.fewest = 0
        self._known: dict[Choice, int | MessageError] = {}

    def count(self, choice: Choice) -> int:
        """The tokens of a choice as it is sent."""
        if choice not in self._known:
            try:
                self._known[choice] = self.counter(self.request.messages(choice))
            except MessageError as error:
                self._known[choice] = error
        known = self._known[choice]
        if isinstance(known, MessageError):
            raise known
        return known

    def choose(self, *, fixed_tokens: int, window: int) -> Choice:
        """What is sent."""
        required = self._required_evidence()
        n_turns = len(self.request.droppable)
        everything = Choice(n_turns, tuple(range(len(self.request.evidence))))
        if (
            self._may_send(n_turns)
            and self._is_taken(everything)
            and self.count(everything) <= self.available
        ):
            return everything
        whole = self._known.get(everything)
        least = self._least(required, whole if isinstance(whole, MessageError) else None)
        n_least = self.count(least)
        if n_least > self.available:
            needed = n_least + fixed_tokens
            raise ContextOverflowError(
                f"what must stay takes {needed:,} tokens ({n_least:,} of input, {fixed_tokens:,} for answer and margin), "
                f"{needed - window:,} more than the window of {window:,}",
                needed=needed,
                available=window,
                excess=needed - window,
                hint="shorten the system text, the evidence or the message, or plan a shorter answer",
            )
        return self._fill(required)

    def _fill(self, required: tuple[int, ...]) -> Choice:
        rules = self.rules
        room = max(0, self.available - rules.slack_tokens)
        kept_for_summary = rules.max_summary_tokens if rules.summarize else 0
        evidence = self._evidence(0, required, room) if rules.first == "evidence" else required
        n_turns = self._turns(evidence, room)
        if rules.summarize and n_turns < len(self.request.droppable):
            n_turns = self._turns(evidence, room - kept_for_summary)
        else:
            kept_for_summary = 0
        if rules.first == "history":
            evidence = self._evidence(n_turns, required, room - kept_for_summary)
        choice = self._settled(n_turns, evidence) or Choice(self.fewest, evidence)
        return self._summarized(choice, rules.summarize) if rules.summarize and kept_for_summary else choice

    def _summarized(self, choice: Choice, summarize: Callable[[Sequence[Message]], str]) -> Choice:
        gone = self.request.droppable[: len(self.request.droppable) - choice.n_turns]
        text = summarize([message for turn in gone for message in turn.messages])
        if not isinstance(text, str):
            raise TypeError(f"summarize gives a text, not {type(text).__name__}")
        if not text.strip():
            return choice
        with_summary = replace(choice, summary=text)
        if not self._is_taken(with_summary):
            # Where roles must alternate there is no place for a message more.
            with_summary = replace(with_summary, is_joined=True)
        over = self.count(with_summary) - self.available
        if over > 0:
            raise BudgetError(
                f"the summary is {over:,} tokens over what is left",
                hint=f"write a shorter one, or keep more room than max_summary_tokens={self.rules.max_summary_tokens:,}",
            )
        return with_summary

    def _turns(self, evidence: tuple[int, ...], room: int) -> int:
        """The largest number of newest turns that fits, by halving: one turn more is counted too, and does not fit."""
        fits, too_many = self.fewest, len(self.request.droppable) + 1
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            choice = self._settled(middle, evidence)
            if choice is not None and self.count(choice) <= room:
                fits = middle
            else:
                too_many = middle
        return fits

    def _least(self, evidence: tuple[int, ...], refusal: MessageError | None) -> Choice:
        """The choice with the fewest turns that the template takes: some take no history that begins with a call.

        Where it takes none, the refusal of the whole is raised, whose places are those of what was given.
        """
        for n in range(min(len(self.request.droppable), _TRIES) + 1):
            choice = Choice(n, evidence)
            if not self._may_send(n):
                continue
            try:
                self.count(choice)
            except MessageError as error:
                refusal = refusal or error
                continue
            self.fewest = n
            return choice
        # Without turns there always is a choice, so there was a refusal.
        raise refusal or MessageError("the template refuses the messages", reason="refused")

    def _settled(self, n_turns: int, evidence: tuple[int, ...]) -> Choice | None:
        """The choice with that many turns, or with the next fewer that may begin a history and that the template takes.

        None where it takes none of a few: what it refuses then is no matter of where the history begins.
        """
        n_tries = 0
        for n in range(n_turns, self.fewest - 1, -1):
            if not self._may_send(n):
                continue
            choice = Choice(n, evidence)
            if self._is_taken(choice):
                return choice
            n_tries += 1
            if n_tries == _TRIES:
                break
        return None

    def _is_taken(self, choice: Choice) -> bool:
        """Whether the template takes a choice."""
        try:
            self.count(choice)
        except MessageError as error:
            self.refused[choice.n_turns] = error.reason or error.message
            return False
        return True

    def _may_send(self, n_turns: int) -> bool:
        if self.rules.starts_with == "any" or n_turns == 0:
            return True
        turn = self.request.droppable[len(self.request.droppable) - n_turns]
        if turn.messages[0].get("role") == "user":
            return True
        self.refused[n_turns] = "the history begins with a user's message"
        return False

    def _required_evidence(self) -> tuple[int, ...]:
        """The evidence that must stay: all, or the best ones where there are scores or a minimum."""
        order = self._by_score()
        rules = self.rules
        if rules.scores is None and rules.min_evidence is None:
            return tuple(sorted(order))
        return tuple(sorted(order[: rules.min_evidence or 0]))

    def _by_score(self) -> list[int]:
        places = list(range(len(self.request.evidence)))
        scores = self.rules.scores
        return places if scores is None else sorted(places, key=lambda place: (-scores[place], place))

    def _evidence(self, n_turns: int, required: tuple[int, ...], room: int) -> tuple[int, ...]:
        """The required evidence and then the best of the other, up to the first piece that does not fit."""
        chosen = list(required)
        for place in self._by_score():
            if place in chosen:
                continue
            more = tuple(sorted([*chosen, place]))
            choice = self._settled(n_turns, more)
            if choice is None or self.count(choice) > room:
                break
            chosen.append(place)
        return tuple(sorted(chosen))


def _drops(packer: _Packer, choice: Choice, count_text: Callable[[str], int] | None) -> list[Drop]:
    """The log: turns from the oldest on, then evidence."""
    request = packer.request
    n_dropped = len(request.droppable) - choice.n_turns
    drops = []
    for at, turn in enumerate(request.droppable[:n_dropped]):
        text = "\n".join(_all_text(message) for message in turn.messages)
        # The newest dropped turn is the one that did not fit; those before it were not asked.
        is_first = at == n_dropped - 1
        why = (
            packer.refused.get(choice.n_turns + 1, "does not fit")
            if is_first
            else "older than one that does not fit"
        )
        roles = tuple(str(message.get("role")) for message in turn.messages)
        drops.append(
            Drop("turn", turn.at, roles, _own(packer, turn.messages, text, count_text), preview(text), why)
        )
    for place in range(len(request.evidence)):
        if place not in choice.evidence:
            text = request.evidence[place]
            n_tokens = _own(packer, [{"role": "user", "content": text}], text, count_text)
            drops.append(Drop("evidence", (place,), (), n_tokens, preview(text), "does not fit"))
    return drops


def _own(
    packer: _Packer, messages: Sequence[Message], text: str, count_text: Callable[[str], int] | None
) -> int | None:
    if count_text is not None:
        return count_text(text)
    try:
        return packer.counter(messages)
    except ChatError:
        # A template may refuse the messages alone.
        return None


def _all_text(message: Message) -> str:
    calls = message.get("tool_calls")
    text = message_text(message)
    return f"{text}\n{json.dumps(calls, ensure_ascii=False, default=str)}".strip() if calls else text
