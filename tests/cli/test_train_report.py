"""`train … --held-out`: the closing report, and the record beside the tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import transformers

import piecework as pw
from piecework import train
from tests.cli.conftest import Run

HELD = "".join(f"the cat sat on mat {at}\n" for at in range(40))


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text("the cat sat on the mat\nthe hat of the cat\n" * 20, encoding="utf-8")
    (folder / "held.txt").write_text(HELD, encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "bad.txt").write_bytes(b"\xff")
    (folder / "h.jsonl").write_text('{"words": "the cat sat"}\n' * 30, encoding="utf-8")


def test_the_report_and_the_record_say_the_same(run: Run, folder: Path) -> None:
    args = ["--vocab-size", "270", "--held-out", "cats=held.txt", "--rival", "gpt2", "-o", "made"]
    ran = run("train", "bpe", "a.txt", *args)
    assert ran.code == 0, ran.err
    tok = pw.load(folder / "made")
    n_rival = pw.load("gpt2").count(HELD)
    domain = [
        "cats",
        f"{len(HELD):,}",
        "40",
        f"{len(HELD) / tok.count(HELD):.3f}",
        f"{len(HELD) / n_rival:.3f}",
    ]
    assert domain in ran.lines
    assert "Where it loses: cats to gpt2." in ran.text
    assert "made/training.json;" in ran.lines[-1]

    record = json.loads((folder / "made" / "training.json").read_bytes())
    assert record["schema"] == "piecework.training/1"
    assert record["fingerprint"] == tok.fingerprint
    assert record["options"]["vocab_size"] == 270
    (found,) = record["closing_report"]["domains"]
    assert found["n_tokens"] == tok.count(HELD)
    assert [(rival["name"], rival["n_tokens"]) for rival in found["rivals"]] == [("gpt2", n_rival)]
    again = run("train", "bpe", "a.txt", *args, "--json").json
    assert again["closing_report"] == record["closing_report"]


def test_the_folder_with_its_record_loads_in_transformers(run: Run, folder: Path) -> None:
    assert run("train", "bpe", "a.txt", "--vocab-size", "270", "-o", "made").code == 0
    assert sorted(path.name for path in (folder / "made").iterdir()) == [
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "training.json",
    ]
    reference = transformers.AutoTokenizer.from_pretrained(str(folder / "made"))
    assert reference("the cat")["input_ids"] == pw.load(folder / "made").ids("the cat").tolist()


def test_one_file_has_no_record_beside_it(run: Run, folder: Path) -> None:
    assert run("train", "wordlevel", "a.txt", "--vocab-size", "9", "-o", "w.json").code == 0
    assert [path.name for path in folder.glob("*.json")] == ["w.json"]


def test_records_that_are_held_out(run: Run) -> None:
    args = ["--vocab-size", "270", "--held-out", "h.jsonl", "--field", "words", "-o", "t.json", "--json"]
    (domain,) = run("train", "bpe", "a.txt", *args).json["closing_report"]["domains"]
    assert (domain["name"], domain["n_units"], domain["n_bytes"]) == ("h", 30, 30 * len("the cat sat"))


def test_without_rivals_named_it_is_measured_beside_the_usual_ones(run: Run) -> None:
    args = ["--vocab-size", "9", "--unk", "<unk>", "--held-out", "held.txt", "-o", "w.json", "--json"]
    report = run("train", "wordlevel", "a.txt", *args).json["closing_report"]
    assert [rival["name"] for rival in report["total"]["rivals"]] == ["o200k_base", "qwen3"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--held-out", "none.txt"], 4, "error[input]: none.txt: No such file or directory"),
        (["--held-out", "held.txt", "--rival", "no-such-model"], 3, "error[unknown-tokenizer]"),
        (["--held-out", "held.txt", "--rival", "gpt2", "--rival", "gpt2"], 2, "--rival gpt2 is there twice"),
        (["--held-out", "empty.txt"], 4, "error[empty-corpus]: the held-out domain 'empty' has no text"),
        (["--held-out", "bad.txt"], 4, "error[not-unicode]"),
        (["--held-out", "h.jsonl", "--field", "body"], 4, "hint: --field names the field of the text"),
        (["--rival", "gpt2"], 2, "--rival is measured on --held-out FILE"),
        (["--held-out", "held.txt", "--held-out", "held.txt"], 2, "held is there twice"),
    ],
)
def test_what_is_not_there_is_said_before_the_work(
    run: Run, folder: Path, args: list[str], code: int, message: str
) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "270", "-o", "t.json", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err
    assert not (folder / "t.json").exists()


def test_a_tokenizer_that_cannot_be_measured_is_saved(run: Run, folder: Path) -> None:
    args = ["--base", "chars", "--pre-tokenizer", "whitespace", "--merges", "3", "--held-out", "held.txt"]
    ran = run("train", "bpe", "a.txt", *args, "-o", "t.json")
    # It knows no digit, and has no token for what it does not know.
    assert ran.code == 4, ran.err
    assert ran.err.startswith("the tokenizer is saved to t.json, and not measured\nerror[")
    assert pw.load(folder / "t.json").vocab_size == 10 + 3


def test_ctrl_c_while_it_is_measured_leaves_the_tokenizer_and_its_record(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "report", interrupted)
    ran = run("train", "bpe", "a.txt", "--vocab-size", "270", "--held-out", "held.txt", "-o", "made")
    assert (ran.code, ran.out) == (130, b"")
    assert ran.err.splitlines()[0].endswith("made/training.json, and not measured")
    record = json.loads((folder / "made" / "training.json").read_bytes())
    assert record["fingerprint"] == pw.load(folder / "made").fingerprint
    assert "closing_report" not in record


def test_what_a_folder_does_not_say_is_noted(run: Run) -> None:
    ran = run("train", "bpe", "a.txt", "--vocab-size", "270", "--special-token", "<|x|>", "-o", "made")
    assert ran.code == 0
    assert "note: not in what is saved: what tokens are for" in ran.err


def test_errors_say_what_becomes_of_held_out_text_too(run: Run, folder: Path) -> None:
    (folder / "mixed.txt").write_bytes(b"the cat\nthe \xff\nthe mat\n")
    args = [
        "train",
        "bpe",
        "a.txt",
        "--vocab-size",
        "257",
        "--held-out",
        "mixed.txt",
        "-o",
        "t.json",
        "--json",
    ]
    for errors, n_units, n_bytes in (("skip", 2, 16), ("replace", 3, 24)):
        (domain,) = run(*args, "--errors", errors).json["closing_report"]["domains"]
        assert (domain["n_units"], domain["n_bytes"]) == (n_units, n_bytes)
