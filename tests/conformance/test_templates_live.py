"""The text of a prompt is the text that Transformers renders, and what Transformers refuses is refused alike.

70 templates of real models, each with every conversation of `tests.chats`.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import pytest
from transformers.utils import chat_template_utils as reference

import piecework as pw
from piecework._chat import making
from piecework._chat.engine import render
from piecework.errors import ChatError, MessageError, TemplateError
from tests.chats import BOS, EOS, Chat, chats, templates

# What chat refuses and a template may write: none.
REFUSED_HERE: set[str] = set()
TODAY = datetime(2026, 3, 4, 5, 6, 7)  # noqa: DTZ001 - what Transformers passes has no zone


class FixedDay(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> FixedDay:
        """The one time there is."""
        return cls(2026, 3, 4, 5, 6, 7, tzinfo=tz)


def of_reference(source: str, chat: Chat) -> str:
    variables = chat.variables()
    messages = reference._normalize_chat_messages(variables.pop("messages"))
    made: Any = reference.render_jinja_template([messages], chat_template=source, **variables)
    return str(made[0][0])


def compared(source: str, chat: Chat) -> tuple[str, str, float]:
    """What both make of it, as text or as the words of the refusal, and our time in seconds."""
    try:
        expected = of_reference(source, chat)
    except Exception as error:  # noqa: BLE001 - a template can fail in any way
        expected = f"refused: {'RecursionError' if isinstance(error, RecursionError) else error}"
    start = time.perf_counter()
    try:
        made = render(source, name="it", variables=chat.variables(), today=TODAY).text
    except ChatError as error:
        made = f"refused: {_words(error)}"
    return expected, made, time.perf_counter() - start


def _words(error: ChatError) -> str:
    """What Python or the template said, without the name of the exception."""
    if isinstance(error, MessageError):
        return str(error.reason)
    assert isinstance(error, TemplateError)
    kind, _, words = str(error.reason).partition(": ")
    return "RecursionError" if kind == "maximum recursion depth exceeded" else words


def test_texts_and_refusals_are_those_of_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "datetime", FixedDay)
    sources, conversations = templates(), chats()
    n_equal, n_refused, different, seconds = 0, 0, [], []
    for name, source in sources.items():
        compared(source, conversations[0])  # compiles both
        for chat in conversations:
            expected, made, took = compared(source, chat)
            seconds.append(took)
            if made != expected:
                different.append((name, chat.name, expected[-200:], made[-200:]))
            elif expected.startswith("refused: "):
                n_refused += 1
            else:
                n_equal += 1
    print(
        f"{len(sources)} templates × {len(conversations)} conversations: {n_equal} renderings equal, {len(different)} different, "
        f"{n_refused} refused by both (same message); {sorted(seconds)[len(seconds) // 2] * 1000:.2f} ms each (median)"
    )
    assert len(sources) == 70
    assert different == []


def test_chat_gives_templates_what_transformers_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Tokenizer.chat` as users call it, where transformers renders too; parts of images are what it once changed."""
    monkeypatch.setattr(reference, "datetime", FixedDay)
    monkeypatch.setattr(making, "datetime", FixedDay)
    tok, sources, conversations = pw.load("gpt2"), templates(), chats()
    n_equal, n_pictures, different, refused = 0, 0, [], []
    for name, source in sources.items():
        for chat in conversations:
            try:
                expected = of_reference(source, chat)
            except Exception:  # noqa: BLE001 - a template can fail in any way
                continue
            try:
                made = of_chat(tok, source, chat)
            except ChatError as error:
                refused.append((name, chat.name, str(error)))
                continue
            n_pictures += chat.name == "picture"
            n_equal += made == expected
            if made != expected:
                different.append((name, chat.name, expected[-200:], made[-200:]))
    print(
        f"Tokenizer.chat: {len(sources)} templates × {len(conversations)} conversations: {n_equal:,} texts equal to "
        f"transformers', {n_pictures} of them with a picture, {len(different)} different, {len(refused)} refused here alone"
    )
    assert different == []
    assert {chat for _, chat, _ in refused} <= REFUSED_HERE
    assert n_pictures >= 40


def of_chat(tok: pw.Tokenizer, source: str, chat: Chat) -> str:
    return tok.chat(
        chat.messages,
        tools=chat.tools,
        documents=chat.documents,
        template=source,
        add_generation_prompt=chat.prompt,
        bos_token=BOS,
        eos_token=EOS,
        **chat.args,
    ).text
