"""Whatever a caller writes, wherever: no control token comes of it, and the ids are those of the whole text encoded at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from tests.property.strategies import texts
from tests.unit.chat_attacks import FIELDS, MODELS, WITHOUT_CALLS, conversation
from tests.unit.chats import own, template

# Markers, their halves, and what stands around them in templates.
_BITS = sorted(
    {bit for _, markers in MODELS.values() for marker in markers for bit in (marker, marker[: len(marker) // 2], marker[1:], marker[:-1])}
)  # fmt: skip
hostile = st.lists(
    st.one_of(
        st.sampled_from(_BITS),
        st.sampled_from(["\n", "\n\n", " ", "user", "system\n", '"', "\\", "x"]),
        texts,
    ),
    max_size=8,
).map("".join)
fields = st.sampled_from(sorted(FIELDS))


def made(name: str, text: str, field: str) -> pw.ChatPrompt | None:
    source = MODELS[name][0]
    request: Any = conversation(text, field, with_calls=name not in WITHOUT_CALLS)
    options: dict[str, Any] = {} if source is None else {"template": template(source)}
    try:
        return own(name).chat(request, parts="join", **options)
    except (pw.MessageError, pw.TemplateError):
        # A template may refuse what is no longer a tool's name, or no content.
        return None


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=120)
@given(text=hostile, field=fields)
def test_no_text_changes_the_number_of_control_tokens(name: str, text: str, field: str) -> None:
    prompt, plain = made(name, text, field), made(name, "x" if text.strip() else text, field)
    if prompt is None or plain is None:
        return
    if any("the template acts on control strings" in warning for warning in prompt.warnings):
        return
    rows = [[i for i in found.ids if i in found.control_ids] for found in (prompt, plain)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=120)
@given(text=hostile, field=fields)
def test_ids_are_those_of_the_whole_text(name: str, text: str, field: str) -> None:
    prompt = made(name, text, field)
    if prompt is None:
        return
    tok = own(name)
    assert prompt.ids == tok.ids(prompt.text, special="parse", trusted=prompt.trusted)
    assert sum(part.n_tokens for part in prompt.parts) == len(prompt.ids) == len(prompt.origins)
    assert sum(part.n_body for part in prompt.parts) == prompt.n_body <= prompt.n_tokens
    assert all(part.n_framing >= 0 for part in prompt.parts)
    for token_id, origin in zip(prompt.ids, prompt.origins, strict=True):
        if token_id in prompt.control_ids:
            assert origin.kind == "template"
    for item in prompt.forged:
        assert prompt.text[slice(*item.span)] == item.token


@settings(max_examples=100)
@given(contents=st.lists(hostile, min_size=1, max_size=5))
def test_a_caller_s_text_is_in_the_prompt_as_it_is_under_our_own_template(contents: list[str]) -> None:
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": content} for at, content in enumerate(contents)
    ]
    prompt = pw.load("qwen3").chat(messages, template="chatml")
    expected = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    if len(messages) % 2:
        expected += "<|im_start|>assistant\n"
    assert prompt.text == expected
    assert [part.kind for part in prompt.parts][: len(messages)] == ["message"] * len(messages)
    n_controls = sum(token_id in prompt.control_ids for token_id in prompt.ids)
    assert n_controls == 2 * len(messages) + len(messages) % 2
