"""Counts for models behind a server. Expected numbers are the providers' published examples, forum bills, or by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._chat.served.openai import FRAMED, openai_model

# --- OpenAI's framing: the examples of its cookbook, with the counts that its server gave -----------------------------------

JARGON = [
    {"role": "system", "content": "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {"role": "system", "name": "example_assistant", "content": "Things working well together will increase revenue."},
    {"role": "system", "name": "example_user", "content": "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."},
    {"role": "system", "name": "example_assistant", "content": "Let's talk later when we're less busy about how to do better."},
    {"role": "user", "content": "This late pivot means we don't have time to boil the ocean for the client deliverable."},
]  # fmt: skip
WEATHER = [
    {
        "role": "system",
        "content": "You are a helpful assistant that can answer to questions about the weather.",
    },
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]
WEATHER_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
                "unit": {"type": "string", "description": "The unit of temperature to return", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["location"],
        },
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "n"),
    [
        ("gpt-3.5-turbo-0301", 127),
        ("gpt-3.5-turbo-0613", 129),
        ("gpt-4-0314", 129),
        ("gpt-4-0613", 129),
        ("gpt-4", 129),
        ("gpt-4o", 124),
        ("gpt-4o-2024-08-06", 124),
        ("gpt-4o-mini", 124),
    ],
)
def test_messages_count_as_openais_server_counted_them(model: str, n: int) -> None:
    found = pw.count(JARGON, model=model)
    assert (found.n, found.basis) == (n, "calibrated")
    assert sum(part.n_tokens for part in found.parts) == n
    assert [part.name for part in found.parts][-2:] == ["messages[5] user", "reply"]


@pytest.mark.parametrize(
    ("model", "n"), [("gpt-3.5-turbo", 105), ("gpt-4", 105), ("gpt-4o", 101), ("gpt-4o-mini", 101)]
)
def test_tools_count_as_openais_server_counted_them(model: str, n: int) -> None:
    found = pw.count(WEATHER, tools=[WEATHER_TOOL], model=model)
    assert (found.n, found.basis) == (n, "calibrated")
    assert sum(part.n_tokens for part in found.parts) == n


def test_tools_in_other_forms_count_alike() -> None:
    function = WEATHER_TOOL["function"]
    anthropic = {
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    }
    for tools in ([anthropic], {"tools": [anthropic]}):
        assert pw.count(WEATHER, tools=tools, model="gpt-4o").n == 101
    assert pw.count({"messages": WEATHER, "tools": [WEATHER_TOOL]}, model="gpt-4o").n == 101


def test_the_parts_of_one_message_by_hand() -> None:
    # 3 for the message, 1 for `user`, 4 for the text, and 3 that begin the reply.
    found = pw.count([{"role": "user", "content": "Hello, world!"}], model="gpt-4o")
    assert [(part.name, part.n_tokens) for part in found.parts] == [("messages[0] user", 8), ("reply", 3)]
    assert found.tokenizer == "o200k_base"


def test_a_models_framing_that_is_not_documented_is_an_estimate_that_says_so() -> None:
    found = pw.count(JARGON, model="gpt-5")
    assert (found.basis, found.n) == ("estimate", 124)
    assert found.band is not None
    assert found.band[0] < 124 < found.band[1]
    assert "gpt-5: its framing is not documented; that of gpt-4o stands in" in found.notes


def test_calls_and_results_are_an_estimate() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "What time is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "noon"},
    ]
    found = pw.count(messages, model="gpt-4o")
    assert found.basis == "estimate"
    # 3 + role + name + arguments + 3: `assistant`, `now` and `{}` are one token each.
    assert found.parts[1].n_tokens == 9


def test_a_schema_beyond_the_rule_is_an_estimate() -> None:
    schema = {
        "type": "object",
        "properties": {"where": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
    tool = {"name": "look", "parameters": schema}
    found = pw.count(WEATHER, tools=[tool], model="gpt-4o")
    assert found.basis == "estimate"
    assert any("tools[0] look" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("gpt-4-0125-preview", "gpt-4"),
        ("gpt-4-1106-vision-preview", "gpt-4"),
        ("gpt-4-turbo-preview", "gpt-4-turbo"),
        ("ft:gpt-4o-mini:acme::7p4lURel", "gpt-4o-mini"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("o3", "o3"),
        ("gpt-oss-20b", None),
        ("gpt-3.5-turbo-instruct", None),
        ("gpt-4o-mini-tts", None),
        ("text-embedding-3-small", None),
        ("o200k_base", None),
        ("qwen3", None),
    ],
)
def test_names_of_openais_chat(name: str, base: str | None) -> None:
    found = openai_model(name)
    assert (found and found.name) == base
    assert found is None or found.is_framed == (base in FRAMED)


def test_control_strings_in_messages_are_text() -> None:
    plain = pw.count([{"role": "user", "content": "Write  at the end"}], model="gpt-4")
    forged = pw.count([{"role": "user", "content": "Write <|endoftext|> at the end"}], model="gpt-4")
    # Ten tokens as text, as cl100k_base reads it, with 4 of framing.
    assert forged.parts[0].n_tokens == 14
    assert forged.n > plain.n


# --- which of them counts ---------------------------------------------------------------------------------------------------


def test_a_tokenizer_counts_by_its_own_template(fetched: Callable[[str], Path]) -> None:
    messages = [{"role": "user", "content": "Hi"}]
    tok = pw.load("qwen3")
    found = pw.count(messages, model=tok, template="chatml")
    # <|im_start|> user \n Hi <|im_end|> \n, and <|im_start|> assistant \n.
    assert (found.n, found.basis) == (9, "calibrated")
    with pytest.raises(pw.TemplateError):
        pw.count(messages, model="qwen3")
    template = fetched("chat_templates/google-gemma-2-2b-it.jinja")
    assert (
        pw.count(messages, model="qwen3", template=str(template)).n
        == tok.chat(messages, template=str(template)).n_tokens
    )


def test_an_unknown_name_counts_only_with_what_is_assumed() -> None:
    messages = [{"role": "user", "content": "red fish blue fish"}]
    with pytest.raises(pw.UnknownTokenizerError):
        pw.count(messages, model="zz-unknown-9")
    found = pw.count(messages, model="zz-unknown-9", assume="qwen3")
    assert (found.basis, found.band, found.tokenizer) == ("estimate", None, "qwen3")


@pytest.mark.parametrize("content", [[{"role": "user"}], [3], [{"content": "x"}], {"a": 1}])
@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-7"])
def test_messages_that_are_none_are_refused(content: Any, model: str) -> None:
    with pytest.raises(pw.MessageError):
        pw.count(content, model=model)


@pytest.mark.parametrize(
    ("messages", "tools"),
    [
        ([{"type": {}, "role": "user", "content": "x"}], None),
        ([{"role": "user", "content": "x"}], [{"type": [], "name": "f"}]),
        (
            [{"role": "user", "content": "x"}],
            [{"type": "function", "function": {"name": "f", "parameters": [1]}}],
        ),
        (
            [{"role": "user", "content": "x"}],
            [{"type": "function", "function": {"name": "f", "parameters": True}}],
        ),
    ],
)
def test_odd_types_are_refused_or_counted_and_no_crash(messages: Any, tools: Any) -> None:
    for model in ("gpt-4o", "claude-opus-4-7", "gemini-2.5-pro"):
        try:
            found = pw.count(messages, tools=tools, model=model)
        except pw.MessageError:
            continue
        assert sum(part.n_tokens for part in found.parts) == found.n


@pytest.mark.parametrize("kind", ["string", ["string", "null"], 3, None, {"a": 1}])
@pytest.mark.parametrize("choices", [["a"], "a", {"a": 1}, [1, None, {"b": 2}], []])
def test_odd_schemas_count(kind: Any, choices: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"type": kind, "enum": choices, "items": 3}, "y": 7}}
    found = pw.count(WEATHER, tools=[{"name": "f", "parameters": schema}], model="gpt-4o")
    assert found.n > 40
    assert sum(part.n_tokens for part in found.parts) == found.n


def test_options_that_do_not_go_together_are_refused() -> None:
    messages = [{"role": "user", "content": "Hi"}]
    with pytest.raises(ValueError, match="tools="):
        pw.count("Hi", tools=[WEATHER_TOOL], model="gpt-4o")
    with pytest.raises(ValueError, match="special="):
        pw.count(messages, model="gpt-4o", special="parse")
    with pytest.raises(ValueError, match="template="):
        pw.count(messages, model="gpt-4o", template="chatml")


def test_a_count_says_it_all_as_json() -> None:
    found = pw.count([{"role": "user", "content": "Hi"}], model="gpt-4o").to_dict()
    assert found["basis"] == "calibrated"
    assert found["notes"] == ["framing: OpenAI cookbook, 'How to count tokens with tiktoken', read 2026-11"]
