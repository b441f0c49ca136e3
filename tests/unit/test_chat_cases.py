"""The worked figures of chats: Qwen3's own template, part by part; begin tokens; the mask of what the assistant said."""

from __future__ import annotations

import json

import pytest

import piecework as pw
from tests.unit.chats import ONE, QUESTION, SYSTEM, own, sizes, template, tool


def test_two_messages_without_thinking_are_29_tokens_of_which_17_are_added() -> None:
    prompt = own("qwen3").chat([SYSTEM, QUESTION], enable_thinking=False)
    assert (prompt.n_tokens, prompt.n_body, prompt.n_framing) == (29, 12, 17)
    assert prompt.framing_share == pytest.approx(17 / 29)
    assert prompt.basis == "exact"
    assert prompt.template == "default"
    assert prompt.count().n == 29
    assert sum(part.n_tokens for part in prompt.count().parts) == 29


def test_with_thinking_left_on_they_are_25() -> None:
    assert own("qwen3").chat([SYSTEM, QUESTION]).n_tokens == 25


def test_one_character_costs_six_of_which_five_are_framing() -> None:
    prompt = own("qwen3").chat([ONE], enable_thinking=False)
    assert prompt.n_tokens == 13
    assert sizes(prompt) == {"messages[0] user": 6, "generation prompt": 3, "thinking block": 4}
    message = prompt.parts[0]
    assert (message.n_body, message.n_framing) == (1, 5)
    assert message.framing_share == pytest.approx(5 / 6)


def test_one_message_alone_renders_to_six() -> None:
    assert own("qwen3").chat([ONE], add_generation_prompt=False).n_tokens == 6


def test_a_first_tool_adds_its_json_and_the_scaffold() -> None:
    prompt = own("qwen3").chat([ONE], tools=[tool()], enable_thinking=False)
    assert prompt.n_tokens == 160
    assert own("qwen3").count(json.dumps(tool())) == 64
    assert sizes(prompt) == {
        "scaffold around tools": 83,
        "tools[0] get_weather": 64,
        "messages[0] user": 6,
        "generation prompt": 3,
        "thinking block": 4,
    }


def test_each_further_tool_adds_65() -> None:
    counts = [
        own("qwen3").chat([ONE], tools=[tool()] * n, enable_thinking=False).n_tokens for n in range(1, 5)
    ]
    assert counts == [160, 225, 290, 355]


def test_after_a_system_message_a_first_tool_adds_142() -> None:
    without = own("qwen3").chat([SYSTEM, ONE], enable_thinking=False)
    with_tool = own("qwen3").chat([SYSTEM, ONE], tools=[tool()], enable_thinking=False)
    assert (without.n_tokens, with_tool.n_tokens) == (24, 166)
    assert sizes(with_tool)["scaffold around tools"] + sizes(with_tool)["tools[0] get_weather"] == 142
    assert sizes(with_tool)["messages[0] system"] == sizes(without)["messages[0] system"] == 11


def test_the_same_text_read_as_plain_text_counts_52() -> None:
    prompt = own("qwen3").chat([SYSTEM, QUESTION], enable_thinking=False)
    assert prompt.count_as_text() == 52
    assert "the same text read as plain text: 52 tokens" in str(prompt)


def test_the_text_is_what_the_template_writes() -> None:
    prompt = own("qwen3").chat([SYSTEM, QUESTION], enable_thinking=False)
    assert prompt.text == (
        "<|im_start|>system\nYou are a terse assistant.<|im_end|>\n<|im_start|>user\nHow many tokens is this?"
        "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )


def test_text_between_markers_is_encoded_jointly() -> None:
    """A newline that a template writes and two that follow it are one token, 1406, and not 198 and 271."""
    ids = own("qwen3").chat([{"role": "user", "content": "\n\nHello"}]).ids.tolist()
    assert ids[:4] == [151644, 872, 1406, 9707]


def test_llama3_begins_once(recwarn: pytest.WarningsRecorder) -> None:
    prompt = own("llama3").chat([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    assert prompt.ids.tolist() == [
        128000, 128006, 882, 128007, 271, 13347, 128009, 128006, 78191, 128007, 271,
    ]  # fmt: skip
    assert sizes(prompt)["begin token"] == 1
    assert prompt.warnings == ()
    assert not recwarn.list


def test_a_mask_needs_generation_blocks() -> None:
    messages = [{"role": "user", "content": "red fish"}, {"role": "assistant", "content": "blue fish"}]
    prompt = own("qwen3").chat(messages)
    assert not prompt.add_generation_prompt
    with pytest.raises(pw.TemplateError, match=r"\{% generation %\}"):
        prompt.assistant_mask()


MARKED = """{%- for m in messages %}{{- '<|im_start|>' + m.role + '\n' }}
{%- if m.role == 'assistant' %}{% generation %}{{- m.content }}{% endgeneration %}{% else %}{{- m.content }}{% endif %}
{{- '<|im_end|>\n' }}{%- endfor %}"""


def test_a_mask_marks_what_the_assistant_said() -> None:
    messages = [{"role": "user", "content": "red fish"}, {"role": "assistant", "content": "blue fish"}]
    prompt = own("qwen3").chat(messages, template=MARKED)
    mask = prompt.assistant_mask()
    assert len(mask) == prompt.n_tokens
    said = [token_id for token_id, marked in zip(prompt.ids, mask, strict=True) if marked]
    assert own("qwen3").decode(said).strip() == "blue fish"
    assert sum(mask) == own("qwen3").count("blue fish")


def test_a_mask_of_a_conversation_without_an_assistant_marks_nothing() -> None:
    prompt = own("qwen3").chat([ONE], template=MARKED, add_generation_prompt=False)
    assert set(prompt.assistant_mask()) == {0}


def test_json_is_written_as_the_reference_does() -> None:
    source = (
        "{% for m in messages %}\n  {% if m.role == 'user' %}\nU: {{ m.content }}\n  {% endif %}\n{% endfor %}\n"
        "{{ extra | tojson }}"
    )
    prompt = own("qwen3").chat(
        [{"role": "user", "content": "Hi"}], template=source, extra={"q": "a<b & 'c'", "ø": "å"}
    )
    assert prompt.text == 'U: Hi\n{"q": "a<b & \'c\'", "ø": "å"}'


def test_a_refusal_names_the_message_and_why() -> None:
    source = (
        "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('Roles must alternate') }}{% endif %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
    )
    messages = [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Hi"}]
    with pytest.raises(pw.MessageError, match="Roles must alternate") as caught:
        own("qwen3").chat(messages, template=source)
    assert caught.value.path == "messages[0]"


@pytest.mark.parametrize(
    ("last", "expected"), [("user", True), ("tool", True), ("system", True), ("assistant", False)]
)
def test_the_generation_prompt_is_on_unless_the_assistant_spoke_last(last: str, expected: bool) -> None:
    messages = [QUESTION, {"role": last, "content": "x"}]
    prompt = own("qwen3").chat(messages)
    assert prompt.add_generation_prompt is expected
    assert prompt.text.endswith("<|im_start|>assistant\n") is expected


def test_the_fetched_template_counts_the_same_as_a_source() -> None:
    prompt = own("qwen3").chat(
        [SYSTEM, QUESTION], template=template("Qwen-Qwen3-0.6B"), enable_thinking=False
    )
    assert (prompt.n_tokens, prompt.template) == (29, "given")


# The markers that each model's own template writes around a message, counted by hand: llama3 start_header, role, end_header,
# "\n\n", eot; gemma3 start_of_turn, role, "\n", end_of_turn, "\n"; deepseek_v3 a marker for the role, and one after an answer.
FRAMING = {
    "qwen3": {"system": 5, "user": 5, "assistant": 5, "generation prompt": 3},
    "llama3": {"system": 5, "user": 5, "assistant": 5, "generation prompt": 4, "begin token": 1},
    "deepseek_v3": {"system": 0, "user": 1, "assistant": 2, "generation prompt": 1, "begin token": 1},
    # The system's text begins the user's turn: start, role, newline; then an empty line, and the end of the turn.
    "gemma3": {"system": 3, "user": 3, "assistant": 5, "generation prompt": 3, "begin token": 1},
}


@pytest.mark.parametrize("name", FRAMING)
def test_framing_is_what_the_template_s_markers_are(name: str) -> None:
    messages = [SYSTEM, QUESTION, {"role": "assistant", "content": "Ok."}, ONE]
    prompt = own(name).chat(messages)
    expected = FRAMING[name]
    for part in prompt.parts:
        role = part.name.partition(" ")[2] if part.kind == "message" else part.name
        # Gemma's second question has a turn of its own, with start and end.
        wanted = 5 if (name, part.path) == ("gemma3", "messages[3]") else expected[role]
        assert part.n_framing == wanted, part.name
    bodies = [part.n_body for part in prompt.parts if part.kind == "message"]
    assert bodies == [own(name).count(message["content"]) for message in messages]
