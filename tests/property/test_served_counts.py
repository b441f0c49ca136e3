"""Whatever messages hold, a count's parts add up, its band holds it, and data of pictures is not in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import piecework as pw

MODELS = ("gpt-4o", "gpt-5", "claude-opus-4-6", "claude-opus-4-7", "gemini-2.5-pro")
KEYS = st.sampled_from(
    [
        "type",
        "text",
        "name",
        "role",
        "content",
        "image_url",
        "url",
        "detail",
        "source",
        "data",
        "input",
        "function",
        "arguments",
        "tool_calls",
        "parameters",
        "properties",
        "enum",
        "items",
        "format",
        "tool_use_id",
        "output",
    ]
)
WORDS = st.sampled_from(
    [
        "text",
        "image_url",
        "image",
        "input_audio",
        "tool_use",
        "tool_result",
        "file",
        "low",
        "string",
        "user",
        "x",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:,",
        "https://example.org/a.png",
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
MESSAGES = st.lists(
    st.builds(lambda role, content, rest: {**rest, "role": role, "content": content}, ROLES, VALUES, st.dictionaries(KEYS, VALUES, max_size=2)),
    max_size=4,
)  # fmt: skip
TOOLS = st.none() | st.lists(
    st.builds(lambda schema: {"name": "f", "description": "d", "parameters": schema}, st.dictionaries(KEYS, VALUES, max_size=3)),
    max_size=2,
)  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@given(messages=MESSAGES, tools=TOOLS)
def test_a_count_is_whole_or_an_error_with_a_name(model: str, messages: Any, tools: Any) -> None:
    try:
        found = pw.count(messages, tools=tools, model=model)
    except pw.PieceworkError:
        return
    assert sum(part.n_tokens for part in found.parts) == found.n
    assert all(part.n_tokens >= 0 for part in found.parts)
    assert found.band is None or found.band[0] <= found.n <= found.band[1]
    json.dumps(found.to_dict())


@pytest.mark.parametrize("model", MODELS)
@given(text=st.text(max_size=200))
def test_an_estimate_is_between_nothing_and_a_token_a_byte(model: str, text: str) -> None:
    try:
        found = pw.count([{"role": "user", "content": text}], model=model)
    except pw.NotUnicodeError:
        return
    n_bytes = len(text.encode("utf-8", "surrogatepass"))
    assert 0 <= found.parts[0].n_tokens <= n_bytes + 4


@pytest.mark.parametrize("model", MODELS)
@given(size=st.integers(100, 100_000))
def test_the_data_of_a_picture_is_not_counted(model: str, size: int) -> None:
    def count(n: int) -> int:
        part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * n}}
        return pw.count([{"role": "user", "content": [part]}], model=model).n

    assert count(size) == count(100)
