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

__all__ = ["Choice", "Request", "read_request", "with_texts"]

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a request is sent.

    Attributes:
        n_turns: How many of the droppable turns, the newest.
        evidence: The places of the evidence that stays, in order.
        summary: What stands for the turns that do not.
        is_joined: Whether the summary stands in the first message of the user that is sent, and not in one of its own.
    """

    n_turns: int
    evidence: tuple[int, ...]
    summary: str | None = None
    is_joined: bool = False


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
        evidence = [self.evidence[place] for place in choice.evidence]
        asked = with_texts([*history, *self.current], evidence, self._at_evidence(history))
        if choice.summary is None:
            return [*self.system, *asked]
        summary = _summary(choice.summary)
        if not choice.is_joined:
            return [*self.system, summary, *asked]
        first = next((at for at, message in enumerate(asked) if message.get("role") == "user"), None)
        return [*self.system, *with_texts(asked, [summary["content"]], 0 if first is None else first)]

    def n_stable(self, choice: Choice) -> int:
        """How many messages from the first on do not depend on what is asked now, nor on its evidence."""
        history = [message for turn in self.kept(choice) for message in turn.messages]
        n_more = len(self.system) + (choice.summary is not None and not choice.is_joined)
        return n_more + (self._at_evidence(history) if choice.evidence else len(history))

    def _at_evidence(self, history: Sequence[Message]) -> int:
        """The place of the evidence, among the history and what is answered: the question, which may lie before calls."""
        sent = [*history, *self.current]
        current = range(len(history), len(sent))
        asked = next((at for at in current if sent[at].get("role") == "user"), None)
        if asked is None and self.current:
            asked = next((at for at in reversed(range(len(history))) if sent[at].get("role") == "user"), None)
        return len(history) if asked is None else asked


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
        if all(message.get("role") != "user" for message in current):
            _keep_question(turns)
    return Request((*system, *leading), tuple(turns), tuple(evidence), tuple(current))


def _summary(text: str) -> Message:
    return {"role": "user", "content": f"Summary of the conversation so far:\n{text}"}


def _keep_question(turns: list[Turn]) -> None:
    """Results of calls, and the beginning of an answer, are answers to a question: the newest one stays with them."""
    for at in reversed(range(len(turns))):
        if turns[at].messages[0].get("role") == "user":
            turns[at] = turns[at]._replace(is_fixed=True)
            return


def with_texts(messages: Sequence[Message], texts: Sequence[str], at: int) -> list[Message]:
    """Messages with texts before what the user says at a place, in the same message, so that roles go on alternating.

    Where no message of the user stands there, the texts become one of their own.
    """
    if not texts:
        return list(messages)
    text = _BETWEEN.join(texts)
    if at >= len(messages) or messages[at].get("role") != "user":
        return [*messages[:at], {"role": "user", "content": text}, *messages[at:]]
    asked = dict(messages[at])
    content: Any = asked.get("content")
    if isinstance(content, list | tuple):
        asked["content"] = [{"type": "text", "text": text}, *content]
    else:
        asked["content"] = f"{text}{_BETWEEN}{content}" if content else text
    return [*messages[:at], asked, *messages[at + 1 :]]
