"""`piecework cost`: the figures of the worked cases by flags, counted prompts, tables of models, logs, and refusals."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price

import piecework as pw
from tests.cli.conftest import Run

OWN = ("--price-input", "2", "--price-output", "8")
TALK = ("--system", "400", "--user", "150", "--answer", "250")
ROOT = Path(__file__).resolve().parents[2]


def test_a_call_from_numbers(run: Run) -> None:
    ran = run("cost", *OWN, "--in", "3000", "--out", "500", "--ms-per-token", "4.78")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[1] == ["input", "3,000", "$2.00", "$0.006", "85.7", "%", "60.0", "%"]
    assert ran.lines[2][:4] == ["output", "500", "$8.00", "$0.004"]
    assert "a million calls: $10,000.00" in ran.text
    assert "500 × 4.78 ms = 2.39 s" in ran.text
    assert "prices: given" in ran.text


def test_cached_tokens_are_not_billed_twice(run: Run) -> None:
    flags = ("--price-input", "2.5", "--price-cached", "0.25", "--price-output", "10")
    value = run("cost", *flags, "--in", "10000", "--cached-tokens", "8000", "--out", "500", "--json").json
    assert value["schema"] == "piecework.cost/1"
    assert value["costs"][0]["total_usd"] == "0.012"


def test_a_million_calls(run: Run) -> None:
    ran = run("cost", "--price-input", "3", "--price-output", "15", "--in", "2000", "--out", "500")
    assert "$0.0135" in ran.text
    assert "a million calls: $13,500.00" in ran.text


def test_a_million_calls_are_said_once(run: Run) -> None:
    ran = run("cost", "--price-input", "3", "--price-output", "15", "--in", "2000", "--requests", "1000000")
    assert ran.text.lower().count("calls: $6,000.00") == 1


def test_a_prompt_without_an_answer_is_said_to_be_one(run: Run) -> None:
    note = "the prompt alone: --out N adds an answer"
    assert note in run("cost", "-m", "gpt-4o", "--text", "Hi").err
    assert note not in run("cost", "-m", "gpt-4o", "--text", "Hi", "--out", "5").err


def test_models_side_by_side(run: Run) -> None:
    models = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash"]
    named = [flag for name in models for flag in ("-m", name)]
    ran = run("cost", *named, "--in", "4000", "--out", "300", "--json")
    for name, cost in zip(models, ran.json["costs"], strict=True):
        expected = calc_price(Usage(input_tokens=4_000, output_tokens=300), name).total_price
        assert (cost["model"], Decimal(cost["total_usd"])) == (name, expected)
        assert cost["source"].startswith("genai-prices ")
        assert cost["date"]
    table = run("cost", *named, "--in", "4000", "--out", "300")
    assert [line[0] for line in table.lines[1:4]] == models
    assert table.lines[4][0] == "prices:"


def test_a_prompt_is_counted(run: Run, folder: Path) -> None:
    text = "Where is my order? " * 20
    (folder / "prompt.txt").write_text(text, encoding="utf-8")
    n = pw.load("gpt-4o").count(text)
    for ran in (
        run("cost", "-m", "gpt-4o", "prompt.txt", "--json"),
        run("cost", "-m", "gpt-4o", "--json", stdin=text.encode()),
        run("cost", "-m", "gpt-4o", "--text", text, "--json"),
    ):
        (cost,) = ran.json["costs"]
        assert (cost["usage"]["input_tokens"], cost["basis"], cost["counted_by"]) == (
            n,
            "exact",
            "o200k_base",
        )


def test_messages_are_counted_as_they_are_sent(run: Run) -> None:
    chat = str(ROOT / "examples" / "support_conversation.json")
    (cost,) = run("cost", "-m", "gpt-4o", chat, "--out", "200", "--json").json["costs"]
    messages = json.loads(Path(chat).read_text(encoding="utf-8"))
    count = pw.count(messages, model="gpt-4o")
    assert cost["usage"]["input_tokens"] == count.n
    assert cost["basis"] == count.basis != "exact"
    assert cost["band_usd"] is not None


def test_a_body_brings_its_tools(run: Run, folder: Path) -> None:
    tool = {
        "type": "function",
        "function": {
            "name": "f",
            "description": "Finds.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    messages = [{"role": "user", "content": "Hi"}]
    (folder / "body.json").write_text(json.dumps({"messages": messages, "tools": [tool]}), encoding="utf-8")
    (cost,) = run("cost", "-m", "gpt-4o", "body.json", "--json").json["costs"]
    assert cost["usage"]["input_tokens"] == pw.count(messages, model="gpt-4o", tools=[tool]).n


def test_own_prices_count_with_the_default_tokenizer_and_say_so(run: Run) -> None:
    ran = run("cost", "--price-input", "3", "--text", "Hello, world!")
    assert "$0.000012" in ran.text
    assert "counting with o200k_base" in ran.err
    guess = run("cost", "--price-input", "3", "--text", "x" * 620, "--assume", "rule-of-thumb")
    assert guess.lines[1][1] == "155"
    assert "counts: estimate" in guess.text


def test_a_conversation(run: Run) -> None:
    ran = run("cost", *OWN, "--turns", "5", *TALK)
    assert [line[1] for line in ran.lines[1:6]] == ["550", "950", "1,350", "1,750", "2,150"]
    assert ran.lines[6] == ["total", "6,750", "0", "1,250", "$0.0235"]
    for n_turns, n_input in ((10, 23_500), (20, 87_000)):
        (found,) = run("cost", *OWN, "--turns", str(n_turns), *TALK, "--json").json["conversations"]
        assert (found["input_tokens"], len(found["turns"])) == (n_input, n_turns)


def test_what_savings_save(run: Run) -> None:
    flags = (
        "--price-cached",
        "0.5",
        "--cache",
        "--trim",
        "1400",
        "--summarize",
        "3:100",
        "--cache-min",
        "500",
    )
    ran = run(
        "cost",
        *OWN,
        "--turns",
        "8",
        *TALK,
        *flags,
        "--gap",
        "10",
        "--window",
        "2000",
        "--tool-loop",
        "1:20:80",
    )
    assert ran.code == 0
    for name in ("caching the start of prompts: ", "trimming: ", "summarizing: ", "all of them: "):
        assert name in ran.text


def test_a_log(run: Run, folder: Path) -> None:
    usage = {
        "prompt_tokens": 10_000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8_000},
    }  # fmt: skip
    line = json.dumps({"model": "gpt-4o", "usage": usage})
    (folder / "usage.jsonl").write_text(f"{line}\n\n{line}\n", encoding="utf-8")
    (folder / "usage.json").write_text(f"[{line},{line}]", encoding="utf-8")
    flags = ("--price-input", "2.5", "--price-cached", "0.25", "--price-output", "10")
    for file in ("usage.jsonl", "usage.json"):
        assert run("cost", *flags, "--from", file).lines[-2][-3:] != []
        (found,) = run("cost", *flags, "--from", file, "--json").json["conversations"]
        assert found["total_usd"] == "0.024"
        assert [turn["cumulative_usd"] for turn in found["turns"]] == ["0.012", "0.024"]
    piped = run("cost", "-m", "gpt-4o", "--from", "-", "--json", stdin=line.encode())
    expected = calc_price(Usage(input_tokens=10_000, cache_read_tokens=8_000, output_tokens=500), "gpt-4o")
    assert Decimal(piped.json["conversations"][0]["total_usd"]) == expected.total_price


def test_growth_is_drawn(run: Run, folder: Path) -> None:
    ran = run("cost", *OWN, "--turns", "5", *TALK, "--window", "2000", "--plot", "growth.svg")
    assert (ran.code, ran.lines[0][0]) == (0, "turn")
    svg = (folder / "growth.svg").read_text(encoding="utf-8")
    assert "window: 2,000 tokens" in svg
    assert "question" in svg


def test_a_window_far_above_all_turns_is_not_drawn(run: Run, folder: Path) -> None:
    # gpt-4o reads 128,000 tokens; the fifth turn has 2,150 + 250, or 32,150 + 250 with a longer start.
    for system, is_drawn in (("400", False), ("30400", True)):
        talk = ("--system", system, "--user", "150", "--answer", "250")
        run("cost", "-m", "gpt-4o", "--turns", "5", *talk, "--plot", "growth.svg")
        assert ("window: 128,000 tokens" in (folder / "growth.svg").read_text(encoding="utf-8")) == is_drawn


def test_planned_texts_have_no_framing_which_is_said(run: Run) -> None:
    ran = run("cost", "-m", "gpt-4o", "--turns", "2", "--user", "Where is it?", "--answer", "9")
    assert "what a template puts around messages is not in it" in ran.err
    assert not run("cost", "-m", "gpt-4o", "--turns", "2", "--user", "4", "--answer", "9").err


def test_tiers_batches_and_days(run: Run) -> None:
    base = ("cost", "-m", "gpt-5", "--in", "1000000", "--json", "--at", "2026-11-20")
    # As OpenAI's price list of that day: $1.25, half of it for batches and flex, twice for priority.
    prices = {
        flags: run(*base, *flags).json["costs"][0]["total_usd"]
        for flags in ((), ("--batch",), ("--tier", "flex"), ("--tier", "priority"))
    }
    assert list(prices.values()) == ["1.25", "0.625", "0.625", "2.5"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--in", "3"], 2, "name a model"),
        (["-m", "zz-unknown-9", "--in", "3"], 4, "no price is known for zz-unknown-9"),
        (["-m", "gpt-4oo", "--in", "3"], 4, "close names are gpt-4o,"),
        (["-m", "text-embedding-3-small", "--in", "3", "--out", "3"], 4, "--price-input and --price-output"),
        (["-m", "gpt-5", "--tier", "flexx", "--in", "3"], 4, "known are batch"),
        (["-m", "gpt-5", "--tier", "flex", "--batch", "--in", "3"], 2, "not for both"),
        (["--price-input", "3", "--in", "3", "--out", "2"], 4, "give --price-output"),
        (["--price-input", "x", "--in", "3"], 2, "--price-input"),
        (["--price-input", "-1", "--in", "3"], 2, "--price-input"),
        ([*OWN, "--in", "3.5"], 2, "--input-tokens"),
        ([*OWN, "--in", "3", "--cached-tokens", "4"], 4, "parts of input_tokens"),
        ([*OWN, "--in", "3", "--text", "Hi"], 2, "leave out the prompt"),
        ([*OWN, "--in", "3", "--unit", "zz"], 2, "NAME=N"),
        ([*OWN, "--in", "3", "--system", "4"], 2, "--turns"),
        ([*OWN, "--in", "3", "--plot", "a.svg"], 2, "--turns"),
        ([*OWN, "--in", "3", "--ms-per-token", "1", "--tokens-per-s", "1"], 2, "give one of them"),
        (["-m", "gpt-4o", "--price-source", "me", "--in", "3"], 2, "prices of your own"),
        ([*OWN, "--turns", "3", "--out", "4"], 2, "--output-tokens"),
        ([*OWN, "--turns", "3", "--text", "Hi"], 2, "takes no text"),
        ([*OWN, "--turns", "3", "--summarize", "3"], 2, "TURNS:TOKENS"),
        ([*OWN, "--turns", "3", "--tool-loop", "1:2"], 2, "CALLS:CALL:RESULT"),
        ([*OWN, "--turns", "3", "--gap", "5"], 2, "--cache"),
        ([*OWN, "--turns", "3"], 2, "--system, --user, --answer"),
        ([*OWN, "--turns", "99999", "--user", "1"], 4, "at most 1,000"),
        ([*OWN, "--turns", "3", "--system", "900", "--trim", "800"], 4, "900 tokens"),
        ([*OWN, "--turns", "3", "--from", "gone.jsonl"], 2, "--turns"),
        ([*OWN, "--from", "gone.jsonl"], 4, "gone.jsonl"),
        (["--from", "gone.jsonl"], 4, "gone.jsonl"),
        ([*OWN, "gone.txt"], 4, "gone.txt"),
        ([*OWN, "a", "b"], 2, "one prompt"),
        (["-m", "zz-unknown-9", "--price-input", "3", "--text", "Hi"], 3, "zz-unknown-9"),
        ([*OWN, "-m", "gpt-4o", "-m", "gpt-5", "--turns", "3", "--plot", "a.svg"], 2, "one model"),
    ],
)  # fmt: skip
def test_refusals(run: Run, args: list[str], code: int, said: str) -> None:
    ran = run("cost", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert said in ran.err


def test_a_log_names_its_own_model(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100}
    (folder / "usage.jsonl").write_text(json.dumps({"model": "gpt-4o", "usage": usage}), encoding="utf-8")
    expected = calc_price(Usage(input_tokens=1_000, output_tokens=100), "gpt-4o").total_price
    for default in ("", "gpt-4o-mini"):  # that of the settings does not price what ran with another
        monkeypatch.setenv("PIECEWORK_MODEL", default)
        (found,) = run("cost", "--from", "usage.jsonl", "--json").json["conversations"]
        assert Decimal(found["total_usd"]) == expected


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'{"usage": 3}', b"\xff\xfe{}", b"[" * 200_000])
def test_logs_that_are_none(run: Run, folder: Path, data: bytes) -> None:
    (folder / "usage.jsonl").write_bytes(data)
    ran = run("cost", *OWN, "--from", "usage.jsonl")
    assert (ran.code, ran.out) == (4, b"")
    assert "usage.jsonl" in ran.err
