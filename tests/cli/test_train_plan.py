"""`train bpe --plan`: what a training will take; nothing is trained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from piecework import train
from tests.cli.conftest import Run

TEXT = "the cat sat on the mat\n" * 30


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")


def test_a_table_and_no_file(run: Run, folder: Path) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "300", "--plan")
    assert (ran.code, ran.err) == (0, "")
    rows = [line[:3] for line in ran.lines]
    assert ["files", "1", "exact"] in rows
    assert ["distinct", "words", "7"] in rows
    assert "\nIt fits: " in ran.text
    assert ran.text.splitlines()[-1].startswith("The corpus fills only ")
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


def test_json_says_of_each_number_what_it_is_worth(run: Run) -> None:
    args = ["--merges", "9", "--pre-tokenizer", "whitespace", "--max-memory", "1GB", "-o", "t.json"]
    value = run("train", "bpe", "a.txt", *args, "--plan", "--json").json
    assert value["schema"] == "piecework.plan/1"
    assert value["file_bytes"]["value"] == len(TEXT)
    assert value["n_words"] == {"value": 180, "basis": "exact", "how": "all were counted"}
    assert value["n_distinct_words"]["value"] == 5
    assert value["max_bytes"] == 1_000_000_000
    assert value["counting_s"]["basis"] == "estimate"
    assert value["fits"] is True


def test_what_does_not_fit_is_a_finding(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    real = train.plan
    advice = (
        "min_word_count=2 would keep about 3 of 7 distinct words, and fit.",
        "max_memory='560.00 MB' would do, and this machine has it.",
        "max_memory='1.25 GB' would do, and this machine has it.",
        "words(part=...) counts on several machines: 4 parts are about 30 minutes each.",
    )

    def planned(**options: Any) -> train.Plan:
        return replace(real(**options), fits=False, advice=advice)

    monkeypatch.setattr(train, "plan", planned)
    ran = run("train", "bpe", "a.txt", "--vocab-size", "300", "--seed", "1", "--mix", "mix.toml", "--plan")
    assert ran.code == 2
    ran = run("train", "bpe", "a.txt", "--vocab-size", "300", "--errors", "skip", "--plan")
    assert ran.code == 1
    in_flags = [
        "--min-word-count 2 would keep about 3 of 7 distinct words, and fit.",
        "--max-memory 560MB would do, and this machine has it.",
        "--max-memory 1.25GB would do, and this machine has it.",
        "train words --part 1/N counts on several machines: 4 parts are about 30 minutes each.",
    ]
    assert ran.text.splitlines()[-4:] == in_flags
    ran = run("train", "bpe", "a.txt", "--vocab-size", "300", "--plan", "--json")
    assert ran.json["advice"] == in_flags


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["-", "--vocab-size", "300"], 2, "--plan looks into FILES"),
        (["--words", "n.tsv", "--vocab-size", "300"], 2, "--plan looks into FILES"),
        (["a.txt"], 2, "one of --vocab-size and --merges"),
        (["none.txt", "--vocab-size", "300"], 4, "error[input]"),
        (["a.txt", "--vocab-size", "300", "--pre-tokenizer", "("], 2, "--pre-tokenizer"),
    ],
)
def test_errors(run: Run, args: list[str], code: int, message: str) -> None:
    ran = run("train", "bpe", *args, "--plan")
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err


def test_a_corpus_of_a_mix(run: Run, folder: Path) -> None:
    mix = '[[source]]\nname = "a"\nfiles = "a.txt"\n'
    (folder / "mix.toml").write_text(mix, encoding="utf-8")
    ran = run("train", "bpe", "--mix", "mix.toml", "--seed", "3", "--vocab-size", "300", "--plan", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.text)["n_words"]["value"] == 210
