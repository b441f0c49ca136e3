"""`train curve`: compression against the size of the vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "shells.txt").write_text("she sells sea shells by the sea shore\n" * 2, encoding="utf-8")
    (folder / "held.txt").write_text("she sees the shore", encoding="utf-8")


def test_the_table(run: Run) -> None:
    ran = run(
        "train",
        "curve",
        "shells.txt",
        "--held-out",
        "held.txt",
        "--vocab-size",
        "270",
        "--sizes",
        "256,260,270",
    )
    assert ran.code == 0, ran.err
    assert ran.text.splitlines() == [
        "text  entries  tokens  bytes/token  characters/token",
        "held      256      18        1.000             1.000",
        "held      260      13        1.385             1.385",
        "held      270       8        2.250             2.250",
    ]


def test_options_of_the_training_are_no_options_of_the_measuring(run: Run, folder: Path) -> None:
    (folder / "held.jsonl").write_text('{"body": "she sees"}\n', encoding="utf-8")
    args = [
        "--vocab-size",
        "264",
        "--sizes",
        "256",
        "--max-memory",
        "1GB",
        "--threads",
        "1",
        "--errors",
        "skip",
    ]
    args += ["--min-word-count", "2", "--field", "body", "--normalizer", "nfc"]
    ran = run("train", "curve", "shells.txt", "--held-out", "held.jsonl", *args)
    assert ran.code == 0, ran.err
    assert ran.lines[1] == ["held", "256", "8", "1.000", "1.000"]


def test_several_texts_as_json(run: Run, folder: Path) -> None:
    args = ["--held-out", "held.txt", "--held-out", "again=shells.txt", "--vocab-size", "264"]
    ran = run("train", "curve", "shells.txt", *args, "--json", "-o", "curve.json")
    assert (ran.code, ran.out) == (0, b"")
    value = json.loads((folder / "curve.json").read_bytes())
    assert value["schema"] == "piecework.train-curve/1"
    assert [curve["name"] for curve in value["curves"]] == ["held", "again"]
    tok = pw.train.bpe(files=["shells.txt"], vocab_size=264)
    points = pw.train.curve(tok, files=["shells.txt"]).to_dict()["points"]
    assert value["curves"][1]["points"] == points
    assert value["fingerprint"] == tok.fingerprint


def test_a_picture(run: Run, folder: Path) -> None:
    args = [
        "--held-out",
        "held.txt",
        "--held-out",
        "again=shells.txt",
        "--vocab-size",
        "264",
        "--sizes",
        "256,264",
    ]
    ran = run("train", "curve", "shells.txt", *args, "--plot", "curve.json")
    assert ran.code == 0, ran.err
    points = json.loads((folder / "curve.json").read_bytes())["datasets"]["points"]
    assert [(point["series"], point["vocab_size"]) for point in points] == [
        ("held", 256),
        ("held", 264),
        ("again", 256),
        ("again", 264),
    ]
    assert points[0]["bytes_per_token"] == 1.0


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--vocab-size", "270"], 2, "measured on what?"),
        (["--held-out", "held.txt"], 2, "--vocab-size"),
        (["--held-out", "none.txt", "--vocab-size", "270"], 4, "error[input]: none.txt"),
        (["--held-out", "=held.txt", "--vocab-size", "270"], 2, "it is written NAME=FILE"),
        (["--held-out", "held.txt", "--held-out", "held.txt", "--vocab-size", "270"], 2, "held is there twice"),
        (["--held-out", "held.txt", "--vocab-size", "270", "--sizes", "256,x"], 2, "no whole numbers with commas"),
        (["--held-out", "held.txt", "--vocab-size", "270", "--sizes", "300"], 2, "a size lies from 256 to 270, and 300 does not"),
        (["--held-out", "held.txt", "--vocab-size", "270", "--plot", "x.pdf"], 2, "a chart is saved as"),
    ],
)  # fmt: skip
def test_errors(run: Run, folder: Path, args: list[str], code: int, message: str) -> None:
    ran = run("train", "curve", "shells.txt", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["held.txt", "shells.txt"]


def test_a_name_with_an_equals_sign_is_a_file_where_there_is_one(run: Run, folder: Path) -> None:
    (folder / "a=b.txt").write_text("she", encoding="utf-8")
    ran = run(
        "train", "curve", "shells.txt", "--held-out", "a=b.txt", "--vocab-size", "258", "--sizes", "256"
    )
    assert ran.text.splitlines()[1].split() == ["a=b", "256", "3", "1.000", "1.000"]
