"""Problems that people reported of cost calculators: cached tokens billed twice or at the full price. Each with its kind."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from genai_prices import extract_usage

import piecework as pw
from piecework.errors import UnknownPriceError

# --- B58: what a cache served is a part of the prompt, and has a price of its own ----------------------------------------

PRICES = {"input": 2.5, "cached": 0.25, "output": 10.0}


def test_b58_cached_tokens_are_billed_once() -> None:
    cost = pw.cost(input_tokens=10_000, cached_tokens=8_000, output_tokens=500, prices=PRICES)
    assert str(cost.total_usd) == "0.012"
    assert sum(line.n for line in cost.lines) == Decimal(10_500)


def test_b58_as_the_provider_reports_it() -> None:
    usage = {
        "prompt_tokens": 10_000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8_000},
    }  # fmt: skip
    assert str(pw.cost_log([{"usage": usage}], prices=PRICES).total_usd) == "0.012"


@pytest.mark.parametrize("n_cached", [0, 1, 5_000, 9_999, 10_000])
def test_b58_more_cached_tokens_never_cost_more(n_cached: int) -> None:
    cost = pw.cost(input_tokens=10_000, cached_tokens=n_cached, output_tokens=500, prices=PRICES)
    # 10,000 × 2.5 + 500 × 10, less 2.25 for each cached token.
    assert cost.total_usd == (Decimal(30_000) - Decimal("2.25") * n_cached) / 10**6


# Anthropic reports what the cache served beside its input, Gemini and OpenAI within it; thoughts the other way round.
REPORTED: list[tuple[str, str, dict[str, Any]]] = [
    ("openai", "chat", {
        "model": "gpt-4o",
        "usage": {"prompt_tokens": 10_000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8_000},
                  "completion_tokens_details": {"reasoning_tokens": 300}},
    }),
    ("openai", "responses", {
        "model": "gpt-5",
        "usage": {"input_tokens": 10_000, "output_tokens": 500, "input_tokens_details": {"cached_tokens": 8_000},
                  "output_tokens_details": {"reasoning_tokens": 300}},
    }),
    ("anthropic", "default", {
        "model": "claude-sonnet-4-5",
        "usage": {"input_tokens": 2_000, "output_tokens": 500, "cache_read_input_tokens": 8_000,
                  "cache_creation_input_tokens": 1_500,
                  "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 1_000}},
    }),
    ("anthropic", "default", {
        "model": "claude-sonnet-4-5",
        "usage": {"input_tokens": 2_000, "output_tokens": 500, "cache_read_input_tokens": 250_000,
                  "cache_creation_input_tokens": 0},
    }),
    ("google", "default", {
        "modelVersion": "gemini-2.5-flash",
        "usageMetadata": {"promptTokenCount": 10_000, "cachedContentTokenCount": 8_000, "candidatesTokenCount": 200,
                          "thoughtsTokenCount": 300, "totalTokenCount": 10_500},
    }),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "flavor", "response"), REPORTED)
def test_b58_of_every_provider_as_genai_prices_bills_it(
    provider: str, flavor: str, response: dict[str, Any]
) -> None:
    expected = extract_usage(response, provider_id=provider, api_flavor=flavor).calc_price()
    assert pw.cost_log([response]).total_usd == expected.total_price


def test_b58_a_cache_without_a_price_is_said_and_never_free() -> None:
    cost = pw.cost(input_tokens=10_000, cached_tokens=8_000, prices={"input": 2.5})
    assert cost.total_usd == Decimal("0.025")
    assert any("no price is given for reading from the cache" in note for note in cost.notes)


# --- B57 for money: an unknown model has no price, and no other model's either -------------------------------------------


@pytest.mark.parametrize("name", ["zz-unknown-9", "gpt-4o-zz", "claude", ""])
def test_b57_an_unknown_model_is_no_zero_and_no_other_model(name: str) -> None:
    with pytest.raises(UnknownPriceError):
        pw.cost(model=name, input_tokens=1_000)
