"""Prompts: what is said of them and of what is not in them, and the object itself."""

from __future__ import annotations

import json
import pickle

import pytest

import piecework as pw
from tests.unit.chats import ONE, QUESTION, SYSTEM, own, sizes, template, tool
from tools.fixtures import fixture

SIMPLE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
}


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
    assert again == prompt
    assert len({again, prompt}) == 1
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
