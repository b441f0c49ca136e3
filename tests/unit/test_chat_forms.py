"""Which template is meant, and which form of the messages it is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tests.unit.chats import ONE, QUESTION, SYSTEM, own, tool
from tests.unit.test_conversation import FUNCTION, IN_CHAT_FORM, in_anthropic_form, in_responses_form

SIMPLE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
}


# --- which template -------------------------------------------------------------------------------------------------------


def test_without_a_template_the_error_names_the_ways_out() -> None:
    with pytest.raises(pw.TemplateError, match="qwen3 has no chat template") as caught:
        pw.load("qwen3").chat([ONE])
    assert 'template="chatml"' in str(caught.value)
    assert "--template" in str(caught.value)


def test_our_own_template_is_labelled() -> None:
    prompt = pw.load("qwen3").chat([SYSTEM, QUESTION], template="chatml")
    assert prompt.text == (
        "<|im_start|>system\nYou are a terse assistant.<|im_end|>\n<|im_start|>user\nHow many tokens is this?"
        "<|im_end|>\n<|im_start|>assistant\n"
    )
    assert (prompt.n_tokens, prompt.template, prompt.basis) == (25, "chatml", "calibrated")
    assert prompt.template_label == "our ChatML, not the model's own: calibrated"
    assert prompt.template_label in prompt.warnings
    assert prompt.count().band is None


def test_our_own_template_writes_tools_calls_results_thinking_and_parts() -> None:
    messages = [
        SYSTEM,
        {
            "role": "user",
            "name": "ada",
            "content": [{"type": "text", "text": "Weather"}, {"type": "text", "text": "?"}],
        },
        {**CALL, "reasoning_content": "I call."},
        {"role": "tool", "content": "mild"},
    ]
    prompt = pw.load("qwen3").chat(messages, tools=[tool()], template="chatml")
    assert prompt.text == (
        "<|im_start|>system\nYou are a terse assistant.\n\n"
        "You can call the functions between <tools> and </tools>, one JSON object on a line.\n"
        "To call one, write its name and arguments as JSON between <tool_call> and </tool_call>.\n<tools>\n"
        f"{json.dumps(tool())}\n</tools><|im_end|>\n"
        "<|im_start|>user\nada: Weather?<|im_end|>\n"
        '<|im_start|>assistant\n<think>\nI call.\n</think>\n\n\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n'
        "</tool_call><|im_end|>\n<|im_start|>tool\nmild<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt.dropped == ()


def test_our_own_template_says_where_its_markers_are_no_tokens() -> None:
    prompt = pw.load("gpt-4o").chat([ONE], template="chatml")
    assert any(
        "<|im_start|>, <|im_end|>: not one token in o200k_base" in warning for warning in prompt.warnings
    )


@pytest.mark.parametrize("name", ["default", "rag", "tool_use"])
def test_a_named_template_is_the_tokenizer_s_own(tmp_path: Path, name: str) -> None:
    tok = with_templates(tmp_path, {"default": "D", "tool_use": "T", "rag": "R"})
    assert tok.chat([ONE], template=name).text == name[0].upper()


def test_tools_take_the_template_for_tools(tmp_path: Path) -> None:
    tok = with_templates(tmp_path, {"default": "D", "tool_use": "T"})
    assert tok.chat([ONE]).text == "D"
    assert tok.chat([ONE], tools=[tool()]).text == "T"
    assert tok.chat([ONE], tools=[]).text == "D"


def test_a_tokenizer_with_named_templates_only_names_them(tmp_path: Path) -> None:
    tok = with_templates(tmp_path, {"rag": "R", "grounded": "G"})
    with pytest.raises(pw.TemplateError, match="names one: grounded, rag"):
        tok.chat([ONE])


def with_templates(folder: Path, templates: dict[str, str]) -> pw.Tokenizer:
    source = own("qwen3").name
    (folder / "tokenizer.json").write_bytes((Path(source) / "tokenizer.json").read_bytes())
    listed = [{"name": name, "template": text} for name, text in templates.items()]
    config = {"tokenizer_class": "Qwen2Tokenizer", "chat_template": listed}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return pw.load(folder)


def test_a_template_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jinja"
    path.write_text(SIMPLE, encoding="utf-8")
    for given in (path, str(path)):
        prompt = pw.load("qwen3").chat([ONE], template=given)
        assert prompt.text == "<|im_start|>user\nx<|im_end|>\n"
        assert prompt.template == str(path)
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"chat_template": SIMPLE}), encoding="utf-8")
    assert pw.load("qwen3").chat([ONE], template=config).text == "<|im_start|>user\nx<|im_end|>\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("missing.jinja", None, "there is no template"),
        ("bytes.jinja", b"\xff\xfe{{ x }}", "not UTF-8 at byte 0"),
        ("broken.jinja", b"{% for %}", "line 1"),
        ("empty.json", b"{}", "holds no chat_template"),
        ("broken.json", b"{", "is no JSON"),
    ],
)
def test_a_template_file_that_is_none_is_an_error(
    tmp_path: Path, name: str, content: bytes | None, expected: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(pw.TemplateError, match=expected):
        pw.load("qwen3").chat([ONE], template=tmp_path / name)


@pytest.mark.parametrize("given", ["no-such-name", "a" * 5000, "\0", "."])
def test_a_name_that_is_no_template_is_an_error(given: str) -> None:
    with pytest.raises(pw.TemplateError):
        pw.load("qwen3").chat([ONE], template=given)


def test_arguments_of_the_wrong_type_are_python_s_errors() -> None:
    tok = own("qwen3")
    wrong: list[tuple[type[Exception], dict[str, Any]]] = [
        (TypeError, {"template": 7}),
        (TypeError, {"bos_token": 7}),
        (ValueError, {"add_generation_prompt": "maybe"}),
        (ValueError, {"arguments": "xml"}),
        (ValueError, {"parts": "drop"}),
    ]
    for error, options in wrong:
        with pytest.raises(error):
            tok.chat([ONE], **options)


def test_an_argument_that_is_named_a_token_is_one() -> None:
    source = "{{ image_token }}{{ messages[0].content }}"
    assert own("qwen3").chat([ONE], template=source, image_token="<|image_pad|>").ids.tolist() == [151655, 87]
    with pytest.raises(ValueError, match="image_token is one token"):
        own("qwen3").chat([ONE], template=source, image_token="a<|im_end|>")


# --- which form of the messages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [in_anthropic_form(), in_responses_form()], ids=["blocks", "items"])
def test_requests_of_other_apis_make_the_prompt_of_the_same_messages(body: dict[str, Any]) -> None:
    expected = own("qwen3").chat(IN_CHAT_FORM, tools=[FUNCTION])
    assert own("qwen3").chat(body).ids == expected.ids


def test_forged_markers_are_placed_in_what_was_given() -> None:
    body = in_anthropic_form()
    body["messages"][2]["content"][0]["content"] = "mild<|im_end|>"
    body["system"][0]["text"] = "<|im_start|>"
    prompt = own("qwen3").chat(body)
    assert [(item.path, item.field_span) for item in prompt.forged] == [
        ("system[0].text", (0, 12)),
        ("messages[2].content[0].content", (4, 14)),
    ]


def test_a_refusal_names_the_message_as_it_was_given() -> None:
    source = "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('No tools') }}{% endif %}{% endfor %}"
    with pytest.raises(pw.MessageError, match=r"at messages\[2\]\.content\[0\]: No tools") as caught:
        own("qwen3").chat(in_anthropic_form(), template=source)
    assert caught.value.path == "messages[2].content[0]"


OBJECTS = "{% for m in messages %}{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }};{% endfor %}{% endfor %}{% endfor %}"
DUMPED = "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}"


def test_json_strings_become_objects_where_the_template_fails_on_them() -> None:
    prompt = own("qwen3").chat([CALL], template=OBJECTS)
    assert prompt.text == "a=1;"
    assert "arguments of calls: the template is given the JSON strings as objects" in prompt.warnings


def test_a_string_in_a_string_is_as_given_and_said() -> None:
    given = own("qwen3").chat([CALL], template=DUMPED)
    assert given.text == '"{\\"a\\": 1}"'
    assert any("a string within a string" in warning for warning in given.warnings)
    assert own("qwen3").chat([CALL], template=DUMPED, arguments="object").text == '{"a": 1}'


def test_objects_become_strings_on_request() -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": {"a": "é"}}}],
    }
    source = "{{ messages[0].tool_calls[0].function.arguments }}"
    assert own("qwen3").chat([call], template=source, arguments="string").text == '{"a": "é"}'


def test_arguments_that_are_no_json_are_an_error_with_their_path() -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}
    with pytest.raises(pw.MessageError, match="arguments are no JSON") as caught:
        own("qwen3").chat([call], template=DUMPED, arguments="object")
    assert caught.value.path == "messages[0].tool_calls[0].function.arguments"


def test_null_content_beside_calls_is_an_empty_one() -> None:
    """OpenAI's API gives it so; Qwen3's template cannot read it, and the reference neither."""
    prompt = own("qwen3").chat([QUESTION, {**CALL, "content": None}])
    assert prompt.ids == own("qwen3").chat([QUESTION, CALL]).ids
    assert "messages[1]: without content; the template is given an empty one" in prompt.warnings


def test_parts_as_a_list_of_python_are_said_and_can_be_joined() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]
    given = own("qwen3").chat(messages, template=SIMPLE)
    assert "[{'type': 'text', 'text': 'a'}" in given.text
    assert any("a list of Python" in warning for warning in given.warnings)
    joined = own("qwen3").chat(messages, template=SIMPLE, parts="join")
    assert joined.text == "<|im_start|>user\na\nb<|im_end|>\n"
    assert "messages[0].content: 2 text parts joined with line breaks" in joined.warnings


def test_parts_of_another_form_are_joined_where_the_template_takes_text() -> None:
    blocks = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    prompt = own("qwen3").chat([{"role": "user", "content": blocks}], template=SIMPLE)
    assert prompt.text == "<|im_start|>user\na\nb<|im_end|>\n"


def test_an_image_where_the_template_takes_text_is_an_error() -> None:
    blocks = [
        {"type": "input_text", "text": "a"},
        {"type": "input_image", "image_url": "https://e.org/a.png"},
    ]
    with pytest.raises(pw.MessageError, match="takes text only"):
        own("qwen3").chat([{"role": "user", "content": blocks}], template=SIMPLE)


def test_images_make_the_count_a_lower_bound() -> None:
    content = [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    prompt = own("gemma3").chat([{"role": "user", "content": content}])
    assert (prompt.basis, prompt.not_counted) == ("lower-bound", "1 image")
    assert "not counted: 1 image" in str(prompt)
    assert "AAAA" not in prompt.text
    place = "messages[0].content[1]"
    assert f"{place}.image_url.url: data; the template is given (data) in its place" in prompt.warnings
    # Gemma's template knows the type image alone, and passes over others, also in transformers.
    words = f"{place}: the template writes nothing for a part of type image_url; it writes one of type image"
    assert words in prompt.warnings
    assert "<start_of_image>" not in prompt.text
    taken = own("gemma3").chat([{"role": "user", "content": [content[0], {"type": "image"}]}])
    assert "<start_of_image>" in taken.text
    assert not any("writes nothing" in text for text in taken.warnings)


def test_parts_go_to_the_template_as_given() -> None:
    printing = "{{ messages[0].content }}"
    sound = {"input_audio": {"format": "wav", "data": "UklGRg=="}, "type": "input_audio"}
    content = [
        {"text": "a", "type": "text"},
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png", "detail": "low"}},
        sound,
    ]
    prompt = own("qwen3").chat([{"role": "user", "content": content}], template=printing)
    sound["input_audio"] = {"format": "wav", "data": "(data)"}
    assert prompt.text == str(content)
    place = "messages[0].content[2].input_audio.data"
    assert f"{place}: data; the template is given (data) in its place" in prompt.warnings
    assert any("written as a list of Python" in text and "no place" in text for text in prompt.warnings)


def test_a_part_of_another_api_becomes_one_that_templates_know() -> None:
    parts = [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "https://e.org/a.png"}]
    prompt = own("gemma3").chat([{"role": "user", "content": parts}])
    assert "<start_of_image>" in prompt.text
    words = "messages[0].content[1]: a part of type input_image; the template is given one of type image, without data"
    assert words in prompt.warnings


@pytest.mark.parametrize("failure", ["raise_exception('no such part')", "part.nothing.at_all"])
def test_a_template_that_fails_on_a_type_is_given_the_type_that_it_takes(failure: str) -> None:
    known = (
        "{% for part in messages[0].content %}{% if part.type == 'image' %}<image>{% elif part.type == 'text' %}"
        "{{ part.text }}{% else %}{{ " + failure + " }}{% endif %}{% endfor %}"
    )
    content = [
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
        {"type": "text", "text": "a"},
    ]
    prompt = own("qwen3").chat([{"role": "user", "content": content}], template=known)
    assert prompt.text == "<image>a"
    words = "messages[0].content[0]: a part of type image_url; the template is given one of type image, which it takes"
    assert words in prompt.warnings


@pytest.mark.parametrize(
    ("template", "messages", "path"),
    [
        (
            "{% for m in messages %}{{ 'a' + m.content }}{% endfor %}",
            [ONE, {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}],
            "messages[1].content",
        ),
        (
            "{{ messages[0]['tool_calls'][0].function.get('arguments') + 1 }}",
            [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
                }
            ],
            "messages[0].content[0].input",
        ),
        ("{{ messages[0].content }}{{ tools[0].function.name + 1 }}", [ONE], "tools[0].function.name"),
        ("{{ messages[0].gone + 1 }}", [ONE], "messages[0].gone"),
    ],
)
def test_a_failure_names_what_the_template_read_last(
    template: str, messages: list[dict[str, Any]], path: str
) -> None:
    with pytest.raises(pw.TemplateError) as caught:
        own("qwen3").chat(messages, tools=[tool()], template=template)
    assert caught.value.path == path
    assert caught.value.message.endswith(f", while it read {path}")
    assert str(caught.value.reason).endswith(f", while it read {path}")


def test_a_failure_before_any_message_says_so() -> None:
    with pytest.raises(pw.TemplateError, match="before it read anything of a message") as caught:
        own("qwen3").chat([ONE], template="{{ nothing.at_all }}{{ messages[0].content }}")
    assert caught.value.path is None
