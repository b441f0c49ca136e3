"""Estimates for Claude and Gemini, held to counts that their providers published or that Gemma's tokenizer gives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from genai_prices.data_snapshot import get_snapshot

import piecework as pw
from piecework._chat.served.content import content_bytes
from piecework._chat.served.estimate import estimate, figures
from piecework._chat.served.models import served_model
from tools import make_bytes_per_token

# --- estimates --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "provider", "generation"),
    [
        ("claude-3-opus-20240229", "anthropic", "claude-3"),
        ("claude-3-5-sonnet@20240620", "anthropic", "claude-3"),
        ("claude-haiku-4-5-20251001", "anthropic", "claude-3"),
        ("claude-opus-4-6", "anthropic", "claude-3"),
        ("claude-opus-4-7", "anthropic", "claude-4.7"),
        ("anthropic/claude-opus-4.8", "anthropic", "claude-4.7"),
        ("us.anthropic.claude-sonnet-5-v1:0", "anthropic", "claude-4.7"),
        ("claude-fable-5-1", "anthropic", "claude-4.7"),
        ("claude-2.1", "anthropic", None),
        ("claude-instant-1.2", "anthropic", None),
        ("gemini-2.5-pro", "google", "gemini-2"),
        ("gemini-live-2.5-flash", "google", "gemini-2"),
        ("models/gemini-3-pro-preview", "google", "gemini-2"),
        ("gemini-1.5-flash", "google", None),
        ("gemini-4-pro", "google", None),
    ],
)
def test_names_of_models_behind_servers(name: str, provider: str, generation: str | None) -> None:
    found = served_model(name)
    assert found is not None
    assert (found.provider, found.generation) == (provider, generation)


@pytest.mark.parametrize(
    "name", ["claude-sonet-4-5", "claude-opus-4-77", "gemini-2.5-pr", "claude-opus-4-7-x", "gemini-25-pro"]
)
def test_a_misspelled_name_is_an_error_and_no_estimate(name: str) -> None:
    with pytest.raises(pw.UnknownTokenizerError, match="no tokenizer"):
        pw.count("hi", model=name)


def test_every_name_with_a_version_in_the_price_tables_is_read() -> None:
    listed = [
        model.id
        for provider in get_snapshot().providers
        if provider.id in {"anthropic", "google"}
        for model in provider.models
        if re.match(r"(claude|gemini)-.*\d", model.id) and "embedding" not in model.id
    ]
    assert len(listed) > 20
    assert [name for name in listed if served_model(name) is None] == []


@pytest.mark.parametrize(
    "name", ["gpt-4o", "claude", "claude-foo", "gemini-pro", "gemma-3", "./claude-3-opus", "xclaude-3-opus"]
)
def test_other_names_are_none(name: str) -> None:
    assert served_model(name) is None


def test_the_table_is_what_its_maker_makes() -> None:
    assert make_bytes_per_token.TABLE.read_text(encoding="utf-8") == make_bytes_per_token.table()


def test_every_figure_has_a_source_a_date_and_a_band() -> None:
    for generation in ("claude-3", "claude-4.7", "gemini-2"):
        rows = figures(generation)
        assert {
            "prose",
            "accented",
            "code",
            "json",
            "numbers",
            "Cyrl",
            "Hani",
            "Jpan",
            "Deva",
            "Arab",
        } <= rows.keys()
        for row in rows.values():
            assert 0 < row.least <= row.bytes_per_token <= row.most
            assert row.n >= 1
            assert len(row.date) == 10
            assert row.source


def test_claudes_english_by_hand() -> None:
    # Published: 2,202 characters have 508 tokens under 4.6 and 611 under 4.7; all six samples 5,320 and 7,343 of 21,526.
    text = ("word " * 441)[:2202]
    old, new = pw.count(text, model="claude-opus-4-6"), pw.count(text, model="claude-opus-4-7")
    assert (old.n, new.n) == (-(-2202 * 100 // 405), -(-2202 * 100 // 293))
    for found, published in ((old, 508), (new, 611)):
        assert found.band is not None
        assert found.band[0] <= published <= found.band[1]
        assert found.basis == "estimate"


# Anthropic's documentation shows these counts, which it has had since before its second tokenizer: a system prompt with a
# message, and a message with a tool.
@pytest.mark.parametrize(
    "model", ["claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-6"]
)
def test_anthropics_own_examples_are_in_the_band(model: str) -> None:
    hello = pw.count(
        {"system": "You are a scientist", "messages": [{"role": "user", "content": "Hello, Claude"}]},
        model=model,
    )
    assert hello.band is not None
    assert hello.band[0] <= 14 <= hello.band[1]
    schema = {
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"}
        },
        "required": ["location"],
    }
    tool = {
        "name": "get_weather",
        "description": "Get the current weather in a given location",
        "input_schema": schema,
    }
    weather = pw.count(
        [{"role": "user", "content": "What's the weather like in San Francisco?"}], tools=[tool], model=model
    )
    assert weather.band is not None
    assert weather.band[0] <= 403 <= weather.band[1]
    assert sum(part.n_tokens for part in weather.parts) == weather.n


def test_geminis_own_example_is_in_the_band() -> None:
    found = pw.count("The quick brown fox jumps over the lazy dog.", model="gemini-2.0-flash")
    assert found.band is not None
    assert found.band[0] <= 10 <= found.band[1]


def test_geminis_band_holds_what_gemma_counts(fetched: Callable[[str], Path], root: Path) -> None:
    gemma = pw.load(fetched("gemma3/tokenizer.json"))
    # None of these is a sample that the figures come from.
    paths = [*(root / "examples" / "languages").iterdir(), *(root / "python/piecework/_files").glob("*.py")]
    paths += [root / "docs" / name for name in ("samples.md", "formats.md", "loading.md", "explain.md")]
    outside = []
    for path in paths:
        text = path.read_text("utf-8")
        found = pw.count(text, model="gemini-2.5-pro")
        n = gemma.count(text)
        if found.basis == "lower-bound":
            assert found.n <= 1.5 * n
            continue
        assert found.band is not None
        if not found.band[0] <= n <= found.band[1]:
            outside.append((path.name, found.n, found.band, n))
    assert outside == []


def test_geminis_band_holds_conversations(fetched: Callable[[str], Path], root: Path) -> None:
    gemma = pw.load(fetched("gemma3/tokenizer.json"))
    messages = json.loads((root / "examples" / "support_conversation.json").read_text("utf-8"))
    said = [message["content"] for message in messages if message["content"]]
    called = [call["function"] for message in messages for call in message.get("tool_calls", ())]
    n = sum(
        map(gemma.count, [*said, *(call["name"] for call in called), *(call["arguments"] for call in called)])
    )
    found = pw.count(messages, model="gemini-2.5-pro")
    assert found.band is not None
    assert found.band[0] <= n <= found.band[1]
    # Thirteen messages vary less than thirteen times one: the band of their texts, each for itself, is wider.
    each = [pw.count(text, model="gemini-2.5-pro").band for text in said]
    assert found.band[1] - found.band[0] < sum(band[1] - band[0] for band in each if band)


def test_a_later_gemini_says_what_stands_in() -> None:
    found = pw.count([{"role": "user", "content": "Hi"}], model="gemini-3.8-flash")
    assert "gemini-3.8-flash: no count is published; Gemini 2 to 3 Pro stand in" in found.notes


def test_a_script_without_counts_is_a_lower_bound() -> None:
    text = "안녕하세요, 오늘은 날씨가 좋습니다."
    found = pw.count(text, model="claude-opus-4-7")
    assert (found.basis, found.band) == ("lower-bound", None)
    assert 0 < found.n < pw.count(text, model="gpt-4o").n * 2
    assert any(note.startswith("Hang: 50 bytes at their least") for note in found.notes)


def test_a_script_that_is_not_told_apart_is_not_counted() -> None:
    found = pw.count("\u0f40\u0f41\u0f42", model="gemini-2.5-pro")
    assert (found.n, found.basis) == (0, "lower-bound")
    assert "not counted: 9 bytes of Zzzz; no count is published" in found.notes


def test_an_emoji_in_a_letter_leaves_an_estimate_whose_band_holds_it() -> None:
    plain = pw.count("See you on Friday. " * 20, model="claude-opus-4-7")
    with_emoji = pw.count("See you on Friday. " * 20 + "👍", model="claude-opus-4-7")
    assert plain.band is not None
    assert with_emoji.band is not None
    assert with_emoji.basis == "estimate"
    # Four bytes: at most four tokens.
    assert with_emoji.band[1] - plain.band[1] in (4, 5)
    assert "Zsye: 4 bytes at their least number of tokens; no count is published" in with_emoji.notes


def test_bands_are_within_one_token_and_one_a_byte() -> None:
    for text in ("", "a", "é", "{}", "1", "中", "a b", "x" * 9):
        found = estimate([text], "claude-4.7")
        n_bytes = len(text.encode())
        assert min(1, n_bytes) <= found.band[0] <= found.n <= max(found.band[1], found.n) <= n_bytes


@pytest.mark.parametrize(
    "text",
    ["", "Hello, мир", "漢字かな", '{"a": 1}', "\ud800x", "1. Да", "a\u0301", "👩‍👩‍👧 ok", "\u0f40 \0"],
)
def test_the_bytes_of_a_text_add_up(text: str) -> None:
    assert sum(content_bytes(text).values()) == len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please send the report by Friday, and call me.", "prose"),
        ("Grüße aus München, bis später!", "accented"),
        ("def f(x):\n    return {'a': x[0]}\n", "code"),
        ('[{"a": 1}, {"b": null}]', "json"),
        ("12,345\n67,890\n", "numbers"),
        ("[not json", "code"),
    ],
)
def test_kinds_of_latin_text(text: str, kind: str) -> None:
    assert content_bytes(text).keys() == {kind}


def test_an_unknown_generation_is_an_error_with_a_way_out() -> None:
    for content in ("Hi", [{"role": "user", "content": "Hi"}]):
        with pytest.raises(pw.UnknownTokenizerError, match="claude-2"):
            pw.count(content, model="claude-2.1")
        assert pw.count(content, model="claude-2.1", assume="o200k_base").basis == "estimate"


def test_what_is_assumed_comes_before_an_estimate() -> None:
    found = pw.count("Hello, world!", model="claude-opus-4-7", assume="o200k_base")
    assert (found.n, found.basis, found.tokenizer) == (4, "estimate", "o200k_base")
