"""Packing by models' own templates, which refuse what they do not take, and of conversations in other APIs' forms."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import piecework as pw
from piecework.errors import ContextOverflowError, MessageError
from tests.unit.chats import own, template

SYSTEM = {"role": "system", "content": "be kind"}
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": f"abcdefgh{at}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for at in "12"
    ],
}
RESULTS = [{"role": "tool", "tool_call_id": f"abcdefgh{at}", "content": f"result {at}"} for at in "12"]


def words(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(str(message.get("content") or "").split()) for message in messages)


def talk(*roles: str) -> list[dict[str, Any]]:
    return [{"role": role, "content": f"some words of {role} {at}"} for at, role in enumerate(roles)]


def roles(packed: pw.Packed) -> str:
    return "".join(message["role"][0] for message in packed.messages)


# Gemma's template and Mistral's take only turns that alternate and begin with the user.
ALTERNATING = [
    ("gemma3", None),
    ("gemma3", "google-gemma-2-2b-it"),
    ("llama3", "mistralai-Mistral-Nemo-Instruct-2407"),
]


@pytest.mark.parametrize(("name", "source"), ALTERNATING)
def test_a_history_that_the_template_refuses_whole_loses_only_what_it_refuses(
    name: str, source: str | None
) -> None:
    chosen = None if source is None else template(source)
    tok = own(name)
    packed = pw.pack(talk("assistant", "user", "assistant", "user"), model=tok, template=chosen, window=4096)
    assert roles(packed) == "uau"
    assert [drop.at for drop in packed.dropped] == [(0,)]
    assert "alternate" in packed.dropped[0].why
    assert packed.n_tokens == len(tok.chat(list(packed.messages), template=chosen).ids)


@pytest.mark.parametrize(("name", "source"), ALTERNATING)
def test_a_summary_keeps_roles_alternating(name: str, source: str | None) -> None:
    chosen = None if source is None else template(source)
    messages = talk(*["user", "assistant"] * 10, "user")
    packed = pw.pack(
        messages,
        model=own(name),
        template=chosen,
        window=150,
        summarize=lambda _: "they talked",
        max_summary_tokens=40,
    )
    assert packed.summary == "they talked"
    assert roles(packed) == "ua" * (len(packed.messages) // 2) + "u"
    assert str(packed.messages[0]["content"]).startswith(
        "Summary of the conversation so far:\nthey talked\n\nsome words"
    )
    assert packed.n_tokens == len(own(name).chat(list(packed.messages), template=chosen).ids) <= 150


def test_a_summary_stands_alone_where_the_template_takes_it() -> None:
    packed = pw.pack(
        [SYSTEM, *talk(*["user", "assistant"] * 10, "user")],
        model=own("llama3"),
        window=150,
        summarize=lambda _: "they talked",
        max_summary_tokens=40,
    )
    assert packed.messages[1]["content"] == "Summary of the conversation so far:\nthey talked"


def test_no_summary_of_nothing() -> None:
    packed = pw.pack(
        history=["a b c", "d"],
        message="q",
        window=3,
        count=words,
        summarize=lambda _: " \n",
        max_summary_tokens=1,
    )
    assert ([message["content"] for message in packed.messages], packed.summary) == (["d", "q"], None)


def test_what_no_choice_makes_right_names_the_place_in_what_was_given() -> None:
    messages = [*talk(*["user", "assistant"] * 10), {"role": "user", "content": None}]
    with pytest.raises(MessageError, match=r"messages\[20\]"):
        pw.pack(messages, model=own("llama3"), window=150)
    with pytest.raises(MessageError, match="System role not supported"):
        pw.pack(
            [SYSTEM, *talk("user")],
            model=own("gemma3"),
            template=template("google-gemma-2-2b-it"),
            window=150,
        )


def test_the_question_stays_with_the_results_that_answer_it() -> None:
    messages = [*talk("user", "assistant", "user"), CALL, *RESULTS, CALL, *RESULTS]
    packed = pw.pack(messages, window=13, count=words)
    # Question 5, results 4 and the last ones 4 words.
    assert roles(packed) == "uattatt"
    assert packed.messages[0] == messages[2]
    packed = pw.pack(messages, window=12, count=words)
    assert (roles(packed), packed.messages[0]) == ("uatt", messages[2])
    assert [drop.at for drop in packed.dropped] == [(0,), (1,), (3, 4, 5)]
    with pytest.raises(ContextOverflowError) as caught:
        pw.pack(messages, window=8, count=words)
    assert caught.value.excess == 1


def test_evidence_stands_in_the_question_also_before_calls() -> None:
    messages = [*talk("user", "assistant", "user"), CALL, *RESULTS]
    packed = pw.pack(messages, evidence=["known facts"], window=50, count=words)
    assert roles(packed) == "uauatt"
    assert packed.messages[2]["content"] == "known facts\n\nsome words of user 2"
    # What changes with the evidence is no stable prefix.
    assert packed.n_stable_messages == 2
    assert pw.pack(messages, window=50, count=words).n_stable_messages == 3


ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "one two three"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "let me"},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "four five"}]},
    {"role": "assistant", "content": "six"},
    {"role": "user", "content": "seven"},
]
RESPONSES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "input_text", "text": "one two"}]},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "three four"},
    {"role": "user", "content": "five"},
]


@pytest.mark.parametrize(
    ("messages", "window", "kept"),
    [(ANTHROPIC, 3, "au"), (ANTHROPIC, 5, "au"), (ANTHROPIC, 6, "atau"), (ANTHROPIC, 9, "uatau"),
     (RESPONSES, 2, "u"), (RESPONSES, 3, "atu"), (RESPONSES, 5, "uatu")],
)  # fmt: skip
def test_calls_of_other_apis_stay_with_their_results(
    messages: list[dict[str, Any]], window: int, kept: str
) -> None:
    packed = pw.pack(messages, window=window, count=words)
    assert roles(packed) == kept
    # Whole, in the one form: no result without its call.
    assert pw.count(list(packed.messages), model="gpt-4o").n > 0


def test_the_body_of_a_request_is_packed_with_its_tools() -> None:
    body = {
        "system": "be kind",
        "messages": ANTHROPIC,
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    }
    packed = pw.pack(body, model="gpt-4o", window=4096)
    assert packed.messages[0] == SYSTEM
    # No rule is published for the tokens of calls: an estimate, whose upper end is what is reserved.
    counted = pw.count(body, model="gpt-4o")
    assert counted.band is not None
    assert (packed.n_tokens, packed.basis) == (counted.band[1], "estimate")
    assert packed.n_tokens > pw.pack(ANTHROPIC, model="gpt-4o", window=4096).n_tokens + 10


def test_an_item_that_has_no_place_is_refused() -> None:
    with pytest.raises(MessageError, match="web_search_call"):
        pw.pack(
            [{"type": "web_search_call", "id": "x"}, {"role": "user", "content": "x"}], window=20, count=words
        )


@pytest.mark.parametrize("name", ["gemma3", "qwen3"])
def test_the_kept_history_is_the_longest_by_the_template_itself(name: str) -> None:
    """Against trying every number of messages, from the newest on, with the tokens of the rendered prompt."""
    tok = own(name)

    def tokens(messages: list[Any]) -> int | None:
        try:
            return len(tok.chat(messages).ids)
        except MessageError:
            return None

    for seed in range(12):
        chance = random.Random(seed)
        messages: list[Any] = [
            {
                "role": chance.choice(["user", "assistant"]),
                "content": " ".join(
                    chance.choice(["a", "größer", "東京"]) for _ in range(chance.randint(0, 30))
                ),
            }
            for _ in range(chance.randint(1, 12))
        ]
        messages.append({"role": "user", "content": "end"})
        window, best = chance.randint(40, 300), 0
        for n in range(1, len(messages) + 1):
            found = tokens(messages[-n:])
            if found is not None and found > window:
                break
            best = best if found is None else n
        packed = pw.pack(messages, model=tok, window=window)
        assert list(packed.messages) == messages[len(messages) - best :]
        assert packed.n_tokens == tokens(list(packed.messages))
        assert sum(len(drop.at) for drop in packed.dropped) == len(messages) - best


@pytest.mark.parametrize(("name", "source"), ALTERNATING[:1] + ALTERNATING[2:])
def test_a_budget_of_texts_and_a_message_is_what_is_sent(name: str, source: str | None) -> None:
    chosen = None if source is None else template(source)
    tok = own(name)
    plan = pw.budget(
        tok,
        window=500,
        template=chosen,
        system="be kind",
        evidence=["a b", "c d"],
        document="a text",
        message="why?",
    )
    sent = [SYSTEM, {"role": "user", "content": "a b\n\nc d\n\na text\n\nwhy?"}]
    assert plan.input_tokens == len(tok.chat(sent, template=chosen).ids)
    assert plan.basis == "exact"
