"""Budgets and packs that are given nonsense: each argument of a wrong type or value is refused where it comes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import piecework as pw
from piecework._cli.budget_bar import budget_bar
from piecework.errors import BudgetError

PLAN = pw.budget(window=8192, system=400, history=2000, answer=1000)


def words(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(str(message.get("content") or "").split()) for message in messages)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        # A negative number would make the window larger than it is.
        ({"answer": -100}, BudgetError),
        ({"margin": -100}, BudgetError),
        ({"slack_tokens": -100}, BudgetError),
        ({"max_summary_tokens": -5}, BudgetError),
        ({"min_evidence": -1}, BudgetError),
        ({"answer": 1.5}, TypeError),
        ({"answer": True}, TypeError),
        ({"window": 1e12}, TypeError),
        ({"window": True}, TypeError),
        ({"window": 10**400}, BudgetError),
        ({"slack_tokens": "many"}, TypeError),
        ({"min_evidence": 1.5}, TypeError),
        ({"first": "newest"}, ValueError),
        ({"unit": "turn"}, ValueError),
        ({"starts_with": "assistant"}, ValueError),
        ({"evidence": [1]}, TypeError),
        ({"evidence": b"text"}, TypeError),
        ({"evidence": ["a"], "scores": "1"}, TypeError),
        ({"evidence": ["a"], "scores": [None]}, TypeError),
        ({"evidence": ["a"], "scores": [float("nan")]}, BudgetError),
    ],
)
def test_a_pack_refuses(arguments: dict[str, Any], error: type[Exception]) -> None:
    call: dict[str, Any] = {"history": ["a b", "c"], "message": "q", "window": 8, "count": words, **arguments}
    with pytest.raises(error) as caught:
        pw.pack(**call)
    assert isinstance(caught.value, BudgetError) == (error is BudgetError)


def test_scores_may_be_infinite_and_negative() -> None:
    scores = [float("-inf"), float("inf"), -2]
    packed = pw.pack(message="q", evidence=["a a", "b b", "c c"], scores=scores, window=5, count=words)
    assert packed.messages[0]["content"] == "b b\n\nc c\n\nq"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"answer": 1.5}, TypeError),
        ({"answer": "7"}, TypeError),
        ({"window": 1.5}, TypeError),
        ({"window": True}, TypeError),
        ({"system": 10**400}, BudgetError),
        ({"tools": "get_weather"}, TypeError),
        ({"tools": {"name": "f"}}, TypeError),
        ({"framing": "x"}, TypeError),
        ({"max_output_tokens": "x"}, TypeError),
        ({"template_framing": 5}, ValueError),
        ({"left": 5}, ValueError),
    ],
)
def test_a_budget_refuses(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        pw.budget(**{"window": 100, **arguments})


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"history": -5}, BudgetError),
        ({"new": -5}, BudgetError),
        ({"history": 1.5}, TypeError),
        ({"history": True}, TypeError),
        ({"new": "x"}, TypeError),
        ({"window": 500}, BudgetError),
    ],
)
def test_a_change_refuses(change: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        PLAN.changed(**change)


@pytest.mark.parametrize(
    ("ratio", "error"),
    [
        (0, BudgetError),
        (-1, BudgetError),
        (float("nan"), BudgetError),
        (float("inf"), BudgetError),
        (10**400, BudgetError),
        ("2", TypeError),
        (None, TypeError),
        (True, TypeError),
    ],
)
def test_a_ratio_is_a_positive_number(ratio: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        PLAN.scaled(ratio)


def test_one_line_may_be_scaled_by_its_name() -> None:
    assert [line.n_tokens for line in PLAN.scaled(2, of="history")] == [400, 4000, 1000]


def test_an_estimate_reserves_the_whole_band_of_messages_and_tools() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    messages = [{"role": "system", "content": "Be brief. " * 50}, {"role": "user", "content": "Why? " * 20}]
    whole = pw.count(messages, model="claude-sonnet-4-5", tools=[tool])
    assert whole.band is not None
    plan = pw.budget("claude-sonnet-4-5", system=messages[:1], message=messages[1:], tools=[tool])
    assert plan.input_tokens >= whole.band[1] > whole.n
    assert plan.basis == "estimate"


@pytest.mark.parametrize("n_over", [1, 308])
def test_the_bar_shows_the_smallest_excess(n_over: int) -> None:
    bar, _ = budget_bar(pw.budget(window=8192, system=8192, message=n_over), plain=True)
    assert "!" in bar
    # gpt-5 reads at most 272,000 of its window of 400,000.
    bar, _ = budget_bar(pw.budget("gpt-5", system=272_000 + n_over), plain=True)
    assert "!" in bar


def test_thirty_lines_have_thirty_letters() -> None:
    lines: dict[str, Any] = {f"line {at}": at + 1 for at in range(30)}
    _, legend = budget_bar(pw.budget(window=900, **lines), plain=True)
    marks = [entry.split(" ")[0] for entry in legend.split("  ")]
    assert len(set(marks)) == 30
