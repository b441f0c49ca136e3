"""The example inputs are what the documents say of them, and the demo runs on them."""

from __future__ import annotations

import csv
import doctest
import io
import json
import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import piecework as pw
from piecework._files.registry import ENCODINGS
from tools import demo

# Tokens under Qwen3, computed with its own tokenizer.json in Hugging Face's library.
QWEN3_COUNTS = {
    "en": 14, "pt": 25, "es": 25, "fr": 23, "de": 20, "ru": 29, "ar": 25, "hi": 58, "zh": 12, "ja": 21, "emoji": 10,
    "numbers": 33,
}  # fmt: skip


def load_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("language", "n_tokens"), QWEN3_COUNTS.items())
def test_languages_count_what_the_reference_counts(examples: Path, language: str, n_tokens: int) -> None:
    text = (examples / "languages" / f"{language}.txt").read_bytes()
    assert pw.load("qwen3").count(text) == n_tokens


def test_there_are_fourteen_languages_and_forms(examples: Path) -> None:
    assert sorted(path.stem for path in (examples / "languages").iterdir()) == sorted(demo.LANGUAGES)
    assert len(demo.LANGUAGES) == 14


def test_conversation_answers_every_tool_call_with_a_known_tool(examples: Path) -> None:
    messages = load_json(examples / "support_conversation.json")
    tools = {tool["function"]["name"] for tool in load_json(examples / "support_tools.json")}
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert [call["id"] for call in calls] == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert {call["function"]["name"] for call in calls} <= tools
    for call in calls:
        assert json.loads(call["function"]["arguments"])


def test_review_forges_turns_of_every_family(examples: Path) -> None:
    text = (examples / "forged.txt").read_text(encoding="utf-8")
    forged = {name: [item.token for item in pw.load(name).encode(text).forged] for name in demo.BUNDLED}
    assert forged["qwen3"].count("<|im_start|>") == text.count("<|im_start|>") == 3
    assert "<tool_call>" in forged["qwen3"]
    assert "<|channel|>" in forged["o200k_harmony"]
    assert all("<|endoftext|>" in tokens for tokens in forged.values())
    for name, tokens in forged.items():
        assert not set(pw.load(name).ids(text)) & {pw.load(name).id(token) for token in tokens}


def test_source_file_runs(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = runpy.run_path(str(examples / "duplicate_charges.py"))
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for test in finder.find(source["duplicates"], "duplicates", globs=dict(source)):
        runner.run(test)
    assert runner.summarize(verbose=False) == doctest.TestResults(failed=0, attempted=4)
    payments = tmp_path / "payments.csv"
    with payments.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [
                source["COLUMNS"],
                ["pay_01", "HL-20418", "112.0", "usd", "2026-09-12T18:05:01"],
                ["pay_02", "HL-20418", "112.0", "usd", "2026-09-12T18:05:03"],
            ]
        )
    assert source["main"]([str(payments)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "HL-20418: pay_02 repeats pay_01 (112.0 USD)",
        "to refund: 112.0 USD",
    ]


def test_newest_that_fit_stops_at_the_first_that_does_not() -> None:
    assert demo.newest_that_fit([1, 50, 2, 3], 10) == 2
    assert demo.newest_that_fit([1, 2, 3], 6) == 3
    assert demo.newest_that_fit([7], 6) == 0
    assert demo.newest_that_fit([], 6) == 0


def run_demo(root: Path, code: str = "", **environment: str) -> str:
    run = "import runpy; runpy.run_module('tools.demo', run_name='__main__')"
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONIOENCODING")
    }
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{run}"],
        cwd=root,
        env={**inherited, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_demo_runs_without_network_and_ends_with_three_things(root: Path) -> None:
    assert hasattr(socket.socket, "connect")
    out = run_demo(
        root, "import socket\ndef refuse(*_): raise OSError('no network')\nsocket.socket.connect = refuse"
    )
    assert "\x1b" not in out, "colors belong to terminals"
    for expected in ("bodies only", "What is forged?", "What fits into 512 tokens?", "Hindi"):
        assert expected in out
    commands = [
        line.split() for line in out.rpartition("Try next")[2].splitlines() if ".venv/bin/piecework " in line
    ]
    assert [words[1] for words in commands] == ["show", "chat", "train"]
    assert commands[2][-2:] == ["-o", "target/my-tokenizer"], "it is whole on its line"
    assert f"{len(ENCODINGS)} bundled tokenizers loaded" in out
    left_out = " ".join(out.partition("Not shown: ")[2].split())
    assert all(name in left_out[:120] for name in set(ENCODINGS) - set(demo.BUNDLED))


@pytest.mark.parametrize(("columns", "width"), [(None, 80), ("0", 80), ("96", 96)])
def test_demo_in_a_pipe_is_as_wide_as_columns_says(root: Path, columns: str | None, width: int) -> None:
    out = run_demo(root, **({} if columns is None else {"COLUMNS": columns}))
    # Commands are whole, to be copied.
    lines = [line for line in out.splitlines() if ".venv/bin/" not in line]
    assert len(lines[1]) == max(map(len, lines)) == width
    assert not [line for line in out.splitlines() if line and not line.strip()], "blank lines are empty"


def test_demo_survives_an_output_that_is_only_ascii(root: Path) -> None:
    out = run_demo(root, PYTHONIOENCODING="ascii")
    assert out.isascii()
    assert "? stands for each sign it lacks" in out


def test_demo_parts_pieces_where_sixteen_colors_cannot() -> None:
    shown = {}
    for system in ("standard", "256"):
        console = Console(
            file=io.StringIO(), force_terminal=True, color_system=system, width=100, no_color=False
        )
        demo.show_pieces(console, {name: pw.load(name) for name in demo.BUNDLED})
        assert isinstance(console.file, io.StringIO)
        shown[system] = console.file.getvalue()
    assert "·if|·user" in shown["standard"]
    assert "\x1b[30;48;5;" in shown["256"]
    assert "·if|·user" not in shown["256"]


def test_edit_encoding_counts_what_its_base_counts(examples: Path) -> None:
    edit, base = pw.load(demo.REPEATING), pw.load("p50k_base")
    for path in filter(Path.is_file, examples.rglob("*")):
        assert edit.ids(path.read_bytes()) == base.ids(path.read_bytes()), path.name
