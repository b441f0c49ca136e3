"""The text of a prompt is the text that Transformers renders, and what Transformers refuses is refused alike.

70 templates of real models, each with every conversation of `tests.chats`.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from transformers.utils import chat_template_utils as reference

import piecework as pw
from piecework._chat import making
from piecework._chat.engine import render
from piecework.errors import ChatError, MessageError, TemplateError
from tests.chats import BOS, EOS, Chat, chats, templates

# Refusals that name no message, and why: there is none, or the template fails on another variable before it reads one.
UNNAMED = {
    "no messages": 37,
    "'functions' is undefined": 38,
    # The templates for tools, without tools.
    "TypeError: 'NoneType' object is not iterable": 60,
}
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
    reason = re.sub(r", (while it read \S+|before it read anything of a message)$", "", str(error.reason))
    kind, _, words = reason.partition(": ")
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
    n_equal, n_pictures, different, refused, only_here = 0, 0, [], [], []
    for name, source in sources.items():
        for chat in conversations:
            expected = reference_text(source, chat)
            try:
                made = of_chat(tok, source, chat)
            except ChatError as error:
                refused.append((name, chat.name, error))
                only_here += [] if expected is None else [(name, chat.name)]
                continue
            # Where transformers fails and ours goes on, it has said in what other form (test_chat_live).
            if expected is not None:
                n_pictures += chat.name == "picture"
                n_equal += made == expected
                different += [] if made == expected else [(name, chat.name, expected[-200:], made[-200:])]
    print(
        f"Tokenizer.chat: {len(sources)} templates × {len(conversations)} conversations: {n_equal:,} texts equal to "
        f"transformers', {n_pictures} of them with a picture, {len(different)} different, {len(only_here)} refused here alone"
    )
    assert (different, only_here) == ([], [])
    assert n_pictures >= 40
    check_refusals(refused)


def check_refusals(refused: list[tuple[str, str, ChatError]]) -> None:
    """A refusal names what the template read last; it cannot where there is no message, or none was read before."""
    unnamed = Counter(
        "no messages" if chat == "nothing" else why_before(error)
        for _, chat, error in refused
        if not has_place(error)
    )
    print(
        f"{len(refused)} refusals by Tokenizer.chat: {len(refused) - unnamed.total()} name a message or tool"
    )
    for words, n in unnamed.items():
        print(f"  {n} cannot: {words[:200]}")
    assert dict(unnamed) == UNNAMED


def why_before(error: ChatError) -> str:
    words = re.search(
        r", line \d+: (?:UndefinedError: )?(.*), before it read anything of a message$", str(error)
    )
    assert words is not None, error
    return words[1]


def has_place(error: ChatError) -> bool:
    assert isinstance(error, MessageError | TemplateError)
    return error.path is not None and error.path in error.message


def reference_text(source: str, chat: Chat) -> str | None:
    try:
        return of_reference(source, chat)
    except Exception:  # noqa: BLE001 - a template can fail in any way
        return None


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
