"""What a call costs: figures by hand, and genai-prices' own sums for models by name."""

from __future__ import annotations

import decimal
import json
import pickle
import random
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage, calc_price

import piecework as pw
from piecework._cost.call import cost_of_call
from piecework._cost.columns import model_columns
from piecework._cost.prices import find_prices
from piecework._cost.rule_of_thumb import estimated_words, rule_of_thumb
from piecework._cost.usage import read_usage
from piecework.errors import CostError, UnknownPriceError, UnknownTokenizerError

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("prices", "usage", "amount"),
    [
        # B58: 2,000 × 2.5 + 8,000 × 0.25 + 500 × 10 millionths.
        ({"input": 2.5, "cached": 0.25, "output": 10}, (10_000, 8_000, 0, 500, 0), "0.012"),
        ({"input": 3, "output": 15}, (2_000, 0, 0, 500, 0), "0.0135"),
        ({"input": 2, "output": 8}, (3_000, 0, 0, 500, 0), "0.01"),
        # 1,000 × 3 + 4,000 × 0.3 + 5,000 × 3.75 + 100 × 15 + 900 × 20.
        (
            {"input": 3, "cached": "0.3", "cache_write": "3.75", "output": 15, "reasoning": 20},
            (10_000, 4_000, 5_000, 1_000, 900),
            "0.04245",
        ),
        ({"input": "0.1", "output": 0.2}, (1, 0, 0, 1, 0), "0.0000003"),
        ({"input": 1, "output": 1, "request": "0.005"}, (1_000, 0, 0, 0, 0), "0.006"),
        ({"input": 0, "output": 0}, (1_000, 0, 0, 10, 0), "0"),
    ],
)
def test_own_prices_by_hand(prices: dict[str, Any], usage: tuple[int, ...], amount: str) -> None:
    names = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
    cost = pw.cost(prices=prices, **dict(zip(names, usage, strict=True)))  # type: ignore[arg-type]
    assert cost.total_usd == Decimal(amount)
    assert sum(line.amount_usd for line in cost.lines) == Decimal(amount)


def test_shares_and_a_million_calls() -> None:
    cost = pw.cost(input_tokens=3_000, output_tokens=500, prices={"input": 2, "output": 8})
    assert (cost.input_usd, cost.output_usd) == (Decimal("0.006"), Decimal("0.004"))
    assert cost.input_share_of_tokens == pytest.approx(0.857, abs=5e-4)
    assert cost.input_share_of_cost == pytest.approx(0.6)
    assert cost["input"].share_of_tokens == pytest.approx(6 / 7)
    assert "85.7 %   60.0 %" in str(cost)
    million = pw.cost(
        input_tokens=2_000, output_tokens=500, prices={"input": 3, "output": 15}, n_requests=1_000_000
    )
    assert (million.total_usd, million.million_usd) == (Decimal(13_500), Decimal(13_500))
    assert "1,000,000 calls: $13,500.00" in str(million)


@pytest.mark.parametrize("speed", [{"seconds_per_token": 0.00478}, {"seconds_per_token": "0.00478"}])
def test_time_to_answer(speed: dict[str, Any]) -> None:
    prices = {"input": 1, "output": 1}
    long = pw.cost(output_tokens=500, prices=prices, **speed)
    short = pw.cost(output_tokens=100, prices=prices, **speed)
    assert long.answer_s == Decimal("2.39")
    assert short.answer_s is not None
    assert long.answer_s == 5 * short.answer_s
    assert "500 × 4.78 ms = 2.39 s" in str(long)
    assert pw.cost(output_tokens=500, prices=prices, tokens_per_s=250).answer_s == 2


def test_amounts_lose_no_digit_whatever_the_callers_context() -> None:
    with decimal.localcontext(decimal.Context(prec=3)):
        cost = pw.cost(
            input_tokens=123_456_789,
            output_tokens=987_654,
            prices={"input": "1.23456789", "output": "9.87654321"},
        )
        by_name = pw.cost(model="gpt-4o", input_tokens=123_456_789, output_tokens=987_654, at=AT)
        shown = str(cost)
    # 123456789 × 1.23456789 + 987654 × 9.87654321, each by hand on paper: 152415787.50190521 + 9754607.40752934.
    assert cost.total_usd == Decimal("152415787.50190521") / 10**6 + Decimal("9754607.40752934") / 10**6
    assert by_name.total_usd == Decimal("308.6419725") + Decimal("9.87654")
    assert "$162.17" in shown


MODELS = [
    "gpt-4o", "gpt-5", "gpt-4o-mini", "o1", "claude-sonnet-4-5", "claude-opus-4-1", "claude-haiku-4-5", "gemini-2.5-pro",
    "gemini-2.5-flash", "deepseek-chat", "command-r", "mistral-large-latest", "grok-4",
]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_input", [0, 10_000, 150_000, 200_000, 200_001, 300_000])
def test_sums_are_those_of_genai_prices(name: str, n_input: int) -> None:
    n_cached, n_output = n_input * 4 // 5, 700
    expected = calc_price(
        Usage(input_tokens=n_input, cache_read_tokens=n_cached, output_tokens=n_output),
        name,
        genai_request_timestamp=AT,
    )
    cost = pw.cost(model=name, input_tokens=n_input, cached_tokens=n_cached, output_tokens=n_output, at=AT)
    assert cost.total_usd == expected.total_price
    assert (cost.input_usd, cost.output_usd) == (expected.input_price, expected.output_price)
    assert cost.priced_as == f"{expected.provider.id}/{expected.model.id}"


@pytest.mark.parametrize("n_input", [50_000, 250_000])
def test_cache_writes_of_two_lifetimes(n_input: int) -> None:
    expected = calc_price(
        Usage(
            input_tokens=n_input, cache_read_tokens=9_000, cache_write_tokens=5_000, cache_write_1h_tokens=2_000,
            output_tokens=300,
        ),
        "claude-sonnet-4-5",
        genai_request_timestamp=AT,
    )  # fmt: skip
    cost = pw.cost(
        model="claude-sonnet-4-5", input_tokens=n_input, cached_tokens=9_000, cache_write_tokens=5_000, output_tokens=300,
        units={"cache_write_1h_tokens": 2_000}, at=AT,
    )  # fmt: skip
    assert cost.total_usd == expected.total_price
    assert cost["cache write (1 hour)"].n == 2_000
    assert cost["cache write"].n == 3_000


@pytest.mark.parametrize(
    ("name", "context", "asked"),
    [
        ("gpt-5", {"service_tier": "flex"}, {"tier": "flex"}),
        ("gpt-5", {"service_tier": "priority"}, {"tier": "priority"}),
        ("gpt-5", {"processing": "batch"}, {"batch": True}),
        ("claude-sonnet-4-5", {"processing": "batch"}, {"batch": True}),
        ("gemini-2.5-pro", {"processing": "batch"}, {"batch": True}),
        ("gpt-5", {}, {"tier": "default"}),
    ],
)
def test_tiers_and_batches(name: str, context: dict[str, str], asked: dict[str, Any]) -> None:
    expected = calc_price(
        Usage(input_tokens=4_000, cache_read_tokens=1_000, output_tokens=700),
        name,
        genai_request_timestamp=AT,
        price_context=context,
    )
    cost = pw.cost(model=name, input_tokens=4_000, cached_tokens=1_000, output_tokens=700, at=AT, **asked)
    assert cost.total_usd == expected.total_price


@pytest.mark.parametrize(
    ("name", "units", "tokens"),
    [
        ("gemini-2.5-flash", {"input_audio_tokens": 3_000}, {"input_tokens": 10_000, "output_tokens": 5}),
        ("gpt-4o", {"web_searches": 3}, {"input_tokens": 10, "output_tokens": 5}),
        ("whisper-1", {"audio_seconds": 90}, {}),
    ],
)
def test_what_else_is_billed(name: str, units: dict[str, int], tokens: dict[str, int]) -> None:
    expected = calc_price(Usage(**units, **tokens), name, genai_request_timestamp=AT)
    assert pw.cost(model=name, units=units, at=AT, **tokens).total_usd == expected.total_price  # type: ignore[arg-type]


def test_sums_of_many_follow_from_what_one_token_costs() -> None:
    rng = random.Random(5)
    for name in ("claude-sonnet-4-5", "gemini-2.5-pro", "gpt-4o", "gpt-5"):
        prices = find_prices(name, at=AT)
        for _ in range(40):
            n_input = rng.choice([0, 7, 4_000, 199_999, 200_000, 200_001, 400_000])
            n_cached = rng.randint(0, n_input)
            n_written = rng.randint(0, n_input - n_cached)
            n_output = rng.randint(0, 9_000)
            usage = {
                "input_tokens": n_input, "cached_tokens": n_cached, "cache_write_tokens": n_written,
                "output_tokens": n_output, "reasoning_tokens": rng.randint(0, n_output),
            }  # fmt: skip
            expected = calc_price(
                Usage(
                    input_tokens=n_input, cache_read_tokens=n_cached, cache_write_tokens=n_written, output_tokens=n_output
                ),
                name,
                genai_request_timestamp=AT,
            )  # fmt: skip
            assert prices.amount(read_usage(usage)) == expected.total_price, (name, usage)


def test_reasoning_is_billed_as_output_and_said_to_be_invisible() -> None:
    cost = pw.cost(model="gpt-5", input_tokens=100, output_tokens=2_500, reasoning_tokens=2_000, at=AT)
    plain = pw.cost(model="gpt-5", input_tokens=100, output_tokens=2_500, at=AT)
    assert cost.total_usd == plain.total_usd
    assert (cost["output"].n, cost["reasoning"].n) == (Decimal(500), Decimal(2_000))
    assert cost["reasoning"].amount_usd == Decimal("0.02")
    assert any("nobody sees" in note for note in cost.notes)


def test_a_missing_component_is_said_and_billed_as_what_it_is_part_of() -> None:
    cost = pw.cost(model="gpt-4o", input_tokens=1_000, cache_write_tokens=400, at=AT)
    assert cost.total_usd == Decimal("0.0025")
    assert any("cache write has no price of its own" in note for note in cost.notes)
    own = pw.cost(input_tokens=1_000, cached_tokens=400, prices={"input": 2})
    assert own.total_usd == Decimal("0.002")
    assert any("no price is given for reading from the cache" in note for note in own.notes)


def test_a_long_prompt_says_that_it_costs_more() -> None:
    assert any(
        "more than 200,000" in note for note in pw.cost(model="gemini-2.5-pro", input_tokens=200_001).notes
    )
    assert not pw.cost(model="gemini-2.5-pro", input_tokens=200_000).notes


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"model": "zz-unknown-9"}, "no price is known for zz-unknown-9"),
        ({"model": "github-copilot/gpt-4o"}, "without a price"),
        ({"model": "claude-sonnet-4-5", "tier": "flex"}, "no flex price"),
        ({"model": "command-r", "batch": True}, "no batch price"),
        ({"model": "gpt-5", "batch": True, "at": date(2026, 9, 1)}, "no batch price"),
        ({"model": "text-embedding-3-small", "output_tokens": 5}, "no price is known for output"),
        ({"model": "whisper-1", "input_tokens": 5}, "no price is known for input"),
        ({"model": "gpt-4o", "n_images": 2}, "no price for an image"),
        ({"prices": {"input": 2}, "output_tokens": 5}, "no price is given for output"),
        ({"prices": {"output": 2}, "input_tokens": 5}, "no price is given for input"),
        ({"prices": {"input": 2, "output": 2}, "n_images": 5}, "no price is given for images"),
        ({"prices": {"input": 2}, "batch": True}, "none of them is for batch"),
        ({"prices": {"source": "a contract"}}, "there is none in them"),
        ({"prices": {"gpu_hour": 2, "tokens_per_s": 9}, "input_tokens": 5}, "no price is given for input"),
        ({}, "neither a model nor prices"),
    ],
)
def test_an_unknown_price_is_an_error_and_never_zero(call: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownPriceError, match=said):
        pw.cost(**call)


def test_close_names_are_priced_ones() -> None:
    with pytest.raises(UnknownPriceError) as caught:
        pw.cost(model="gpt-4oo", input_tokens=1)
    assert caught.value.name == "gpt-4oo"
    assert caught.value.close_matches is not None
    assert caught.value.close_matches[0] == "gpt-4o"
    assert all(pw.cost(model=name, input_tokens=1) for name in caught.value.close_matches)


@pytest.mark.parametrize(
    "call",
    [
        {"input_tokens": 5, "cached_tokens": 6},
        {"input_tokens": 5, "cached_tokens": 3, "cache_write_tokens": 3},
        {"output_tokens": 5, "reasoning_tokens": 6},
        {"input_tokens": -1},
        {"input_tokens": 10**30},
        {"n_requests": 0},
        {"tokens_per_s": 0},
        {"seconds_per_token": -1},
        {"seconds_per_token": "1e999999999"},
        {"prices": {"input": "1e-999999999"}},
        {"prices": {"input": "0.1234567890123456"}},
        {"prices": {"input": -1}},
        {"prices": {"input": float("nan")}},
        {"prices": {"input": "zz"}},
        {"prices": {"input": "9" * 100_000}},
        {"prices": {"input": 10**100_000}},
        {"prices": {"gpu_hour": 2}},
        {"prices": {"gpu_hour": 2, "tokens_per_s": 0}},
        {"prices": {"gpu_hour": 2, "tokens_per_s": 5, "input": 5}},
        {"model": "gpt-4o", "prices": None, "units": {"web_serches": 1}},
        {"model": "gemini-2.5-flash", "prices": None, "input_tokens": 9, "cached_tokens": 5,
         "units": {"input_audio_tokens": 3}},
    ],
)  # fmt: skip
def test_numbers_that_contradict_each_other(call: dict[str, Any]) -> None:
    with pytest.raises(CostError):
        pw.cost(**{"prices": {"input": 1, "output": 1}, **call})


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (TypeError, {"input_tokens": 1.5}),
        (TypeError, {"input_tokens": True}),
        (TypeError, {"prices": [1]}),
        (TypeError, {"prices": {"input": None}}),
        (ValueError, {"prices": {"inputs": 1}}),
        (ValueError, {"seconds_per_token": 1, "tokens_per_s": 1}),
        (ValueError, {"model": "gpt-5", "batch": True, "tier": "flex"}),
        (ValueError, {"content": "Hi", "input_tokens": 1}),
        (ValueError, {"tools": []}),
    ],
)
def test_arguments_of_another_kind(error: type[Exception], call: dict[str, Any]) -> None:
    with pytest.raises(error):
        pw.cost(**{"prices": {"input": 1, "output": 1}, **call})


def test_a_machine_by_the_hour() -> None:
    # $4 an hour for two, 1,000 tokens written a second: 3.6 million an hour, so 10/9 dollars a million.
    prices = {"gpu_hour": 2, "n_gpus": 2, "tokens_per_s": 1_000, "input_tokens_per_s": 20_000}
    cost = pw.cost(input_tokens=3_600_000, output_tokens=3_600_000, prices=prices)
    assert cost["output"].amount_usd == pytest.approx(Decimal(4))
    assert cost["input"].amount_usd == pytest.approx(Decimal("0.2"))
    assert any("4 dollars an hour" in note for note in cost.notes)


def test_sources_are_on_every_figure() -> None:
    own = pw.cost(input_tokens=1, prices={"input": 1, "source": "contract 12", "date": "2026-01-05"})
    assert own.to_dict()["source"] == "contract 12"
    assert "prices: contract 12 of 2026-01-05" in str(own)
    assert str(pw.cost(model="gpt-4o", input_tokens=1)).splitlines()[-1].startswith("prices: genai-prices ")


def test_a_chosen_day_takes_its_prices_and_is_said() -> None:
    # OpenAI lowered o3 from $10 to $2 on 2025-06-10.
    old, new = (pw.cost(model="o3", input_tokens=10**6, at=date(2025, 6, day)) for day in (9, 10))
    assert (str(old.total_usd), str(new.total_usd)) == ("10", "2")
    assert (old.held_on, pw.cost(model="o3").held_on) == ("2025-06-09", None)
    assert "as on 2025-06-09" in str(old)


def test_content_is_counted_and_its_worth_goes_with_the_cost() -> None:
    text = "Hello, world! " * 40
    exact = pw.cost(text, model="gpt-4o", output_tokens=10)
    assert exact.usage.input_tokens == pw.load("gpt-4o").count(text)
    assert (exact.basis, exact.counted_by) == ("exact", "o200k_base")
    guess = pw.cost("x" * 620, prices={"input": 1}, assume="rule-of-thumb")
    assert (guess.usage.input_tokens, guess.basis) == (155, "estimate")
    assert "estimate" in str(guess)
    with pytest.raises(CostError, match="nothing says by what"):
        pw.cost(text, prices={"input": 1})
    with pytest.raises(UnknownTokenizerError):
        pw.cost(text, model="zz-unknown-9", prices={"input": 1})


def test_a_band_of_counts_is_a_band_of_money() -> None:
    count = pw.Count(n=100, basis="estimate", tokenizer="a rule", fingerprint="", band=(80, 130), parts=())
    cost = cost_of_call(find_prices(None, {"input": 10, "output": 20}), input_tokens=count, output_tokens=5)
    assert cost.request_usd == Decimal("0.0011")
    assert cost.band_usd == (Decimal("0.0009"), Decimal("0.0014"))
    assert (cost.basis, cost.counted_by) == ("estimate", "a rule")


def test_the_rule_of_thumb() -> None:
    assert [rule_of_thumb(n).n for n in (0, 1, 4, 5, 620)] == [1, 1, 1, 2, 155]
    assert rule_of_thumb(620).basis == "estimate"
    assert estimated_words(1_000) == 750


def test_results_are_plain_data() -> None:
    cost = pw.cost(
        model="gpt-4o", input_tokens=10, output_tokens=3, units={"web_searches": 1}, seconds_per_token=1
    )
    again = pickle.loads(pickle.dumps(cost))
    assert again == cost
    assert str(again) == str(cost)
    value = json.loads(json.dumps(cost.to_dict()))
    assert Decimal(value["total_usd"]) == cost.total_usd
    assert "<pre>" in cost._repr_html_()


def test_columns_for_comparisons() -> None:
    row = model_columns("gpt-4o")
    assert (row.window and row.window.n_tokens, row.input_usd, row.missing) == (128_000, Decimal("2.5"), ())
    # A text of 1,000 characters and 250 tokens: 250,000 tokens in a million characters.
    assert row.million_characters_usd(250, 1_000) == Decimal("0.625")
    none = model_columns("zz-unknown-9")
    assert (none.window, none.input_usd, none.million_characters_usd(1, 1), len(none.missing)) == (
        None,
        None,
        None,
        2,
    )
