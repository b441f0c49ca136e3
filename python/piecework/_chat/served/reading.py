"""The texts of a message that a model reads, whatever else a provider writes around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["Call", "calls", "json_text", "texts", "tool_text"]


class Call(NamedTuple):
    """An assistant's call of a function: its name, and its arguments as JSON."""

    name: str
    arguments: str


def texts(message: Mapping[str, Any]) -> Iterator[str]:
    """Yields what a message says, without its role, name and calls; parts that are no text are passed over."""
    reasoning = message.get("reasoning_content")
    if isinstance(reasoning, str):
        yield reasoning
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for part in content:
            text = part.get("text", part.get("refusal")) if isinstance(part, Mapping) else part
            if isinstance(text, str):
                yield text


def calls(message: Mapping[str, Any]) -> list[Call]:
    """The calls that a message makes.

    Examples:
        >>> calls({"tool_calls": [{"function": {"name": "now", "arguments": {"zone": "UTC"}}}]})
        [Call(name='now', arguments='{"zone":"UTC"}')]
    """
    found = []
    for call in message.get("tool_calls") or ():
        function = call.get("function", call)
        arguments = function.get("arguments", "")
        found.append(
            Call(
                str(function.get("name", "")),
                arguments if isinstance(arguments, str) else json_text(arguments),
            )
        )
    return found


def tool_text(tool: Mapping[str, Any]) -> str:
    """A declaration of a tool as JSON."""
    return json_text(tool.get("function", tool))


def json_text(value: object) -> str:
    """Returns a value as compact JSON; what JSON cannot hold, as its text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
