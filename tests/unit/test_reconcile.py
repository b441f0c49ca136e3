"""Bills explained: synthetic logs whose causes are known, made here number by number."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._chat.calibration import Calibration, read_calibrations, save_calibrations
from piecework._cost.reconcile.drift import find_drift
from piecework._cost.reconcile.fitting import Sample, fit_with_ratio
from piecework._cost.reconcile.usage_record import NotUsageError, read_record
from piecework.errors import InputError

WORDS = [
    "How",
    "many",
    "tokens",
    "does",
    "a",
    "customer",
    "of",
    "the",
    "harbor",
    "office",
    "read",
    "in",
    "a",
    "day,",
    "and",
    "who",
    "counts",
    "them?",
]
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the current weather for a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "City name"}},
        },
    },
}


def text_of(n: int) -> str:
    """A text of some length, another one for each n."""
    return (
        " ".join(WORDS[(n * 7 + at * 3) % len(WORDS)] for at in range(5 + n * 11 % 40))
        + f" {n * n} "
        + "नमस्ते दोस्त " * (n % 4)
    )


def conversation(n: int) -> list[dict[str, str]]:
    return [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text_of(n + at)}
        for at in range(1 + n % 3 * 2)
    ]


def rows(
    n_rows: int,
    tokenizer: str,
    *,
    model: str = "gpt-4o",
    per_request: int = 3,
    per_message: int = 4,
    extra: int = 0,
    **usage: Any,
) -> list[dict[str, Any]]:
    """Requests that a tokenizer and a framing bill exactly."""
    tok = pw.load(tokenizer)
    made = []
    for n in range(n_rows):
        messages = conversation(n)
        billed = per_request + sum(per_message + tok.count(one["content"]) for one in messages) + extra
        answer = {"model": model, "usage": {"prompt_tokens": billed, "completion_tokens": 7, **usage}}
        made.append({"request": {"model": model, "messages": messages}, "response": answer})
    return made


def causes(result: pw.Reconciliation, model: str = "gpt-4o") -> dict[str, str]:
    return {cause.name: cause.says for cause in result[model].causes}


def test_a_log_that_the_rules_explain_has_no_unexplained_tokens() -> None:
    report = pw.reconcile(rows(12, "o200k_base"))["gpt-4o"]
    assert {line.name: line.n_tokens for line in report.gap}["unexplained"] == 0
    assert (report.n_requests, report.n_compared, report.tokenizer) == (12, 12, "o200k_base")
    # 3 a request and 4 a message: 12 requests, of 1, 3 and 5 messages in turn.
    assert {line.name: line.n_tokens for line in report.gap}["template"] == 12 * 3 + 4 * (4 * (1 + 3 + 5))
    assert set(causes(pw.reconcile(rows(12, "o200k_base")))) == {"template"}
    assert (report.fits[0].tokenizer, round(report.fits[0].off, 9)) == ("o200k_base", 0)
    assert (round(report.fits[0].per_request, 6), round(report.fits[0].per_message, 6)) == (3, 4)
    assert "o200k_base then has 3.0 tokens a request and 4.0 a message around the texts" in report.lines()[-1]


def test_the_wrong_tokenizer_is_told_from_the_right_one() -> None:
    result = pw.reconcile(rows(12, "cl100k_base"))
    assert "count this model with cl100k_base" in causes(result)["wrong-tokenizer"]
    assert result["gpt-4o"].fits[0].tokenizer == "cl100k_base"
    assert result.has_alarms


def test_tools_are_named() -> None:
    made = rows(8, "o200k_base")
    n_tools = 0
    for row in made:
        row["request"]["tools"] = [TOOL]
        n_tools = (
            pw.count(row["request"]["messages"], model="gpt-4o", tools=[TOOL]).n
            - pw.count(row["request"]["messages"], model="gpt-4o").n
        )
        row["response"]["usage"]["prompt_tokens"] += n_tools
    report = pw.reconcile(made)["gpt-4o"]
    layers = {line.name: line.n_tokens for line in report.gap}
    assert layers["tools"] == 8 * n_tools > 0
    assert layers["unexplained"] == 0


def test_a_cache_that_the_input_leaves_out_is_named() -> None:
    usage = {
        "input_tokens": 20,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 80,
        "output_tokens": 9,
    }
    made = [{"model": "claude-sonnet-4-5", "usage": usage, "stop_reason": "end_turn"}] * 3
    report = pw.reconcile(made)["claude-sonnet-4-5"]
    assert report.input_tokens == 3 * 1000
    assert {cause.name: cause.says for cause in report.causes}["cache"] == (
        "2,700 input tokens were read from a cache, 240 written to one; "
        "the provider's own field for input leaves 2,940 of them out"
    )


def test_reasoning_is_named_where_the_provider_says_it_and_where_it_does_not() -> None:
    made = rows(3, "o200k_base", completion_tokens_details={"reasoning_tokens": 6})
    assert (
        causes(pw.reconcile(made))["reasoning"] == "18 of 21 output tokens are reasoning that no reply shows"
    )
    hidden = rows(3, "o200k_base")
    for row in hidden:
        row["response"]["choices"] = [
            {"message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        ]
        row["response"]["usage"]["completion_tokens"] = 500
    # "Yes." is 2 tokens, and 3 are let pass for the end of each reply.
    assert causes(pw.reconcile(hidden))["reasoning"].startswith(
        "1,485 of 1,500 output tokens are in no reply"
    )


def test_replies_that_were_cut_and_prompts_near_the_window_are_counted() -> None:
    made = rows(4, "o200k_base")
    made[1]["response"]["choices"] = [{"finish_reason": "length"}]
    made[2]["response"]["choices"] = [{"finish_reason": "stop"}]
    made[3]["response"]["usage"]["prompt_tokens"] = 95
    result = pw.reconcile(made[:3])
    assert causes(result)["cut-replies"] == "1 of 2 replies were cut by their output limit"
    assert causes(pw.reconcile(made[3:], window=100))["near-limit"] == (
        "1 of 1 request take 90% or more of the window of 100; the longest input has 95"
    )
    assert "near-limit" not in causes(pw.reconcile(made[3:], window=106))


def test_drift_is_found_where_it_begins() -> None:
    made = rows(30, "o200k_base")
    for row in made[18:]:
        row["response"]["usage"]["prompt_tokens"] = round(row["response"]["usage"]["prompt_tokens"] * 1.3)
    assert causes(pw.reconcile(made))["drift"].startswith("from line 19 on, 1.3")


def test_images_are_not_taken_for_text() -> None:
    made = rows(6, "o200k_base")
    made[0]["request"]["messages"] = [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4000}}],
        }
    ]
    assert causes(pw.reconcile(made))["pictures"].startswith("1 images")


def test_an_unknown_model_is_fitted_and_calibrated(tmp_path: Path) -> None:
    made = rows(20, "cl100k_base", model="zz-hosted-7", per_request=11, per_message=5)
    report = pw.reconcile(made, date="2026-11-30")["zz-hosted-7"]
    assert report.tokenizer is None
    assert report.calibration is not None
    found = report.calibration
    assert (found.tokenizer, found.ratio, found.n_requests, found.date) == (
        "cl100k_base",
        1.0,
        20,
        "2026-11-30",
    )
    assert (round(found.per_request, 6), round(found.per_message, 6)) == (11, 5)
    assert found.fingerprint == pw.load("cl100k_base").fingerprint
    path = save_calibrations({found.model: found}, tmp_path / "deep" / "calibrations.json")
    assert read_calibrations(path) == {found.model: found}
    assert found.of_text(100) == (100, (100, 100))
    assert found.of_messages(100, 2)[0] == 11 + 10 + 100


def test_a_model_of_no_known_tokenizer_gets_a_ratio_and_a_band() -> None:
    tok = pw.load("o200k_base")
    made = rows(40, "o200k_base", model="zz-hosted-8")
    for row in made:
        texts = sum(tok.count(one["content"]) for one in row["request"]["messages"])
        row["response"]["usage"]["prompt_tokens"] = round(
            9 + 6 * len(row["request"]["messages"]) + 1.37 * texts
        )
    found = pw.reconcile(made)["zz-hosted-8"].calibration
    assert found is not None
    assert found.tokenizer == "o200k_base"
    assert found.ratio == pytest.approx(1.37, abs=0.01)
    n, (low, high) = found.of_text(1000)
    assert low <= n <= high
    assert 1360 <= n <= 1380


def test_the_fit_with_a_ratio_by_hand() -> None:
    samples = [
        Sample(round(2 + 3 * m + 1.5 * n), m, n) for m, n in [(1, 10), (2, 40), (3, 20), (5, 100), (1, 64)]
    ]
    found = fit_with_ratio("x", samples)
    assert found.ratio == pytest.approx(1.5, abs=1e-6)
    assert found.per_request == pytest.approx(2, abs=1e-4)
    assert found.per_message == pytest.approx(3, abs=1e-4)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        # OpenAI's chat: cached tokens are among prompt_tokens, reasoning among completion_tokens.
        (
            {
                "model": "gpt-5", "choices": [{"finish_reason": "length"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 64},
                          "completion_tokens_details": {"reasoning_tokens": 20}},
            },
            (100, 100, 64, 0, 30, 20, True),
        ),
        # OpenAI's Responses.
        (
            {
                "model": "gpt-5", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
                "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 0},
                          "output_tokens_details": {"reasoning_tokens": 0}},
            },
            (9, 9, 0, 0, 4, 0, True),
        ),
        # Anthropic: input_tokens leaves the cache out.
        (
            {
                "model": "claude-sonnet-4-5", "stop_reason": "max_tokens",
                "usage": {"input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 3},
            },
            (115, 5, 100, 10, 3, None, True),
        ),
        # Gemini: thoughts are beside the candidates, cached ones within the prompt.
        (
            {
                "modelVersion": "gemini-2.5-pro", "candidates": [{"finishReason": "MAX_TOKENS"}],
                "usageMetadata": {"promptTokenCount": 50, "candidatesTokenCount": 8, "thoughtsTokenCount": 12,
                                  "cachedContentTokenCount": 20, "toolUsePromptTokenCount": 6},
            },
            (56, 50, 20, 0, 20, 12, True),
        ),
        # OpenTelemetry, flat and as OTLP writes it.
        (
            {"attributes": {"gen_ai.response.model": "gpt-4o", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 2,
                            "gen_ai.response.finish_reasons": ["stop"]}},
            (7, 7, 0, 0, 2, None, False),
        ),
        (
            {"attributes": [
                {"key": "gen_ai.request.model", "value": {"stringValue": "gpt-4o"}},
                {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}},
                {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "2"}},
                {"key": "gen_ai.response.finish_reasons", "value": {"arrayValue": {"values": [{"stringValue": "length"}]}}},
            ]},
            (7, 7, 0, 0, 2, None, True),
        ),
    ],
)  # fmt: skip
def test_what_each_provider_calls_the_numbers(row: dict[str, Any], expected: tuple[Any, ...]) -> None:
    one = read_record(row)
    assert (
        one.input_tokens, one.reported_input_tokens, one.cached_tokens, one.cache_write_tokens, one.output_tokens,
        one.reasoning_tokens, one.is_cut,
    ) == expected  # fmt: skip


def test_messages_of_a_span_and_of_gemini_are_read() -> None:
    tok = pw.load("gpt-4o")
    spoken = [{"role": "user", "parts": [{"type": "text", "content": "How many?"}]}]
    span = {
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 3 + 4 + tok.count("How many?"),
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.input.messages": json.dumps(spoken),
    }
    gap = {line.name: line.n_tokens for line in pw.reconcile([span])["gpt-4o"].gap}
    assert gap == {"texts": tok.count("How many?"), "template": 7, "unexplained": 0}
    gemini = {
        "request": {"contents": [{"role": "user", "parts": [{"text": "How many?"}]}]},
        "response": {
            "modelVersion": "zz-g",
            "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 1},
        },
    }
    assert pw.reconcile([gemini])["zz-g"].n_compared == 1


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({}, "no usage"),
        ({"usage": []}, "no usage"),
        ({"model": "a", "usage": {}}, "none of prompt_tokens"),
        ({"model": "a", "usage": {"prompt_tokens": -1, "completion_tokens": 1}}, "not a number of tokens"),
        ({"model": "a", "usage": {"prompt_tokens": True, "completion_tokens": 1}}, "not a number of tokens"),
        ({"model": "a", "usage": {"prompt_tokens": "12", "completion_tokens": 1}}, "not a number of tokens"),
        ({"usage": {"prompt_tokens": 1, "completion_tokens": 1}}, "names no model"),
    ],
)
def test_what_is_no_record_says_why(row: dict[str, Any], says: str) -> None:
    with pytest.raises(NotUsageError, match=says):
        read_record(row)


def test_a_log_of_ours_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    messages = [{"role": "user", "content": "How many tokens is this?"}]
    counted = pw.count(messages, model="gpt-4o")
    for _ in range(3):
        pw.log_request(
            path,
            counted,
            model="gpt-4o",
            usage={"prompt_tokens": counted.n + 5, "completion_tokens": 1},
            time="2026-11-30T08:00:00+00:00",
        )
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) == 3
    assert json.loads(lines[0])["n_tokens"] == counted.n
    report = pw.reconcile(path)["gpt-4o"]
    assert {line.name: line.n_tokens for line in report.gap}["unexplained"] == 15
    assert "tokens is this" not in path.read_text("utf-8")


def test_lines_that_are_no_records_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    good = json.dumps({"model": "gpt-4o", "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
    path.write_text(f"{good}\n\nnot json\n[1]\n" + "[" * 100_000 + "\n" + good + "\n", "utf-8")
    result = pw.reconcile(path)
    assert result["gpt-4o"].n_requests == 2
    assert [one.line for one in result.unread] == [3, 4, 5]
    path.write_text("nothing\n", "utf-8")
    with pytest.raises(InputError, match="holds no usage record; line 1"):
        pw.reconcile(path)
    with pytest.raises(InputError, match="cannot be read"):
        pw.reconcile(tmp_path / "gone.jsonl")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"schema": "piecework.calibrations/1", "models": {"a": {}}}',
        "\x00",
        '{"schema": "other/1", "models": {}}',
    ],
)
def test_calibrations_that_are_something_else_are_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "calibrations.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="cannot be read as calibrations"):
        read_calibrations(path)
    one = Calibration("m", "o200k_base", "f", 1.0, 0.0, 0.0, 9, "2026-11-30", (1.0, 1.0))
    with pytest.raises(InputError):
        save_calibrations({"m": one}, path)
    assert path.read_text("utf-8") == text


def test_no_drift_in_what_only_varies() -> None:
    assert find_drift([]) is None
    assert find_drift([1.0] * 50) is None
    assert find_drift([1.0, 1.3, 0.9, 1.1] * 20) is None
    # Four records are too few for a step of their own.
    assert find_drift([1.0] * 4 + [2.0] * 4) is None


def test_counts_use_a_calibration_and_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIECEWORK_CALIBRATIONS", str(tmp_path / "calibrations.json"))
    made = rows(20, "cl100k_base", model="zz-hosted-7", per_request=11, per_message=5)
    found = pw.reconcile(made, date="2026-11-30")["zz-hosted-7"].calibration
    assert found is not None
    save_calibrations({"zz-hosted-7": found})
    messages = [
        {"role": "user", "content": "Hello, world!"},
        {"role": "assistant", "content": "Hello, world!"},
    ]
    counted = pw.count(messages, model="zz-hosted-7")
    assert (counted.n, counted.basis, counted.tokenizer) == (11 + 2 * 5 + 2 * 4, "calibrated", "cl100k_base")
    assert counted.notes == ("calibrated on 20 requests, 2026-11-30, by cl100k_base",)
    assert sum(part.n_tokens for part in counted.parts) == counted.n
    assert pw.count("Hello, world!", model="zz-hosted-7").n == 4
    plan = pw.budget("zz-hosted-7", window=100, message="Hello, world!", answer=50)
    assert (plan.input_tokens, plan.basis) == (11 + 5 + 4, "calibrated")
    packed = pw.pack(history=messages, model="zz-hosted-7", window=21)
    assert (len(packed.messages), packed.n_tokens, packed.basis) == (1, 20, "calibrated")
    # Another tokenizer under the same name is not silently taken for the one that was measured.
    save_calibrations({"zz-hosted-7": replace(found, fingerprint="0" * 64)})
    with pytest.raises(InputError, match="made with another cl100k_base"):
        pw.count(messages, model="zz-hosted-7")


def test_a_model_without_a_published_tokenizer_is_compared_with_its_estimate() -> None:
    messages = [{"role": "user", "content": "How many tokens does a customer read in a day?"}]
    estimate = pw.count(messages, model="claude-opus-4-7").n
    row = {
        "request": {"model": "claude-opus-4-7", "messages": messages},
        "response": {"model": "claude-opus-4-7", "usage": {"input_tokens": estimate + 4, "output_tokens": 1}},
    }
    gap = pw.reconcile([row])["claude-opus-4-7"].gap
    assert {line.name: line.basis for line in gap} == {
        "texts": "estimate",
        "template": "estimate",
        "unexplained": "billed",
    }
    assert sum(line.n_tokens for line in gap) == estimate + 4
    assert gap[-1].n_tokens == 4
