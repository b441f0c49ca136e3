"""Turns: the least that can be dropped of a history. A call and its results are one turn, since neither means anything alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._budget.content import Message

__all__ = ["Turn", "Unit", "read_turns"]

Unit: TypeAlias = Literal["message", "exchange"]
"""What a turn is: a message (with the results of its calls), or a user's message with all that answers it."""

_RESULT_ROLES = frozenset({"tool", "function", "ipython", "observation"})
_FIXED_ROLES = frozenset({"system", "developer"})


class Turn(NamedTuple):
    """Messages that stay or go together.

    Attributes:
        at: The places of its messages in the history.
        messages: They themselves.
        is_fixed: Whether it stays whatever happens, as a system message does.
    """

    at: tuple[int, ...]
    messages: tuple[Message, ...]
    is_fixed: bool


def read_turns(history: Sequence[Message], unit: Unit = "message") -> list[Turn]:
    """Groups a history's messages into turns, in their order.

    Args:
        history: Messages with the shape of OpenAI's chat.
        unit: What a turn is.

    Returns:
        The turns. A result belongs to the message before it, whatever that is, so that no result stands alone.

    Examples:
        >>> call = {"role": "assistant", "tool_calls": [{"id": "c1"}]}
        >>> history = [{"role": "user"}, call, {"role": "tool", "tool_call_id": "c1"}, {"role": "assistant"}]
        >>> [turn.at for turn in read_turns(history)], [turn.at for turn in read_turns(history, "exchange")]
        ([(0,), (1, 2), (3,)], [(0, 1, 2, 3)])
    """
    groups: list[list[int]] = []
    for at, message in enumerate(history):
        role = message.get("role")
        if groups and _continues(role, history[groups[-1][0]].get("role"), unit):
            groups[-1].append(at)
        else:
            groups.append([at])
    return [
        Turn(tuple(group), tuple(history[at] for at in group), history[group[0]].get("role") in _FIXED_ROLES)
        for group in groups
    ]


def _continues(role: object, first: object, unit: Unit) -> bool:
    """Whether a message belongs to the turn before it, which a message of the role `first` opened."""
    if role in _RESULT_ROLES:
        return first not in _FIXED_ROLES
    return unit == "exchange" and role == "assistant" and first not in _FIXED_ROLES
