"""What OpenAI's server writes around chat messages and tools, by the rules that its cookbook publishes.

The tokenizer is known and exact; the framing is documented for some models (`FRAMED`) and stands in for the others. Its
source is "How to count tokens with tiktoken" of OpenAI's cookbook, parts 6 and 7, whose counts equal the server's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from piecework._chat.conversation.checks import refuse, shown_type
from piecework._chat.served.reading import calls, json_text, texts

__all__ = [
    "FRAMED",
    "FRAMING_SOURCE",
    "Framed",
    "OpenAIModel",
    "message_tokens",
    "openai_model",
    "tool_tokens",
]

FRAMING_SOURCE = "OpenAI cookbook, 'How to count tokens with tiktoken', read 2026-11"

FRAMED = frozenset(
    {
        "gpt-3.5-turbo",
        "gpt-3.5-turbo-16k",
        "gpt-35-turbo",
        "gpt-35-turbo-16k",
        "gpt-4",
        "gpt-4-32k",
        "gpt-4-turbo",
    }
    | {"gpt-4o", "gpt-4o-mini"}
)
"""The models, without dates, for which the cookbook has framing rules; those for tools it has for the same families."""

# What follows a name and leaves the model's framing as it is: a date in one of OpenAI's forms, or `preview`.
_DATE = re.compile(r"-(?:20\d\d-\d\d-\d\d|\d{4}(?:-preview|-vision-preview)?|preview)$")
_CHAT = re.compile(r"(?:gpt-(?:3\.5|35)-turbo|gpt-[4-9]|o[1-9](?![0-9])|chatgpt-)")
_NO_CHAT = re.compile(r"-(?:instruct|tts|transcribe|realtime)\b")

_PER_REPLY, _AROUND_TOOLS = 3, 12


class OpenAIModel(NamedTuple):
    """A model of OpenAI's chat.

    Attributes:
        name: Its name without `ft:` and date.
        is_framed: Whether its framing is documented.
        per_message: Tokens that a message has beside its role, name and text.
        per_name: Tokens that a name adds beside its own.
        per_tool: Tokens that a tool has beside its texts.
    """

    name: str
    is_framed: bool
    per_message: int
    per_name: int
    per_tool: int


class Framed(NamedTuple):
    """Tokens, the least and the most that they are, and whether the rules say so for all of it."""

    n: int
    least: int
    most: int
    by_rule: bool


def openai_model(name: str) -> OpenAIModel | None:
    """Reads the name of a model of OpenAI's chat.

    Returns:
        The model; None for a name of another kind, also where OpenAI publishes its template or it takes no messages.

    Examples:
        >>> openai_model("gpt-4o-2024-08-06").is_framed, openai_model("gpt-5-mini").is_framed
        (True, False)
        >>> openai_model("gpt-3.5-turbo-0301").per_message, openai_model("gpt-oss-20b")
        (4, None)
    """
    base = name.removeprefix("ft:").partition(":")[0] if name.startswith("ft:") else name
    if not _CHAT.match(base) or _NO_CHAT.search(base):
        return None
    # In its first version, a name took the place of the role.
    is_first = base == "gpt-3.5-turbo-0301"
    undated = _DATE.sub("", base)
    per_tool = (
        7 if not undated.startswith(("gpt-3", "gpt-4")) or undated.startswith(("gpt-4o", "gpt-4.")) else 10
    )
    return OpenAIModel(undated, undated in FRAMED, 4 if is_first else 3, -1 if is_first else 1, per_tool)


def message_tokens(message: Mapping[str, Any], model: OpenAIModel, count: Callable[[str], int]) -> Framed:
    """Counts a message with its framing.

    Args:
        message: A message as OpenAI's chat has it.
        model: The model.
        count: Counts a text's tokens.

    Returns:
        Its tokens. For calls there is no published rule: they count with name, arguments and three tokens each, and the
        band says how far that may be off.

    Examples:
        >>> message_tokens({"role": "user", "name": "Ada", "content": "Hi"}, openai_model("gpt-4o"), len)
        Framed(n=13, least=13, most=13, by_rule=True)
    """
    n = model.per_message + count(str(message.get("role", "")))
    n += sum(count(text) for text in texts(message))
    name = message.get("name")
    if isinstance(name, str) and name and message.get("role") != "tool":
        n += count(name) + model.per_name
    made = calls(message)
    if not made:
        return Framed(n, n, n, by_rule=message.get("role") != "tool")
    inner = sum(count(call.name) + count(call.arguments) for call in made)
    return Framed(n + inner + 3 * len(made), n + inner - len(made), n + inner + 12 * len(made), by_rule=False)


def tool_tokens(
    tools: Sequence[Mapping[str, Any]], model: OpenAIModel, count: Callable[[str], int]
) -> list[Framed]:
    """Counts the tools, each with its framing; the first also has what all of them have together.

    Args:
        tools: `{"type": "function", "function": {...}}` each.
        model: The model.
        count: Counts a text's tokens.

    Returns:
        The tokens of each. The published rule knows parameters with a type, a description and a list of strings to
        choose from; a schema with more counts with what the rule says of its inner parts, and not by rule.

    Raises:
        MessageError: A tool's schema is none.
    """
    return [_tool(tool["function"], f"tools[{at}]", model, count) for at, tool in enumerate(tools)]


def reply_tokens() -> int:
    """The tokens that begin the reply."""
    return _PER_REPLY


def _tool(function: Mapping[str, Any], path: str, model: OpenAIModel, count: Callable[[str], int]) -> Framed:
    parameters = function.get("parameters")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise refuse(f"{path}.function.parameters", f"a schema is an object, not {shown_type(parameters)}")
    description = str(function.get("description") or "").removesuffix(".")
    n = model.per_tool + count(f"{function.get('name', '')}:{description}")
    n += _AROUND_TOOLS if path == "tools[0]" else 0
    inner, extra, by_rule = _properties(parameters or {}, count)
    n += inner
    return Framed(n, n - extra // 2, n + extra, by_rule=by_rule)


def _properties(schema: Mapping[str, Any], count: Callable[[str], int]) -> tuple[int, int, bool]:
    """Tokens of a schema's properties, how far they may be off, and whether the rule covers them."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return 0, 0, True
    n, off, by_rule = 3, 0, True
    for key, value in properties.items():
        held = value if isinstance(value, Mapping) else {}
        description = str(held.get("description") or "").removesuffix(".")
        n += 3 + count(f"{key}:{_type(held)}:{description}")
        choices = held.get("enum")
        if isinstance(choices, list | tuple) and choices:
            n += -3 + sum(3 + count(item if isinstance(item, str) else json_text(item)) for item in choices)
        inner = [held, *(held[name] for name in ("items",) if isinstance(held.get(name), Mapping))]
        for schema_inside in inner:
            n_inside, off_inside, _ = _properties(schema_inside, count)
            n, off = n + n_inside, off + n_inside + off_inside
        rest = {name: item for name, item in held.items() if name not in _RULED}
        if rest:
            off += count(json_text(rest))
        by_rule = by_rule and not rest and "properties" not in held and "items" not in held
    return n, off, by_rule


_RULED = frozenset({"type", "description", "enum", "properties", "items", "required", "title"})


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    if isinstance(kind, str):
        return kind
    return "|".join(map(str, kind)) if isinstance(kind, list | tuple) else json_text(kind)
