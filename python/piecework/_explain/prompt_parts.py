"""A prompt as named texts: one text, pairs of name and text, or chat messages field by field. No template is applied."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Prompt", "PromptPart", "prompt_parts"]

Prompt: TypeAlias = str | bytes | Mapping[str, Any] | Sequence[Any]
"""A text; messages, or an object with `messages` and perhaps `tools`; pairs of name and text, or objects that have them."""

# The order in which templates write them, whatever the order in the file; fields that are not here come after, by name.
_FIELDS = ("role", "name", "reasoning_content", "content", "tool_calls", "tool_call_id")


class PromptPart(NamedTuple):
    """One text of a prompt.

    Attributes:
        name: What it is, such as `messages[2].content`; `text` for a prompt that is one text.
        text: The text.
    """

    name: str
    text: str | bytes


def prompt_parts(prompt: Prompt) -> tuple[PromptPart, ...]:
    """Reads a prompt as parts: tools first, as most templates write them, then messages, each with its role first.

    Raises:
        TypeError: It is none of the kinds.

    Examples:
        >>> prompt_parts([{"content": "Hi", "role": "user"}])
        (PromptPart(name='messages[0].role', text='user'), PromptPart(name='messages[0].content', text='Hi'))
        >>> prompt_parts([("system", "Be terse.")])
        (PromptPart(name='system', text='Be terse.'),)
    """
    if isinstance(prompt, str | bytes):
        return (PromptPart("text", prompt),)
    if isinstance(prompt, Mapping):
        tools, messages = prompt.get("tools") or (), prompt.get("messages") or ()
        if not messages and not tools:
            raise TypeError("a prompt that is an object has `messages`, `tools`, or both")
        named = (PromptPart(f"tools[{at}]", _json(tool)) for at, tool in enumerate(tools))
        return (*named, *_messages(messages))
    if isinstance(prompt, Sequence):
        return tuple(_messages(prompt))
    raise TypeError(f"a prompt is a text, messages or named parts, not {type(prompt).__name__}")


def _messages(items: Sequence[Any]) -> Iterator[PromptPart]:
    for at, item in enumerate(items):
        if isinstance(item, Mapping):
            known = [field for field in _FIELDS if field in item]
            for field in [*known, *sorted(item.keys() - set(_FIELDS))]:
                yield from _leaves(f"messages[{at}].{field}", item[field])
        elif isinstance(item, tuple) and len(item) == 2:
            yield _part(*item)
        else:
            yield _part(getattr(item, "name", None), getattr(item, "text", None))


def _part(name: object, text: object) -> PromptPart:
    if not isinstance(name, str) or not isinstance(text, str | bytes):
        raise TypeError(
            "a part of a prompt is a message, a pair (name, text), or an object with `name` and `text`"
        )
    return PromptPart(name, text)


def _leaves(name: str, value: object) -> Iterator[PromptPart]:
    """The texts inside a field. An object's `type` says how to read it and is no text."""
    if isinstance(value, str):
        yield PromptPart(name, value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key != "type":
                yield from _leaves(f"{name}.{key}", item)
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from _leaves(f"{name}[{at}]", item)
    elif value is not None:
        yield PromptPart(name, _json(value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
