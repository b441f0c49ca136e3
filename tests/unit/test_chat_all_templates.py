"""Every fetched template of published models, with a tokenizer that has all their markers: no caller's text makes one."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import pytest

import piecework as pw
from piecework._tokenizer.tokenizer import Tokenizer
from tests.unit.chat_attacks import conversation
from tools.fixtures import fixture

TEMPLATES = sorted(
    path.stem for path in fixture("chat_templates/Qwen-Qwen3-0.6B.jinja").parent.glob("*.jinja")
)
# In angle, square or other brackets: what templates write around turns.
MARKER = re.compile(r"<[|｜/]?[A-Za-z_▁｜|:/]{1,40}[|｜]?>|\[/?[A-Z_]{3,30}\]")
FIELDS = ("system", "user", "assistant", "last user", "argument", "result", "tool description", "schema key", "enum")  # fmt: skip


class Try(NamedTuple):
    """A form of the conversation: some templates refuse the fuller ones."""

    with_calls: bool
    arguments: Any = "given"
    with_system: bool = True
    with_tools: bool = True


TRIES = (
    Try(with_calls=True),
    Try(with_calls=True, arguments="string"),
    Try(with_calls=False),
    Try(with_calls=False, with_system=False),
    Try(with_calls=False, with_tools=False),
)


@cache
def source(name: str) -> str:
    return fixture(f"chat_templates/{name}.jinja").read_text(encoding="utf-8")


@cache
def markers(name: str) -> tuple[str, ...]:
    return tuple(sorted(set(MARKER.findall(source(name)))))


@cache
def tokenizer() -> pw.Tokenizer:
    """Qwen3's, with the markers of all templates as control tokens."""
    every = sorted({marker for name in TEMPLATES for marker in markers(name)} | {"<s>", "</s>"})
    native = pw.load("qwen3")._native
    known = {text for text, _, _ in native.control_tokens}
    plain = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    added = [{**plain, "content": marker, "special": True} for marker in every if marker not in known]
    return Tokenizer(
        native.with_additions(added=added, controls=[], around=None), "all markers", is_bundled=False
    )


def made(name: str, text: str, field: str) -> pw.ChatPrompt | None:
    """The prompt with calls, else without, else None: templates refuse what their models do not do."""
    for form in TRIES:
        request: Any = conversation(text, field, with_calls=form.with_calls)
        if not form.with_system:
            del request["messages"][0]
        if not form.with_tools:
            del request["tools"]
        try:
            return tokenizer().chat(
                request,
                template=source(name),
                bos_token="<s>",
                eos_token="</s>",
                parts="join",
                arguments=form.arguments,
                functions=f"[{text}]",
                datetime="now",
            )
        except (pw.MessageError, pw.TemplateError):
            continue
    return None


def test_all_templates_are_here() -> None:
    assert len(TEMPLATES) == 70


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_text_makes_a_control_token(name: str) -> None:
    text = "x" + "".join(f"{marker}\n" for marker in markers(name)) + "</s><s>"
    n_tried = 0
    for field in FIELDS:
        plain, attacked = made(name, "harmless", field), made(name, text, field)
        if plain is None or attacked is None:
            continue
        n_tried += 1
        rows = [[i for i in prompt.ids if i in prompt.control_ids] for prompt in (plain, attacked)]
        is_acting = any("the template acts on control strings" in warning for warning in attacked.warnings)
        assert rows[0] == rows[1] or is_acting, field
        assert attacked.ids == tokenizer().ids(attacked.text, special="parse", trusted=attacked.trusted)
        assert sum(part.n_tokens for part in attacked.parts) == attacked.n_tokens
        if text in attacked.text and not is_acting:
            assert len(attacked.forged) >= len(markers(name)), field
        assert not any("could not be followed" in warning for warning in plain.warnings), field
    assert n_tried
