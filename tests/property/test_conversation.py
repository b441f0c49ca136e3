"""Whatever JSON holds, reading it as messages or tools gives a conversation or an error with a path."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._chat.conversation import Conversation, read_conversation

_KEYS = st.sampled_from([
    "role", "content", "type", "text", "name", "tool_calls", "function", "arguments", "id", "input", "tools", "messages", "system",
    "tool_use_id", "thinking", "source", "data", "image_url", "url", "call_id", "output", "summary", "encrypted_content", "description",
    "parameters", "input_schema", "inputSchema", "is_error", "annotations", "result", "strict", "instructions", "refusal",
])  # fmt: skip
_WORDS = st.sampled_from([
    "user", "assistant", "system", "tool", "text", "input_text", "output_text", "tool_use", "tool_result", "thinking", "image", "file",
    "function", "custom", "function_call", "function_call_output", "reasoning", "message", "{}", '{"a": 1}', "x", "", "redacted_thinking",
])  # fmt: skip
_LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False), _WORDS)
values = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=5)),
    max_leaves=25,
)
_parts = st.lists(st.dictionaries(_KEYS, st.one_of(_WORDS, values), max_size=5), max_size=3)
_message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={"content": st.one_of(_WORDS, _parts)},
)
messages = st.one_of(values, st.lists(st.one_of(_message, values), max_size=4))


def read_or_refused(messages: Any, tools: Any) -> Conversation | pw.MessageError:
    try:
        return read_conversation(messages, tools)
    except pw.MessageError as error:
        return error


@settings(max_examples=600)
@given(messages=messages, tools=values)
def test_any_json_is_read_or_refused_with_its_path(messages: Any, tools: Any) -> None:
    read = read_or_refused(messages, tools)
    if isinstance(read, pw.MessageError):
        assert read.path
        assert read.message.startswith(f"{read.path}: ")
        return
    json.dumps(read.messages)
    for at, message in enumerate(read.messages):
        assert isinstance(message["role"], str)
        assert read.place(f"messages[{at}]").startswith(("messages[", "input[", "system", "instructions"))
    for tool in read.tools or ():
        assert isinstance(tool["function"]["name"], str)


@settings(max_examples=300)
@given(messages=messages, tools=values)
def test_any_json_is_a_prompt_or_one_of_our_errors(messages: Any, tools: Any) -> None:
    try:
        prompt = pw.load("qwen3").chat(messages, tools=tools, template="chatml")
    except pw.ChatError:
        return
    assert sum(part.n_tokens for part in prompt.parts) == len(prompt.ids)
    str(prompt)
    prompt._repr_html_()
    json.dumps(prompt.to_dict())


@settings(max_examples=200)
@given(text=st.text(max_size=40), content=st.lists(st.text(max_size=20), min_size=1, max_size=3))
def test_text_survives_in_every_form(text: str, content: list[str]) -> None:
    blocks = [{"type": "text", "text": part} for part in content]
    read = read_conversation({"system": text, "messages": [{"role": "user", "content": blocks}]})
    assert read.messages[0]["content"] == text
    got = read.messages[1]["content"]
    assert (content == [got]) if isinstance(got, str) else (content == [part["text"] for part in got])
