"""Logs from anybody: whatever a line holds, reconciling gives a result or an InputError, and opens no file that a log names."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import piecework as pw
from piecework.errors import InputError

_KEYS = [
    "model", "modelVersion", "request", "response", "usage", "usageMetadata", "messages", "input", "contents", "system",
    "instructions", "tools", "role", "content", "parts", "text", "type", "prompt_tokens", "input_tokens", "output_tokens",
    "completion_tokens", "promptTokenCount", "candidatesTokenCount", "cache_read_input_tokens", "prompt_tokens_details",
    "cached_tokens", "choices", "message", "finish_reason", "candidates", "finishReason", "n_tokens", "time", "attributes",
    "key", "value", "intValue", "arrayValue", "values", "tool_calls", "function", "name", "arguments", "max_tokens",
    "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.request.model", "gen_ai.input.messages",
    "gen_ai.system_instructions", "gen_ai.response.finish_reasons", "gen_ai.tool.definitions", "stop_reason", "tool_call_id",
]  # fmt: skip
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.integers(0, 500),
    st.floats(),
    st.sampled_from(
        [
            "gpt-4o",
            "claude-sonnet-4-5",
            "/etc/passwd",
            "../x",
            "²",
            "9" * 5000,
            "user",
            "assistant",
            "tool",
            "text",
        ]
    ),
    st.text(max_size=12),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=25,
)
_USAGE = st.fixed_dictionaries(
    {"prompt_tokens": st.integers(0, 10**4), "completion_tokens": st.integers(0, 99)},
    optional={"prompt_tokens_details": _VALUES, "completion_tokens_details": _VALUES},
)
# Rows of which most is right: what is wrong in them gets further.
_NEARLY = st.fixed_dictionaries(
    {"model": st.sampled_from(["gpt-4o", "zz-9"]), "usage": _USAGE},
    optional={
        "messages": st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant", "tool", "zz"]), "content": _VALUES}
            ),
            max_size=3,
        )
        | _VALUES,
        "tools": _VALUES,
        "system": _VALUES,
        "choices": _VALUES,
        "n_tokens": _SCALARS,
        "parts": _VALUES,
        "max_tokens": _SCALARS,
        "time": _SCALARS,
    },
)


@given(rows=st.lists(_NEARLY | _VALUES, min_size=1, max_size=8))
def test_any_rows_give_a_result_or_an_input_error(rows: list[Any]) -> None:
    lines = [json.dumps(row).encode() for row in rows]
    try:
        result = pw.reconcile(lines)
    except InputError:
        return
    assert sum(report.n_requests for report in result.models) >= 1
    json.dumps(result.to_dict(), allow_nan=False)
    assert all(line.isprintable() for line in str(result).split("\n"))


@given(line=st.binary(max_size=60))
def test_any_bytes_give_a_result_or_an_input_error(line: bytes) -> None:
    usage = {"model": "gpt-4o", "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    result = pw.reconcile([line, json.dumps(usage).encode()])
    assert result["gpt-4o"].n_requests >= 1
