"""What a conversation costs before it runs, and after: figures by hand, turn by turn."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import extract_usage

import piecework as pw
from piecework._cost.records import read_record
from piecework.errors import ContextOverflowError, CostError, UnknownPriceError

PRICES = {"input": 2, "output": 8}
TALK: dict[str, Any] = {"system": 400, "user": 150, "answer": 250}
CACHED = {"input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15}


def inputs(result: pw.ConversationCost) -> list[int]:
    return [turn.usage.input_tokens for turn in result.turns]


def test_five_turns() -> None:
    result = pw.cost_conversation(5, prices=PRICES, **TALK)
    assert inputs(result) == [550, 950, 1_350, 1_750, 2_150]
    assert (result.input_tokens, result.output_tokens) == (6_750, 1_250)
    # $0.0135 for what is read and $0.010 for what is written.
    assert result.total_usd == Decimal("0.0135") + Decimal("0.010")
    assert result.turns[1].cumulative_usd == Decimal("0.0070")
    assert any("6,750 tokens in 5, 23,500 in 10" in note for note in result.notes)


@pytest.mark.parametrize(("n_turns", "n_input"), [(10, 23_500), (20, 87_000)])
def test_input_grows_with_the_square_of_the_turns(n_turns: int, n_input: int) -> None:
    result = pw.cost_conversation(n_turns, prices=PRICES, **TALK)
    assert result.input_tokens == n_input
    assert any(f"{n_input:,} tokens in {n_turns}" in note for note in result.notes)


def test_trimming_drops_the_oldest_turns_whole() -> None:
    result = pw.cost_conversation(5, prices=PRICES, trim_tokens=1_400, **TALK)
    assert inputs(result) == [550, 950, 1_350, 1_350, 1_350]
    assert [turn.said for turn in result.turns] == ["", "", "", "1 turn left out", "2 turns left out"]
    # 1,200 tokens fewer at $2 a million.
    assert [saving.saved_usd for saving in result.savings] == [Decimal("0.0024")]


def test_a_prompt_that_cannot_be_trimmed_enough() -> None:
    with pytest.raises(ContextOverflowError) as caught:
        pw.cost_conversation(5, prices=PRICES, trim_tokens=549, **TALK)
    assert (caught.value.needed, caught.value.available, caught.value.excess) == (550, 549, 1)


def test_summaries_are_requests_too() -> None:
    result = pw.cost_conversation(5, prices=PRICES, summarize=(2, 100), **TALK)
    # After the second turn 400 + 800 tokens are read for a summary of 100, after the fourth 400 + 100 + 800.
    assert inputs(result) == [550, 950 + 1_200, 650, 1_050 + 1_300, 650]
    assert [turn.usage.output_tokens for turn in result.turns] == [250, 350, 250, 350, 250]
    assert [turn.n_requests for turn in result.turns] == [1, 2, 1, 2, 1]
    assert result.total_usd == Decimal(6_350 * 2 + 1_450 * 8) / 10**6
    # Of five turns the summaries cost more than they save: 6,750 × 2 + 1,250 × 8 is less.
    assert [saving.saved_usd for saving in result.savings] == [Decimal("0.0235") - result.total_usd]
    assert "more than it saves" in str(result)


def test_a_tool_loop_sends_all_before_it_with_every_call() -> None:
    result = pw.cost_conversation(2, prices=PRICES, tool_loop=(2, 40, 600), **TALK)
    assert inputs(result) == [550 + 1_190 + 1_830, 2_230 + 2_870 + 3_510]
    assert [turn.usage.output_tokens for turn in result.turns] == [330, 330]
    assert dict(result.turns[1].parts) == {
        "system": 400, "history": 1_680, "question": 150, "tools": 1_280, "answer": 250,
    }  # fmt: skip


def test_a_cache_with_a_price_for_writing() -> None:
    result = pw.cost_conversation(3, prices=CACHED, system=2_000, user=150, answer=250, cache=True)
    assert [turn.usage.cached_tokens for turn in result.turns] == [0, 2_150, 2_550]
    assert [turn.usage.cache_write_tokens for turn in result.turns] == [2_150, 400, 400]
    # 8,062.5 + (645 + 1,500) + (765 + 1,500) + 750 × 15 millionths; without the cache 7,650 × 3 + 11,250.
    assert result.total_usd == Decimal("0.0237225")
    assert result.savings[0].without_usd == Decimal("0.0342")
    assert result.savings[0].saved_usd == Decimal("0.0104775")


def test_a_cache_that_is_written_for_nothing() -> None:
    prices = {"input": 2, "cached": 0.5, "output": 8}
    result = pw.cost_conversation(3, prices=prices, system=2_000, user=150, answer=250, cache=True)
    assert [turn.usage.cache_write_tokens for turn in result.turns] == [0, 0, 0]
    # Reading 4,700 tokens at 0.5 in place of 2.
    assert result.savings[0].saved_usd == Decimal("0.00705")
    steps = pw.cost_conversation(
        2, prices=prices, system=2_000, user=150, answer=250, cache={"step_tokens": 128}
    )
    assert [turn.usage.cached_tokens for turn in steps.turns] == [0, 2_048]


def test_starts_that_are_too_short_or_too_old_are_not_cached() -> None:
    short = pw.cost_conversation(3, prices=CACHED, cache={"min_tokens": 5_000}, **TALK)
    assert short.cached_tokens == 0
    assert [turn.usage.cache_write_tokens for turn in short.turns] == [0, 0, 0]
    assert any("no two prompts share a start of 5,000" in note for note in short.notes)
    old = pw.cost_conversation(
        3, prices=CACHED, system=2_000, user=150, answer=250, cache=pw.Caching(lifetime_s=300, gap_s=301)
    )
    assert old.cached_tokens == 0
    # All of each prompt is written again: 7,650 × 0.75 millionths more than without a cache.
    assert old.savings[0].saved_usd == -Decimal("0.0057375")
    assert any("301 s pass between turns" in note for note in old.notes)


def test_trimming_and_summaries_leave_only_the_system_prompt_in_the_cache() -> None:
    talk: dict[str, Any] = {"system": 2_000, "user": 150, "answer": 250, "prices": CACHED, "cache": True}
    trimmed = pw.cost_conversation(4, trim_tokens=2_550, **talk)
    assert [turn.usage.cached_tokens for turn in trimmed.turns] == [0, 2_150, 2_000, 2_000]
    # The request for the summary reads all that the turn before it wrote; the turn after it only the system prompt.
    summed = pw.cost_conversation(3, summarize=(2, 100), **talk)
    assert [turn.usage.cached_tokens for turn in summed.turns] == [0, 2_150 + 2_550, 2_000]
    assert [saving.name for saving in trimmed.savings] == [
        "caching the start of prompts", "trimming", "all of them",
    ]  # fmt: skip


def test_a_cache_for_an_hour_costs_what_an_hour_costs() -> None:
    talk: dict[str, Any] = {"system": 2_000, "user": 150, "answer": 250, "model": "claude-sonnet-4-5"}
    minutes = pw.cost_conversation(1, cache=True, **talk)
    hour = pw.cost_conversation(1, cache={"lifetime_s": 3_600}, **talk)
    # 2,150 tokens at $6 and not at $3.75 a million.
    assert hour.total_usd - minutes.total_usd == Decimal(2_150) * Decimal("2.25") / 10**6


def test_a_prompt_over_a_step_of_the_price_is_said_also_within_tool_loops() -> None:
    talk: dict[str, Any] = {"model": "gemini-2.5-pro", "tool_loop": (1, 10, 1_000)}
    assert any("more than 200,000" in note for note in pw.cost_conversation(2, system=199_500, **talk).notes)
    # Two prompts of 150,000 tokens are no prompt of 300,000.
    assert not any("200,000" in note for note in pw.cost_conversation(1, system=150_000, **talk).notes)


def test_reasoning_is_billed_and_not_sent_again() -> None:
    plain = pw.cost_conversation(3, prices=PRICES, **TALK)
    thinking = pw.cost_conversation(3, prices=PRICES, reasoning_tokens=1_000, **TALK)
    assert inputs(thinking) == inputs(plain)
    assert thinking.total_usd - plain.total_usd == Decimal(3 * 1_000 * 8) / 10**6


def test_the_window_that_is_passed_is_said() -> None:
    result = pw.cost_conversation(5, prices=PRICES, window=1_700, **TALK)
    assert "turn 4 goes over the window: 2,000 of 1,700 tokens" in result.notes
    assert pw.cost_conversation(5, model="gpt-4o", **TALK).window == 128_000
    assert not any(
        "window" in note for note in pw.cost_conversation(5, prices=PRICES, window=2_400, **TALK).notes
    )


def test_its_chart_shows_each_part_of_each_turn() -> None:
    result = pw.cost_conversation(3, prices=PRICES, window=2_000, **TALK)
    rows = result.chart_rows("conversation")
    assert [row for row in rows if row["turn"] == 2] == [
        {"turn": 2, "part": "system", "n_tokens": 400},
        {"turn": 2, "part": "history", "n_tokens": 400},
        {"turn": 2, "part": "question", "n_tokens": 150},
        {"turn": 2, "part": "answer", "n_tokens": 250},
    ]
    assert sum(int(str(row["n_tokens"])) for row in rows) == sum(turn.n_window for turn in result.turns)
    summed = pw.cost_conversation(4, prices=PRICES, summarize=(2, 100), **TALK).chart_rows("conversation")
    # What a prompt holds first stands lowest, also what only later turns have.
    assert list(dict.fromkeys(row["part"] for row in summed)) == [
        "system", "summary", "history", "question", "answer",
    ]  # fmt: skip
    chart = pw.plot(result, window=2_000)
    assert "conversation" in str(chart)


def test_lengths_may_be_texts() -> None:
    tok = pw.load("gpt-4o")
    texts = {"system": "You are brief.", "user": "Where is my order?", "answer": "It left today."}
    counted = pw.cost_conversation(4, model="gpt-4o", **texts)  # type: ignore[arg-type]
    given = pw.cost_conversation(4, model="gpt-4o", **{name: tok.count(text) for name, text in texts.items()})  # type: ignore[arg-type]
    assert counted.total_usd == given.total_usd
    assert (counted.basis, counted.counted_by) == ("exact", "o200k_base")


@pytest.mark.parametrize(
    ("error", "talk"),
    [
        (CostError, {"turns": 0}),
        (CostError, {"turns": 2_000}),
        (CostError, {"turns": 100, "tool_loop": (100, 1, 1)}),
        (CostError, {"turns": 2, "system": -1}),
        (CostError, {"turns": 2, "trim_tokens": 0}),
        (CostError, {"turns": 2, "summarize": (0, 10)}),
        (CostError, {"turns": 2, "cache": {"step_tokens": 0}}),
        (TypeError, {"turns": 2.0}),
        (TypeError, {"turns": 2, "cache": 3}),
        (TypeError, {"turns": 2, "user": 3.5}),
        (TypeError, {"turns": 2, "summarize": (1, 2, 3)}),
        (ValueError, {"turns": 2, "cache": {"lifetime": 3}}),
        (UnknownPriceError, {"turns": 2, "prices": {"input": 1}, "answer": 4}),
    ],
)
def test_plans_that_cannot_be(error: type[Exception], talk: dict[str, Any]) -> None:
    with pytest.raises(error):
        pw.cost_conversation(**{"prices": PRICES, **talk})


OPENAI: dict[str, Any] = {
    "model": "gpt-4o",
    "usage": {
        "prompt_tokens": 10_000, "completion_tokens": 500, "total_tokens": 10_500,
        "prompt_tokens_details": {"cached_tokens": 8_000}, "completion_tokens_details": {"reasoning_tokens": 200},
    },
}  # fmt: skip
RESPONSES: dict[str, Any] = {
    "model": "gpt-5",
    "usage": {
        "input_tokens": 900, "output_tokens": 50,
        "input_tokens_details": {"cached_tokens": 128}, "output_tokens_details": {"reasoning_tokens": 20},
    },
}  # fmt: skip
ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "usage": {"input_tokens": 50, "cache_read_input_tokens": 1_000, "cache_creation_input_tokens": 300, "output_tokens": 20},
}  # fmt: skip
GEMINI: dict[str, Any] = {
    "modelVersion": "gemini-2.5-flash",
    "usageMetadata": {
        "promptTokenCount": 700, "cachedContentTokenCount": 256, "candidatesTokenCount": 40, "thoughtsTokenCount": 60,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("record", "provider", "flavor"),
    [
        (OPENAI, "openai", "chat"),
        (RESPONSES, "openai", "responses"),
        (ANTHROPIC, "anthropic", "default"),
        (GEMINI, "google", "default"),
    ],
)
def test_records_are_read_as_genai_prices_reads_them(
    record: dict[str, Any], provider: str, flavor: str
) -> None:
    expected = extract_usage(record, provider_id=provider, api_flavor=flavor).usage
    usage = read_record(record).usage
    assert usage.input_tokens == expected.input_tokens
    assert usage.output_tokens == expected.output_tokens
    assert usage.cached_tokens == expected.cache_read_tokens
    assert usage.cache_write_tokens == expected.reported_value("cache_write_tokens")


def test_records_by_hand() -> None:
    assert read_record(OPENAI).usage.reasoning_tokens == 200
    assert read_record(ANTHROPIC).usage.input_tokens == 1_350
    assert read_record(GEMINI).usage.output_tokens == 100
    span = {"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}
    assert read_record({"attributes": span}).usage.input_tokens == 7
    assert read_record(span).model == "gpt-4o"
    assert read_record({"response": {"body": OPENAI}}).usage == read_record(OPENAI).usage
    assert read_record({"usage": {"prompt_tokens": 8, "total_tokens": 8}}).usage.output_tokens == 0
    hour = {"cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200}}
    written = read_record({"usage": {**ANTHROPIC["usage"], **hour}}).usage
    assert written.cache_write_tokens == 300
    assert written.units["cache_write_1h_tokens"] == 200
    own = {"input_tokens": 5, "output_tokens": 2, "cached_tokens": 3}
    assert read_record(own).usage.cached_tokens == 3


def test_a_log_is_priced_request_by_request() -> None:
    # B58's usage, as OpenAI reports it, twice.
    result = pw.cost_log(
        [OPENAI, json.dumps(OPENAI), b"  "], prices={"input": 2.5, "cached": 0.25, "output": 10}
    )
    assert [turn.cumulative_usd for turn in result.turns] == [Decimal("0.012"), Decimal("0.024")]
    assert result.savings[0].saved_usd == 2 * 8_000 * (Decimal("2.5") - Decimal("0.25")) / 10**6
    assert result.is_replay
    named = pw.cost_log([ANTHROPIC])
    # 50 × 3 + 1,000 × 0.3 + 300 × 3.75 + 20 × 15 millionths.
    assert (named.model, named.total_usd) == ("claude-sonnet-4-5", Decimal("0.001875"))


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ([], "no request"),
        ([{}], "line 1: it has no usage"),
        ([OPENAI, "{"], "line 2: it is no JSON"),
        (["[1]"], "line 1: it is of the type list"),
        ([7], "line 1: it is of the type int"),
        (["[" * 100_000], "line 1: it is no JSON: nested too deep"),
        ([{"usage": {"prompt_tokens": "many"}}], "prompt_tokens is 'many'"),
        ([{"usage": {"prompt_tokens": -1}}], "line 1: usage.prompt_tokens is -1"),
        (
            [{"usage": {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}}],
            "parts of input_tokens",
        ),
        ([OPENAI, ANTHROPIC], "the records name 2 models"),
        ([{"usage": {"prompt_tokens": 1}}], "no record names a model"),
    ],
)
def test_logs_that_are_none(log: list[Any], said: str) -> None:
    prices = None if "model" in said else PRICES
    with pytest.raises(CostError, match=said):
        pw.cost_log(log, prices=prices)


def test_results_are_plain_data() -> None:
    result = pw.cost_conversation(30, model="gpt-4o", cache=True, **TALK)
    assert pickle.loads(pickle.dumps(result)) == result
    value = json.loads(json.dumps(result.to_dict()))
    assert len(value["turns"]) == 30
    assert Decimal(value["total_usd"]) == result.total_usd
    # A long table shows both ends.
    assert "…" in str(result)
    assert "<pre>" in result._repr_html_()
