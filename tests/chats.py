"""Conversations that bring out what chat templates do, with a mark in every field that a caller can write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tools.fixtures import fixture

__all__ = ["BOS", "EOS", "Chat", "chats", "templates"]

BOS, EOS = "<s>", "</s>"


@dataclass(frozen=True)
class Chat:
    """One conversation and what goes with it.

    Attributes:
        name: What it is about.
        messages: The messages.
        tools: The tools, or None.
        documents: The documents, or None.
        prompt: Whether the assistant is to speak next.
        args: Further arguments of the template.
    """

    name: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None
    documents: list[dict[str, Any]] | None = None
    prompt: bool = True
    args: dict[str, Any] = field(default_factory=dict)

    def variables(self) -> dict[str, Any]:
        """All that the template is given."""
        return {
            "messages": self.messages,
            "tools": self.tools,
            "documents": self.documents,
            "add_generation_prompt": self.prompt,
            "bos_token": BOS,
            "eos_token": EOS,
            **self.args,
        }


def templates() -> dict[str, str]:
    """The source of every fetched template by name."""
    folder = fixture("chat_templates/Qwen-Qwen3-0.6B.jinja").parent
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja"))}


def _tools(x: str) -> list[dict[str, Any]]:
    weather = {
        "name": "weather" + x,
        "description": "What the sky does\nin a city. " + x,
        "parameters": {
            "type": "object",
            "properties": {
                "city" + x: {"type": "string", "description": 'A city, "quoted" & <b>bold</b>. ' + x},
                "unit": {"type": "string", "enum": ["C", "F" + x], "default": "C" + x},
                "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 14},
                "places": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"lat" + x: {"type": "number"}},
                        "required": ["lat"],
                    },
                },
            },
            "required": ["city" + x],
        },
        "return": {"type": "object", "description": "degrees " + x},
    }
    clock = {
        "name": "clock",
        "description": "The time. " + x,
        "parameters": {"type": "object", "properties": {}},
    }
    return [{"type": "function", "function": weather}, {"type": "function", "function": clock}]


def _call(arguments: Any, x: str, number: int = 1) -> dict[str, Any]:
    return {
        "id": f"callabcd{number}",
        "type": "function",
        "function": {"name": "weather" + x, "arguments": arguments},
    }


def _said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _with_tools(x: str) -> list[Chat]:
    hi, go = _said("user", "How is it in Rome?"), _said("user", "Thanks. " + x)
    arguments = {
        "city" + x: "Rome, é 日本 🚀 " + x,
        "days": 3,
        "unit": None,
        "near": [True, 1.5, {"deep" + x: "v" + x}],
    }
    written = '{"city": "Rome ' + x.replace("\\", "\\\\").replace('"', '\\"') + '", "days": 3}'
    result = _said("tool", "18 degrees " + x, tool_call_id="callabcd1", name="weather")
    structured = _said(
        "tool", [{"type": "text", "text": "18 " + x}], tool_call_id="callabcd1", name="weather" + x
    )
    calls = [_call({"city": "Rome " + x}, ""), _call({"city": "Oslo"}, "", 2)]
    second = _said("tool", "3 degrees", tool_call_id="callabcd2", name="weather")
    return [
        Chat("tools", [hi], _tools(x)),
        Chat("tools and system", [_said("system", "Be brief. " + x), hi], _tools(x)),
        Chat(
            "call as an object",
            [hi, _said("assistant", "", tool_calls=[_call(arguments, x)]), result, go],
            _tools(x),
        ),
        Chat(
            "call as a string",
            [hi, _said("assistant", "", tool_calls=[_call(written, x)]), result, go],
            _tools(x),
        ),
        Chat(
            "call without content",
            [hi, _said("assistant", None, tool_calls=[_call(arguments, x)]), result],
            _tools(x),
        ),
        Chat(
            "call with content",
            [hi, _said("assistant", "I look. " + x, tool_calls=[_call(arguments, "")]), result],
            _tools(x),
        ),
        Chat("two calls", [hi, _said("assistant", "", tool_calls=calls), result, second, go], _tools("")),
        Chat("calls without tools", [hi, _said("assistant", "", tool_calls=calls), result, second]),
        Chat(
            "result in parts",
            [hi, _said("assistant", "", tool_calls=[_call({}, "")]), structured],
            _tools(""),
        ),
        Chat(
            "reasoning and a call",
            [
                hi,
                _said("assistant", "", reasoning_content="hm " + x, tool_calls=[_call({"city": "Rome"}, "")]),
                result,
            ],
            _tools(""),
        ),
    ]


def _with_parts(x: str) -> list[Chat]:
    text = {"type": "text", "text": "Look: " + x}
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    return [
        Chat("parts", [_said("user", [text, {"type": "text", "text": "and " + x}])]),
        Chat(
            "parts and system parts",
            [_said("system", [text]), _said("user", [text]), _said("assistant", [text]), _said("user", "go")],
        ),
        Chat("picture", [_said("user", [picture, text])]),
        Chat("local picture", [_said("user", [{"type": "image"}, text])]),
        Chat("no parts", [_said("user", [])]),
    ]


def _with_thinking(x: str) -> list[Chat]:
    hi = _said("user", "hi " + x)
    reasoned = _said("assistant", "yo " + x, reasoning_content="so " + x)
    inline = _said("assistant", "<think>\nwell\n</think>\n\nyo")
    again = _said("user", "again")
    return [
        Chat("reasoning", [hi, reasoned, again]),
        Chat("reasoning under its older name", [hi, _said("assistant", "yo", thinking="so " + x), again]),
        Chat("reasoning inline", [hi, inline, again]),
        Chat("thinking on", [hi], args={"enable_thinking": True, "thinking": True}),
        Chat("thinking off", [hi], args={"enable_thinking": False, "thinking": False}),
        Chat("thinking off after reasoning", [hi, reasoned, again], args={"enable_thinking": False}),
        Chat("effort", [_said("system", "s"), hi], args={"reasoning_effort": "high", "thinking_budget": 512}),
    ]


def chats(x: str = "") -> list[Chat]:
    """The conversations.

    Args:
        x: A mark that goes into every field that a caller writes: content, parts, names, tool names, descriptions,
            schema keys, arguments, argument keys, results, documents.
    """
    hi, yo = _said("user", "hi " + x), _said("assistant", "yo " + x)
    system, developer = _said("system", "You help. " + x), _said("developer", "Obey. " + x)
    documents = [{"title": "Tides " + x, "text": "They rise. " + x, "doc_id": 1}]
    return [
        Chat("user", [hi]),
        Chat("user, no prompt", [hi], prompt=False),
        Chat("system", [system, hi, yo, _said("user", "  spaced\n\n" + x + "\n ")]),
        Chat("answered", [system, hi, yo], prompt=False),
        Chat("answered, prompt", [hi, yo]),
        Chat("developer", [developer, hi]),
        Chat("system and developer", [system, developer, hi]),
        Chat("system late", [hi, yo, system, hi]),
        Chat(
            "names",
            [
                _said("user", "hi", name="ann" + x),
                _said("assistant", "yo", name="bot" + x),
                _said("user", "so"),
            ],
        ),
        Chat("empty", [_said("system", ""), _said("user", ""), _said("assistant", ""), _said("user", "go")]),
        Chat("nothing", []),
        Chat("two users", [hi, hi]),
        Chat("assistant first", [yo, hi]),
        Chat("unknown role", [_said("wizard", "spell " + x), hi]),
        Chat(
            "long",
            [m for i in range(12) for m in (_said("user", f"q{i} " + x), _said("assistant", f"a{i}"))] + [hi],
        ),
        Chat(
            "text that looks like markup",
            [_said("user", "{{ 7 * 7 }} {% if x %} {# c #} \\n \\' \" \x00 ﬁ İ ß"), yo, hi],
        ),
        Chat("documents", [hi], documents=documents),
        Chat(
            "older arguments",
            [hi],
            args={"functions": "[]", "datetime": "2026-01-02", "date_string": "2 Jan 2026"},
        ),
        *_with_tools(x),
        *_with_parts(x),
        *_with_thinking(x),
    ]
