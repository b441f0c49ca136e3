"""Bills that say little, and logs from others: what reconciling must not conclude, and what it must not do."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._chat.calibration import Calibration, read_calibrations, save_calibrations
from piecework._cost.reconcile.fitting import Sample, fit, fit_with_ratio, shares_of_unseen
from piecework.errors import InputError, OutputError
from tests.unit.test_reconcile import WORDS, causes


def billed(lengths: list[int], noise: list[float], *, model: str = "gpt-4o") -> list[dict[str, Any]]:
    """Requests of one message, billed by OpenAI's rules of 2024 (7 tokens around a message), times some noise."""
    tok = pw.load("o200k_base")
    made = []
    for at, (length, factor) in enumerate(zip(lengths, noise, strict=True)):
        text = (
            " ".join(WORDS[(at * 7 + word * 3) % len(WORDS)] for word in range(length))
            + f" größer {at * at} नमस्ते"
        )
        n = round((7 + tok.count(text)) * factor)
        answer = {"model": model, "usage": {"prompt_tokens": n, "completion_tokens": 1}}
        made.append({"request": {"messages": [{"role": "user", "content": text}]}, "response": answer})
    return made


@pytest.mark.parametrize("n", [5, 6, 8, 12])
def test_noise_in_a_short_log_accuses_no_tokenizer(n: int) -> None:
    for seed in range(25):
        chance = random.Random(seed)
        lengths = [chance.randint(1, 8) for _ in range(n)]
        log = billed(lengths, [1 + chance.gauss(0, 0.1) for _ in range(n)])
        report = pw.reconcile(log)["gpt-4o"]
        assert "wrong-tokenizer" not in {cause.name for cause in report.causes}
        # Noise does not make another tokenizer the model's.
        assert report.calibration is None or report.calibration.tokenizer == "o200k_base"


def test_requests_of_one_length_tell_no_tokenizer_apart() -> None:
    usage = {"input_tokens": 40, "output_tokens": 3}
    row = {
        "request": {"messages": [{"role": "user", "content": "How many tokens?"}]},
        "response": {"model": "claude-sonnet-4-5", "usage": usage},
    }
    result = pw.reconcile([row] * 8)
    report = result["claude-sonnet-4-5"]
    assert "these requests do not tell them apart" in str(result)
    assert "best explained by" not in str(result)
    assert len(report.to_dict()["equally_good"]) == 5  # type: ignore[arg-type]
    # What a token costs is not known from one length.
    assert report.calibration is None


@pytest.mark.parametrize("tokenizer", [None, "o200k_base"])
def test_shorter_prompts_are_no_drift(tokenizer: str | None) -> None:
    # A tokenizer by its name has no template: the framing's share grows where texts get short.
    for seed in range(5):
        chance = random.Random(seed)
        lengths = [chance.randint(200, 400) for _ in range(20)] + [chance.randint(1, 3) for _ in range(20)]
        report = pw.reconcile(billed(lengths, [1.0] * 40), tokenizer=tokenizer)["gpt-4o"]
        assert "drift" not in {cause.name for cause in report.causes}


def test_three_hundredths_more_are_drift_also_in_noise() -> None:
    for seed in range(10):
        chance = random.Random(seed)
        lengths = [chance.randint(20, 400) for _ in range(40)]
        noise = [(1.03 if at >= 20 else 1.0) * (1 + chance.gauss(0, 0.005)) for at in range(40)]
        assert "drift" in causes(pw.reconcile(billed(lengths, noise)))


def test_the_band_of_few_requests_holds_the_next_ones() -> None:
    """Residuals of the fit itself are too small where it rests on few: 48 % of the next bills were within such a band."""
    within = total = 0
    for seed in range(60):
        chance = random.Random(seed)

        def sample(chance: random.Random = chance) -> Sample:
            n = chance.randint(20, 900)
            return Sample(round((9 + 1.2 * n) * (1 + chance.gauss(0, 0.02))), 1, n)

        seen = [sample() for _ in range(6)]
        made = fit_with_ratio("x", seen)
        shares = shares_of_unseen(made, seen)
        for later in (sample() for _ in range(20)):
            total += 1
            within += (
                min(shares) * made.expected(later) - 1
                <= later.billed
                <= max(shares) * made.expected(later) + 1
            )
    assert within / total > 0.8
    exact = [Sample(9 + n, 1, n) for n in (10, 300, 20, 77, 5)]
    assert shares_of_unseen(fit("x", exact), exact) == pytest.approx([1.0] * 5)


@pytest.mark.parametrize("name", ["/etc/passwd", "/etc", "../x", "~/x", ".", "C:\\x", "a\\..\\b"])
def test_no_file_is_opened_because_a_log_names_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"model": name, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    asked: list[str] = []
    tok = pw.load("o200k_base")

    def load(source: object) -> pw.Tokenizer:
        asked.append(str(source))
        return tok

    monkeypatch.setattr("piecework._tokenizer.load", load)
    assert pw.reconcile([row])[name].tokenizer is None
    assert "o200k_base" in asked
    assert name not in asked


@pytest.mark.parametrize(
    "row",
    [
        {"model": "m", "usage": {"prompt_tokens": 10**400, "completion_tokens": 1}},
        {"model": "\x1b[31mred", "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
        {"model": "m" * 10_000, "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
        {"attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "²"}}]},
        {"attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9" * 5000}}]},
        {"attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"arrayValue": {"values": 5}}}]},
    ],
)
def test_rows_that_would_do_harm_are_no_records(row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no usage record"):
        pw.reconcile([row])


def test_the_model_may_stand_beside_request_and_response() -> None:
    row = {
        "model": "gpt-4o",
        "request": {"messages": [{"role": "user", "content": "hello there"}]},
        "response": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}},
    }
    assert [(line.name, line.n_tokens) for line in pw.reconcile([row])["gpt-4o"].gap] == [
        ("texts", 2),
        ("template", 7),
        ("unexplained", 0),
    ]


def test_a_log_is_a_path_or_rows() -> None:
    with pytest.raises(TypeError, match="rows"):
        pw.reconcile({"model": "m"})  # type: ignore[dict-item]
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InputError, match="cannot be written as JSON"):
        pw.reconcile([{"model": "m", "usage": deep}])
    nonsense: list[dict[str, Any]] = [{"window": 0}, {"near_share": float("nan")}]
    for arguments in nonsense:
        with pytest.raises(ValueError, match="window"):
            pw.reconcile([{}], **arguments)
    with pytest.raises(TypeError):
        pw.reconcile([{}], window="many")  # type: ignore[arg-type]


def test_a_full_disk_leaves_no_half_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    counted = pw.count("Hello, world!", model="gpt-4o")
    pw.log_request(path, counted, model="gpt-4o")
    before = path.read_bytes()
    real = os.write
    monkeypatch.setattr("piecework._cost.request_log.os.write", lambda handle, data: real(handle, data[:20]))
    with pytest.raises(OutputError, match="the disk is full"):
        pw.log_request(path, counted, model="gpt-4o")
    assert path.read_bytes() == before


def test_a_calibration_of_endless_requests_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibrations.json"
    one = Calibration("m", "o200k_base", "f", 1.0, 0.0, 0.0, 9, "2026-11-30", (1.0, 1.0))
    save_calibrations({"m": one}, path)
    for number in ("Infinity", "-9"):
        path.write_text(
            path.read_text("utf-8").replace('"n_requests": 9', f'"n_requests": {number}'), "utf-8"
        )
        with pytest.raises(InputError, match="cannot be read as calibrations"):
            read_calibrations(path)
        save_calibrations({"m": one}, tmp_path / "other.json")
        path.write_bytes((tmp_path / "other.json").read_bytes())


@pytest.mark.parametrize(
    "argument",
    [{"model": 5}, {"usage": 5}, {"response": "x"}, {"max_output_tokens": "x"}, {"packed": 5}, {"time": 5}],
)
def test_a_row_that_could_not_be_read_back_is_not_written(tmp_path: Path, argument: dict[str, Any]) -> None:
    counted = pw.count("Hello, world!", model="gpt-4o")
    with pytest.raises(TypeError, match=next(iter(argument))):
        pw.log_request(tmp_path / "log.jsonl", counted, **{"model": "gpt-4o", **argument})
    assert not (tmp_path / "log.jsonl").exists()


def test_results_of_calls_in_a_row_of_ours_are_no_tool_definitions() -> None:
    row = {
        "model": "gpt-4o",
        "n_tokens": 60,
        "parts": {"messages[0] user": 10, "messages[2] tool": 30, "tools[0] f": 15, "generation prompt": 5},
        "usage": {"prompt_tokens": 60, "completion_tokens": 1},
    }
    assert [(line.name, line.n_tokens) for line in pw.reconcile([row])["gpt-4o"].gap] == [
        ("logged messages", 40),
        ("logged tools", 15),
        ("logged framing", 5),
        ("unexplained", 0),
    ]


def test_a_prompt_that_was_rendered_here_is_logged_as_a_count_is(tmp_path: Path) -> None:
    tok = pw.load("qwen3")
    prompt = tok.chat([{"role": "user", "content": "x"}], template="chatml")
    row = pw.log_request(tmp_path / "log.jsonl", prompt, model="qwen3-8b", usage={"prompt_tokens": 9})
    assert (row["n_tokens"], row["basis"], row["tokenizer"]) == (9, "calibrated", "qwen3")
    assert row["fingerprint"] == tok.fingerprint
    assert row["parts"] == {"messages[0] user": 6, "generation prompt": 3}
