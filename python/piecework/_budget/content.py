"""What callers give for a part of a request: a text, a message, or a list of either; here made one shape, OpenAI's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from piecework._chat.conversation import is_of_other_form, read_conversation
from piecework.errors import MessageError

__all__ = ["Content", "Message", "as_messages", "message_text", "preview"]

Message: TypeAlias = Mapping[str, Any]
"""One message, as a chat has it: `role`, `content`, and what else its role has."""

Content: TypeAlias = str | Message | Sequence[str | Message]
"""A text, a message, or several of either."""

_PREVIEW = 48


def as_messages(content: Content | None, role: str, *, name: str) -> list[Message]:
    """A part of a request as messages.

    Args:
        content: What was given; None for nothing.
        role: The role of a text that comes alone.
        name: The part, for messages about it.

    Raises:
        TypeError: It is neither text nor message.
        MessageError: A message has no role, or has no place in the form of OpenAI's chat.
    """
    if content is None:
        return []
    given: object = [content] if isinstance(content, str | Mapping) else content
    if isinstance(given, bytes | bytearray) or not isinstance(given, Sequence):
        raise TypeError(f"{name} is a text, a message, or a list of either, not {type(content).__name__}")
    messages = [_message(one, role, f"{name}[{at}]") for at, one in enumerate(given)]
    if any("role" not in one or is_of_other_form(one) for one in messages):
        # Items of the Responses API, blocks of Anthropic's: what is a call and what its result shows in one form only.
        return list(read_conversation(messages).messages)
    return messages


def _message(one: object, role: str, path: str) -> Message:
    if isinstance(one, str):
        return {"role": role, "content": one}
    if not isinstance(one, Mapping):
        raise TypeError(f"{path} is a text or a message, not {type(one).__name__}")
    if not isinstance(one.get("role"), str) and not isinstance(one.get("type"), str):
        raise MessageError(f"{path} has no role", path=path, reason="no role")
    return one


def message_text(message: Message) -> str:
    """What a message says: its text, or that of its parts; empty where there is none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return ""


def preview(text: str) -> str:
    """The beginning of a text, on one line.

    Examples:
        >>> preview("How  many tokens?")
        'How many tokens?'
    """
    line = " ".join(text[: _PREVIEW * 4].split())
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"
