"""Chats of real models' folders: text, ids and mask equal those of transformers, where callers forge nothing."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
import transformers
from transformers.utils.chat_template_utils import render_jinja_template

import piecework as pw
from tests.unit.chats import ONE, QUESTION, SYSTEM, own, template, tool
from tests.unit.test_chat_all_templates import TEMPLATES, tokenizer
from tools.fixtures import fixture

MODELS = {
    "qwen3": None,
    "llama3": None,
    "deepseek_v3": None,
    "gemma3": None,
    "gptoss": "openai-gpt-oss-120b",
}
CALL = {
    "role": "assistant",
    "content": "I look.",
    "tool_calls": [
        {
            "id": "callabcd1",
            "type": "function",
            "function": {"name": "get_weather", "arguments": {"city": "Bern", "n": 1.5}},
        }
    ],
}
RESULT = {
    "role": "tool",
    "tool_call_id": "callabcd1",
    "name": "get_weather",
    "content": '{"sky": "clear", "°C": 21}',
}
SAID = {"role": "assistant", "content": "It is five.\n"}
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "one": [ONE],
    "system": [SYSTEM, QUESTION],
    "developer": [{"role": "developer", "content": "Be brief."}, QUESTION],
    "turns": [SYSTEM, QUESTION, SAID, {"role": "user", "content": "\n\nAnd  now?\n"}],
    "assistant last": [QUESTION, SAID],
    "calls": [SYSTEM, QUESTION, CALL, RESULT, SAID, ONE],
    "calls as strings": [
        QUESTION,
        {
            **CALL,
            "tool_calls": [
                {"id": "callabcd1", "type": "function", "function": {"name": "f", "arguments": '{"a": "b"}'}}
            ],
        },
        RESULT,
        ONE,
    ],
    "thinking": [QUESTION, {**SAID, "reasoning_content": "Two and three."}, ONE],
    "thinking last": [QUESTION, {**SAID, "reasoning_content": "Two and three."}],
    "parts": [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": " there"}]}
    ],
    "image": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Look."}]}],
    "empty": [{"role": "user", "content": ""}],
    "scripts": [{"role": "user", "content": "नमस्ते 🚀 日本語 <b>&amp;</b> 'q' \"r\" \\n"}],
    "named": [{"role": "user", "name": "ada", "content": "Hi"}],
}


# It asks for variables that no conversation gives.
NEVER = {"fireworks-ai-llama-3-firefunction-v2"}


@cache
def reference(name: str) -> Any:
    folder = fixture(f"{name}/tokenizer.json").parent
    return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)


def source(name: str) -> str | None:
    found = MODELS[name]
    return None if found is None else template(found)


@pytest.mark.parametrize("name", MODELS)
def test_prompts_are_those_of_transformers(name: str) -> None:
    n_equal = n_refused = n_eased = 0
    for messages in CONVERSATIONS.values():
        for tools in (None, [tool()]):
            for adds in (True, False):
                options: dict[str, Any] = {
                    "add_generation_prompt": adds,
                    **({"enable_thinking": False} if adds else {}),
                }
                try:
                    expected = reference(name).apply_chat_template(
                        copy.deepcopy(messages),
                        tools=tools,
                        tokenize=False,
                        chat_template=source(name),
                        **options,
                    )
                except Exception:  # noqa: BLE001 - a template may fail in any way
                    n_refused += 1
                    # Where ours goes on, it has said in what other form the template was given the messages.
                    n_eased += is_eased(name, messages, tools, options)
                    continue
                prompt = own(name).chat(messages, tools=tools, template=source(name), **options)
                assert prompt.text == expected
                ids = reference(name)(expected, add_special_tokens=False)["input_ids"]
                assert prompt.ids.tolist() == ids
                assert prompt.forged == ()
                n_equal += 1
    assert n_equal > 20
    print(
        f"{name}: {n_equal} prompts of transformers, none different; {n_refused} refused, {n_eased} of them in another form"
    )


def is_eased(name: str, messages: list[dict[str, Any]], tools: Any, options: dict[str, Any]) -> bool:
    try:
        prompt = own(name).chat(messages, tools=tools, template=source(name), **options)
    except pw.ChatError:
        return False
    assert any("joined with line breaks" in text or "is given" in text for text in prompt.warnings)
    return True


@pytest.mark.parametrize("name", TEMPLATES)
def test_texts_of_all_templates_are_those_of_transformers(name: str) -> None:
    options: dict[str, Any] = {"add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>"}
    without_and_with_tools: tuple[Any, ...] = (None, [tool()])
    n_equal = 0
    for messages in CONVERSATIONS.values():
        for tools in without_and_with_tools:
            try:
                rendered: Any = render_jinja_template(
                    conversations=[copy.deepcopy(messages)],
                    tools=tools,
                    chat_template=template(name),
                    **options,
                )
            except Exception:  # noqa: BLE001 - a template may fail in any way
                continue
            assert (
                tokenizer().chat(messages, tools=tools, template=template(name), **options).text
                == rendered[0][0]
            )
            n_equal += 1
    assert n_equal or name in NEVER
    print(f"{name}: {n_equal} texts of transformers, none different")


MARKED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}\n{% endfor %}"
)


@pytest.mark.parametrize("name", ["turns", "assistant last", "one", "scripts"])
def test_masks_are_those_of_transformers(name: str) -> None:
    messages = CONVERSATIONS[name]
    expected = reference("qwen3").apply_chat_template(
        messages, chat_template=MARKED, return_dict=True, return_assistant_tokens_mask=True
    )
    prompt = own("qwen3").chat(messages, template=MARKED)
    assert prompt.ids.tolist() == expected["input_ids"]
    assert prompt.assistant_mask() == expected["assistant_masks"]


def test_tools_are_written_as_json_dumps_does() -> None:
    assert json.dumps(tool()) in own("qwen3").chat([ONE], tools=[tool()]).text
