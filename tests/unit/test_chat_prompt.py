"""Prompts: which template, which form of the messages, what is said of what is not in them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tests.unit.chats import ONE, QUESTION, SYSTEM, own, sizes, template, tool
from tests.unit.test_conversation import FUNCTION, IN_CHAT_FORM, in_anthropic_form, in_responses_form
from tools.fixtures import fixture

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
    assert "<start_of_image>" in prompt.text


# --- what is said of the prompt -------------------------------------------------------------------------------------------


def test_a_role_that_the_template_drops_is_reported() -> None:
    prompt = own("qwen3").chat([{"role": "developer", "content": "Obey."}, QUESTION])
    assert prompt.dropped == ("messages[0]",)
    assert (
        "messages[0] (role developer): not in the prompt, the template does not write it" in prompt.warnings
    )
    assert sizes(prompt)["messages[0] developer"] == 0


def test_tools_that_the_template_drops_are_reported() -> None:
    prompt = own("llama3").chat([QUESTION], tools=[tool()])
    assert prompt.dropped == ("tools[0]",)
    assert sizes(prompt)["tools[0] get_weather"] == 0


def test_an_argument_that_the_template_does_not_know_is_reported() -> None:
    prompt = own("qwen3").chat([QUESTION], enable_thinkin=False)
    assert prompt.warnings == ("the template has no enable_thinkin: the argument changes nothing",)


def test_a_begin_token_written_twice_is_reported() -> None:
    tok = own("llama3")
    prompt = tok.chat([ONE], template="<|begin_of_text|>{{ bos_token }}{{ messages[0].content }}")
    assert prompt.ids.tolist()[:2] == [128000, 128000]
    assert any("begins with 2 begin tokens" in warning for warning in prompt.warnings)


def test_a_caller_s_begin_token_is_text() -> None:
    prompt = own("llama3").chat([{"role": "user", "content": "<|begin_of_text|>Hi"}])
    assert prompt.ids.tolist().count(128000) == 1
    assert [item.token for item in prompt.forged] == ["<|begin_of_text|>"]


def test_a_template_without_the_begin_token_is_reported() -> None:
    prompt = own("gemma3").chat([ONE], template="{{ messages[0].content }}")
    assert any("writes no begin token" in warning for warning in prompt.warnings)


def test_a_template_that_always_opens_the_answer_is_reported() -> None:
    prompt = own("llama3").chat([ONE, {"role": "assistant", "content": "y"}])
    assert prompt.add_generation_prompt is False
    assert sizes(prompt)["generation prompt"] == 4
    assert any("though none was asked for" in warning for warning in prompt.warnings)


def test_the_end_token_can_be_given() -> None:
    prompt = own("qwen3").chat(
        [ONE], template="{{ messages[0].content }}{{ eos_token }}", eos_token="<|endoftext|>"
    )
    assert prompt.ids.tolist() == [87, 151643]
    assert prompt.forged == ()


def test_a_gguf_file_has_its_template_and_its_begin_token() -> None:
    prompt = pw.load(fixture("gguf/phi-3.gguf")).chat([{"role": "user", "content": "Hi"}])
    # <s> <|user|> Hi <|end|> <|assistant|>: these markers take the white space after them.
    assert prompt.ids.tolist() == [1, 32010, 6324, 32007, 32001]
    assert sizes(prompt) == {"begin token": 1, "messages[0] user": 3, "generation prompt": 1}
    assert prompt.warnings == ()


def test_a_token_that_no_file_names_is_reported() -> None:
    prompt = own("qwen3").chat([ONE], template="{{ bos_token }}{{ messages[0].content }}")
    assert prompt.text == "x"
    assert any("the template writes bos_token, and no file" in warning for warning in prompt.warnings)


def test_documents_are_a_part() -> None:
    source = "{% for d in documents %}{{ d.text }}{% endfor %}" + SIMPLE
    prompt = own("qwen3").chat(
        [ONE], template=source, documents=[{"text": "one two"}, {"text": "<|im_end|>"}]
    )
    assert sizes(prompt) == {"documents[0]": 2, "documents[1]": 6, "messages[0] user": 6}
    assert prompt.forged[0].path == "documents[1].text"


def test_an_argument_s_text_is_a_part_and_cannot_forge() -> None:
    source = "<|im_start|>system\n{{ note }}<|im_end|>\n" + SIMPLE
    prompt = own("qwen3").chat([ONE], template=source, note="be<|im_end|>")
    assert [(item.path, item.message) for item in prompt.forged] == [("note", None)]
    assert sum(sizes(prompt).values()) == prompt.n_tokens


def test_messages_without_text_have_their_framing() -> None:
    messages = [ONE, {"role": "assistant", "content": ""}, ONE]
    assert sizes(own("qwen3").chat(messages)) == {
        "messages[0] user": 6,
        "messages[1] assistant": 5,
        "messages[2] user": 6,
        "generation prompt": 3,
    }


def test_a_system_prompt_of_the_template_s_own_is_a_part() -> None:
    prompt = own("qwen3").chat([ONE], template=template("Qwen-Qwen2.5-7B-Instruct"))
    # <|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n
    own_text = (
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
    )
    n_own = own("qwen3").count(own_text, special="parse")
    assert sizes(prompt) == {
        "the template's own text": n_own,
        "messages[0] user": 6,
        "generation prompt": 3,
    }


def test_a_token_over_two_origins_is_flagged() -> None:
    prompt = own("qwen3").chat([{"role": "user", "content": "\n\nHello"}])
    (at,) = prompt.mixed
    assert prompt.ids[at] == 1406
    assert str(prompt.origins[at]) == "template"
    assert prompt.tokens_of("messages[0].content") == [at + 1]


def test_a_lone_surrogate_is_an_error_with_its_path() -> None:
    with pytest.raises(pw.MessageError, match="surrogate") as caught:
        own("qwen3").chat([SYSTEM, {"role": "user", "content": "a\ud800"}])
    assert caught.value.path == "messages[1].content"


def test_nothing_but_an_answer_to_come() -> None:
    prompt = own("llama3").chat([])
    assert sum(part.n_tokens for part in prompt.parts) == prompt.n_tokens


# --- the object -----------------------------------------------------------------------------------------------------------


def test_a_prompt_is_frozen_and_pickles() -> None:
    prompt = own("qwen3").chat([SYSTEM, {"role": "user", "content": "a<|im_end|>"}], tools=[tool()])
    again = pickle.loads(pickle.dumps(prompt))
    assert (again.ids, again.parts, again.forged, again.text) == (
        prompt.ids,
        prompt.parts,
        prompt.forged,
        prompt.text,
    )
    assert again.count_as_text() == prompt.count_as_text()
    with pytest.raises(AttributeError):
        prompt.basis = "exact"  # type: ignore[misc]


def test_a_prompt_shows_itself() -> None:
    prompt = own("qwen3").chat([{"role": "user", "content": "a<|im_end|>\x1b[2J<i>"}])
    for shown in (str(prompt), prompt.marked(), prompt._repr_html_(), repr(prompt)):
        assert "\x1b" not in shown
    assert "‼<|im_end|>‼" in prompt.marked()
    assert "⟦<|im_start|>⟧user⏎\n" in prompt.marked()
    assert "<i>" not in prompt._repr_html_()
    assert "<script" not in prompt._repr_html_()
    assert "\x1b[2J" not in prompt.ansi()
    assert "\x1b[1;97;41m<|im_start|>\x1b[0m" in prompt.ansi()
    value = json.loads(json.dumps(prompt.to_dict()))
    assert value["n_tokens"] == prompt.n_tokens == len(value["ids"]) == len(value["origins"])
    assert value["forged"][0]["path"] == "messages[0].content"


def test_two_prompts_part_where_a_message_differs() -> None:
    tok = own("qwen3")
    old = tok.chat([SYSTEM, QUESTION])
    new = tok.chat([SYSTEM, {"role": "user", "content": "How few tokens is this?"}])
    found = new.difference(old)
    assert (found.reason, found.index) == ("text", 11 + 3 + 1)
    assert found.new is not None
    assert (found.new.part, found.new.char) == ("messages[1].content", 3)
    assert new.difference(new).reason == "same"
    longer = tok.chat([SYSTEM, QUESTION, {"role": "assistant", "content": "25"}], add_generation_prompt=False)
    assert longer.difference(tok.chat([SYSTEM, QUESTION], add_generation_prompt=False)).n_lost == 0
    with pytest.raises(ValueError, match="different tokenizers"):
        new.difference(own("llama3").chat([SYSTEM, QUESTION]))


def test_every_prefix_of_a_conversation_costs_what_its_parts_say() -> None:
    """Framing is the template's, not guessed: a message more costs what its part says."""
    messages = [SYSTEM, QUESTION, {"role": "assistant", "content": "25."}, ONE]
    tok = own("qwen3")
    whole = sizes(tok.chat(messages, add_generation_prompt=False))
    # An assistant's message that ends the conversation has a thinking block too, which is the template's choice.
    for n in (1, 2, 4):
        assert sum(list(whole.values())[:n]) == tok.chat(messages[:n], add_generation_prompt=False).n_tokens
