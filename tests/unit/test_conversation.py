"""Messages and tools of every form become the one that chat templates expect, or an error with their path."""

from __future__ import annotations

import json
from typing import Any

import pytest

import piecework as pw
from piecework._chat.conversation import read_conversation

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "The weather.", "parameters": PARAMETERS}
IN_CHAT_FORM = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Bern and Rome?"},
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Two calls.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": {"city": "Bern"}},
            },
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "get_weather", "arguments": {"city": "Rome"}},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": "mild"},
    {"role": "tool", "tool_call_id": "c2", "name": "get_weather", "content": "warm"},
    {"role": "user", "content": "Thanks."},
]


def in_anthropic_form() -> dict[str, Any]:
    return {
        "model": "some-model",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Weather in Bern and Rome?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Two calls.", "signature": "c2ln"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Bern"}},
                    {"type": "tool_use", "id": "c2", "name": "get_weather", "input": {"city": "Rome"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "mild"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "c2",
                        "content": [{"type": "text", "text": "warm"}],
                    },
                    {"type": "text", "text": "Thanks."},
                ],
            },
        ],
        "tools": [{"name": "get_weather", "description": "The weather.", "input_schema": PARAMETERS}],
    }


def in_responses_form() -> dict[str, Any]:
    def call(identity: str, city: str) -> dict[str, Any]:
        arguments = f'{{"city": "{city}"}}'
        return {
            "type": "function_call",
            "id": f"fc_{identity}",
            "call_id": identity,
            "name": "get_weather",
            "arguments": arguments,
            "status": "completed",
        }

    return {
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Weather in Bern and Rome?"}]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Two calls."}]},
            {
                "type": "message",
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
            },
            call("c1", "Bern"),
            call("c2", "Rome"),
            {"type": "function_call_output", "call_id": "c1", "output": "mild"},
            {
                "type": "function_call_output",
                "call_id": "c2",
                "output": [{"type": "input_text", "text": "warm"}],
            },
            {"role": "user", "content": "Thanks."},
        ],
        "tools": [{"type": "function", **FUNCTION, "strict": None}],
    }


def with_object_arguments(messages: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = json.loads(json.dumps(messages))
    for message in out:
        for call in message.get("tool_calls", ()):
            if isinstance(call["function"]["arguments"], str):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return out


def test_what_has_the_form_already_stays_as_it_is() -> None:
    read = read_conversation(IN_CHAT_FORM, [{"type": "function", "function": FUNCTION}])
    assert list(read.messages) == IN_CHAT_FORM
    assert read.tools == ({"type": "function", "function": FUNCTION},)
    assert (read.notes, read.not_counted, read.converted) == ((), "", frozenset())


@pytest.mark.parametrize("body", [in_anthropic_form(), in_responses_form()], ids=["blocks", "items"])
def test_other_forms_say_the_same(body: dict[str, Any]) -> None:
    read = read_conversation(body)
    assert with_object_arguments(read.messages) == IN_CHAT_FORM
    assert read.tools == ({"type": "function", "function": FUNCTION},)
    assert read.notes == ()


def test_arguments_stay_strings_or_objects_as_they_were_given() -> None:
    blocks, items = read_conversation(in_anthropic_form()), read_conversation(in_responses_form())
    assert blocks.messages[2]["tool_calls"][0]["function"]["arguments"] == {"city": "Bern"}
    assert items.messages[2]["tool_calls"][0]["function"]["arguments"] == '{"city": "Bern"}'


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("messages[0].content", "system[0].text"),
        ("messages[1].content", "messages[0].content[0].text"),
        ("messages[2].reasoning_content", "messages[1].content[0].thinking"),
        ("messages[2].content", "messages[1].content[1].text"),
        ("messages[2].tool_calls[1].function.name", "messages[1].content[3].name"),
        ("messages[2].tool_calls[1].function.arguments.city", "messages[1].content[3].input.city"),
        ("messages[3].content", "messages[2].content[0].content"),
        ("messages[4].content", "messages[2].content[1].content[0].text"),
        ("messages[5].content", "messages[2].content[2].text"),
        ("tools[0].function.description", "tools[0].function.description"),
    ],
)
def test_each_place_is_known_in_what_was_given(path: str, given: str) -> None:
    assert read_conversation(in_anthropic_form()).place(path) == given


TOOL_FORMS = {
    "chat": [{"type": "function", "function": FUNCTION}],
    "flat": [{"type": "function", **FUNCTION}],
    "bare": [FUNCTION],
    "blocks": [{"name": "get_weather", "description": "The weather.", "input_schema": PARAMETERS}],
    "custom": [
        {"type": "custom", "name": "get_weather", "description": "The weather.", "input_schema": PARAMETERS}
    ],
    "server": {"tools": [{"name": "get_weather", "description": "The weather.", "inputSchema": PARAMETERS}]},
    "answer": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "tools": [
                {
                    "name": "get_weather",
                    "title": "Weather",
                    "description": "The weather.",
                    "inputSchema": PARAMETERS,
                    "annotations": {"readOnlyHint": True},
                }
            ]
        },
    },
}


@pytest.mark.parametrize("form", TOOL_FORMS)
def test_tools_of_every_form_are_the_same(form: str) -> None:
    read = read_conversation([], TOOL_FORMS[form])
    assert read.tools == ({"type": "function", "function": FUNCTION},)
    assert list(read.tools[0]["function"]) == ["name", "description", "parameters"]


def test_what_a_tool_returns_is_noted_and_not_written() -> None:
    tool = {"name": "f", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    read = read_conversation([], {"tools": [tool]})
    assert read.notes == (
        "tools[0].outputSchema: not written by templates, which have no place for what a tool returns",
    )


BASE64 = "iVBORw0KGgo" * 400


@pytest.mark.parametrize(
    ("part", "counted"),
    [
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}}, "1 image"),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}, "1 image"),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{BASE64}"}, "1 image"),
        ({"type": "image", "image": BASE64}, "1 image"),
        ({"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}}, "1 sound"),
        ({"type": "video", "video": BASE64}, "1 video"),
        ({"type": "file", "file": {"filename": "a.pdf", "file_data": BASE64}}, "1 file"),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": BASE64}}, "1 file"),
    ],
)  # fmt: skip
def test_data_is_counted_apart_and_never_kept_as_text(part: dict[str, Any], counted: str) -> None:
    read = read_conversation([{"role": "user", "content": [{"type": "text", "text": "Look."}, part]}])
    assert read.not_counted == counted
    assert "iVBOR" not in str(read.messages)
    assert read.messages[0]["content"][0] == {"type": "text", "text": "Look."}
    assert len(read.messages[0]["content"]) == 2


REFUSED: list[tuple[Any, str]] = [
    ("Hi", "messages"),
    (7, "messages"),
    ({"model": "m"}, "messages"),
    (["Hi"], "messages[0]"),
    ([{"content": "Hi"}], "messages[0]"),
    ([{"role": 7, "content": "Hi"}], "messages[0]"),
    ([{"role": "user"}], "messages[0]"),
    ([{"role": "user", "content": 7}], "messages[0].content"),
    ([{"role": "user", "content": [{"text": "Hi"}]}], "messages[0].content[0]"),
    ([{"role": "user", "content": [{"type": "hologram"}]}], "messages[0].content[0]"),
    ([{"role": "user", "content": [{"type": "text"}]}], "messages[0].content[0]"),
    ([{"role": "user", "content": [{"type": "text", "text": None}]}], "messages[0].content[0]"),
    ([{"role": "user", "content": [{"type": "text", "text": "a", "more": 1}]}], "messages[0].content[0]"),
    ([{"role": "assistant", "content": None, "tool_calls": {}}], "messages[0].tool_calls"),
    ([{"role": "assistant", "content": None, "tool_calls": ["f"]}], "messages[0].tool_calls[0]"),
    ([{"role": "assistant", "content": None, "tool_calls": [{"function": {}}]}], "messages[0].tool_calls[0].function"),
    ([{"type": "web_search_call", "id": "w"}], "messages[0]"),
    ([{"type": "item_reference", "id": "w"}], "messages[0]"),
    ([{"type": "function_call", "name": "f", "arguments": "{}"}], "messages[0]"),
    ([{"type": "function_call_output", "call_id": "c", "output": 1}], "messages[0]"),
    ([{"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}], "messages[0]"),
    ([{"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}], "messages[0].content[0]"),
    (
        [
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b", "signature": "c"}],
            }
        ],
        "messages[0].content[1]",
    ),
    (
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}, {"type": "text", "text": "a"}],
            }
        ],
        "messages[0].content[1]",
    ),
    ([{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": "{}"}]}], "messages[0].content[0].input"),
    ([{"role": "user", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}], "messages[0].content[0]"),
    ([{"role": "assistant", "content": [{"type": "tool_result", "tool_use_id": "c"}]}], "messages[0].content[0]"),
    ([{"role": "user", "content": [{"type": "document", "source": {"type": "text", "data": "a"}}]}], "messages[0].content[0]"),
    ([{1: 2}], "messages[0]"),
    ([{"type": ["function_call"]}], "messages[0]"),
    ([{"role": "user", "content": [{"type": ["text"]}]}], "messages[0].content[0]"),
    (
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}, {"type": {}}]}],
        "messages[0].content[1]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "path"), REFUSED, ids=[path for _, path in REFUSED])
def test_what_has_no_place_is_an_error_with_its_path(messages: Any, path: str) -> None:
    with pytest.raises(pw.MessageError) as caught:
        read_conversation(messages)
    assert caught.value.path == path
    assert caught.value.message.startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("tools", "path"),
    [
        ("f", "tools"),
        ({"functions": []}, "tools"),
        ([7], "tools[0]"),
        ([{"type": ["function"], "name": "f"}], "tools[0]"),
        ([{"type": "web_search_20250305", "name": "web_search"}], "tools[0]"),
        ([{"type": "custom", "name": "f"}], "tools[0]"),
        ([{"type": "function", "function": {}}], "tools[0].function"),
        ([{"description": "no name"}], "tools[0]"),
        ([{"name": "f", "input_schema": 7}], "tools[0].input_schema"),
        ([{"name": "f", "parameters": {}, "secret": 1}], "tools[0]"),
    ],
)
def test_a_tool_that_is_none_is_an_error_with_its_path(tools: Any, path: str) -> None:
    with pytest.raises(pw.MessageError) as caught:
        read_conversation([], tools)
    assert caught.value.path == path


def test_what_holds_itself_or_is_very_deep_is_an_error() -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    for value in (loop, [{"role": "user", "content": "x", "more": deep}]):
        with pytest.raises(pw.MessageError, match="levels deep"):
            read_conversation(value)
    with pytest.raises(pw.MessageError, match="levels deep"):
        read_conversation([], [{"name": "f", "parameters": deep}])


def test_an_object_of_an_api_s_library_is_read_as_its_data() -> None:
    class Message:
        def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
            assert exclude_none
            return {"role": "assistant", "content": "Hi"}

    assert read_conversation([Message()]).messages == ({"role": "assistant", "content": "Hi"},)


def test_text_before_a_result_stays_before_it() -> None:
    blocks = [
        {"type": "text", "text": "First."},
        {"type": "tool_result", "tool_use_id": "c1", "content": "r", "is_error": True},
    ]
    read = read_conversation([{"role": "user", "content": blocks}])
    assert [message["role"] for message in read.messages] == ["user", "tool"]
    assert read.messages[1]["is_error"] is True
    assert read.notes[0].startswith("messages[0].content[1].is_error: ")


@pytest.mark.parametrize(
    ("body", "options", "note"),
    [
        ({"system": "a"}, {"system": "b"}, "system: replaced by system="),
        ({"tools": [FUNCTION]}, {"tools": [FUNCTION]}, "tools: those of the request are replaced by tools="),
        (
            {"chat_template_kwargs": {"enable_thinking": False}},
            {},
            "chat_template_kwargs: not read from a request; it is an argument here",
        ),
    ],
)
def test_what_of_a_request_is_not_read_is_said(
    body: dict[str, Any], options: dict[str, Any], note: str
) -> None:
    read = read_conversation({"messages": [{"role": "user", "content": "Hi"}], **body}, **options)
    assert read.notes == (note,)
    assert [message["content"] for message in read.messages] == (
        ["b", "Hi"] if "system" in options else ["Hi"]
    )


def test_an_input_may_be_one_text_and_functions_may_be_tools() -> None:
    read = read_conversation({"instructions": "Be brief.", "input": "Hi", "functions": [FUNCTION]})
    assert read.messages == ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"})
    assert read.tools == ({"type": "function", "function": FUNCTION},)


def test_a_body_in_a_body_is_none() -> None:
    with pytest.raises(pw.MessageError, match="messages is a list of messages, not an object"):
        read_conversation({"messages": {"messages": []}})
