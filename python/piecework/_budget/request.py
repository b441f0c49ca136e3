"""The parts of a request that is packed, and how they become the messages that are sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework._budget.turns import Turn, read_turns
from piecework.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._budget.content import Message
    from piecework._budget.turns import Unit

__all__ = ["Choice", "Request", "read_request"]

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a request is sent.

    Attributes:
        n_turns: How many of the droppable turns, the newest.
        evidence: The places of the evidence that stays, in order.
        summary: What stands for the turns that do not.
    """

    n_turns: int
    evidence: tuple[int, ...]
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a request.

    Attributes:
        system: The messages before the history; always sent.
        turns: The history, the oldest turn first.
        evidence: Texts that the current message is answered from.
        current: The messages that are answered; always sent, and empty where the history's end is.
    """

    system: tuple[Message, ...]
    turns: tuple[Turn, ...]
    evidence: tuple[str, ...]
    current: tuple[Message, ...]

    @property
    def droppable(self) -> list[Turn]:
        """The turns that may go, the oldest first."""
        return [turn for turn in self.turns if not turn.is_fixed]

    def kept(self, choice: Choice) -> list[Turn]:
        """The turns that are sent, in order."""
        n_dropped = len(self.droppable) - choice.n_turns
        kept = []
        for turn in self.turns:
            if turn.is_fixed or n_dropped <= 0:
                kept.append(turn)
            else:
                n_dropped -= 1
        return kept

    def messages(self, choice: Choice) -> list[Message]:
        """The messages that are sent."""
        history = [message for turn in self.kept(choice) for message in turn.messages]
        summary = [] if choice.summary is None else [_summary(choice.summary)]
        evidence = [self.evidence[place] for place in choice.evidence]
        return [*self.system, *summary, *history, *_with_evidence(self.current, evidence)]


def read_request(
    system: Sequence[Message],
    history: Sequence[Message],
    evidence: Sequence[str],
    message: Sequence[Message],
    *,
    last_is_current: bool,
    unit: Unit,
) -> Request:
    """The parts of a request.

    Args:
        system: Messages that stand first.
        history: The conversation so far; its leading system messages count to `system`.
        evidence: Texts.
        message: The messages that are answered.
        last_is_current: Whether the history's last turn is what is answered.
        unit: What a turn is.
    """
    turns = read_turns(history, unit)
    leading: list[Message] = []
    while turns and turns[0].is_fixed:
        leading += turns.pop(0).messages
    current = list(message)
    if last_is_current and turns and not current:
        if turns[-1].is_fixed:
            raise BudgetError("the last message is a system message: there is nothing to answer")
        current = list(turns.pop().messages)
    return Request((*system, *leading), tuple(turns), tuple(evidence), tuple(current))


def _summary(text: str) -> Message:
    return {"role": "user", "content": f"Summary of the conversation so far:\n{text}"}


def _with_evidence(current: Sequence[Message], evidence: Sequence[str]) -> list[Message]:
    """Evidence stands before what is asked, in the same message: so the history before it stays a prefix that can be cached."""
    if not evidence:
        return list(current)
    text = _BETWEEN.join(evidence)
    at = next((at for at, message in enumerate(current) if message.get("role") == "user"), None)
    if at is None:
        return [{"role": "user", "content": text}, *current]
    asked = dict(current[at])
    content: Any = asked.get("content")
    if isinstance(content, list | tuple):
        asked["content"] = [{"type": "text", "text": text}, *content]
    else:
        asked["content"] = f"{text}{_BETWEEN}{content}" if content else text
    return [*current[:at], asked, *current[at + 1 :]]
