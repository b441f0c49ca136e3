"""Tokenizers with their own chat templates, and conversations, that tests of chats share."""

from __future__ import annotations

from functools import cache
from typing import Any

import piecework as pw
from tools.fixtures import fixture

SYSTEM = {"role": "system", "content": "You are a terse assistant."}
QUESTION = {"role": "user", "content": "How many tokens is this?"}
ONE = {"role": "user", "content": "x"}


@cache
def own(name: str) -> pw.Tokenizer:
    """The tokenizer of a fetched folder, with what its tokenizer_config.json says."""
    folder = fixture(f"{name}/tokenizer.json").parent
    assert fixture(f"{name}/tokenizer_config.json").parent == folder
    return pw.load(folder)


def tool(name: str = "get_weather") -> dict[str, Any]:
    """The small tool of the worked cases."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "Get the current weather for a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "City name"}},
                "required": ["city"],
            },
        },
    }


def sizes(prompt: pw.ChatPrompt) -> dict[str, int]:
    """The tokens of each part by its name."""
    return {part.name: part.n_tokens for part in prompt.parts}


def template(name: str) -> str:
    """The source of a fetched template."""
    return fixture(f"chat_templates/{name}.jinja").read_text(encoding="utf-8")
