"""`train words`: counts in files, in parts, and the tokenizer that they give."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text("the cat sat\n" * 3, encoding="utf-8")
    (folder / "b.txt").write_text("the hat\n" * 2, encoding="utf-8")


def test_a_table_of_counts(run: Run, folder: Path) -> None:
    ran = run("train", "words", "a.txt", "b.txt", "--pre-tokenizer", "whitespace", "-o", "n.tsv.gz")
    assert ran.code == 0, ran.err
    assert ran.text == "13 words (4 distinct, 39 bytes) → n.tsv.gz\n"
    lines = gzip.decompress((folder / "n.tsv.gz").read_bytes()).decode().splitlines()
    assert lines[1:] == ["word\tcount", "cat\t3", "hat\t2", "sat\t3", "the\t5"]
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt", "n.tsv.gz"]


def test_parts_give_the_tokenizer_of_the_whole(run: Run) -> None:
    for at in ("1/2", "2/2"):
        value = run(
            "train", "words", "a.txt", "b.txt", "--part", at, "-o", f"part-{at[0]}.tsv", "--json"
        ).json
        assert value["schema"] == "piecework.train-words/1"
        assert value["part"] == [int(at[0]), 2]
        assert value["path"] == f"part-{at[0]}.tsv"
    args = ["--vocab-size", "260", "-o", "t.json", "--json"]
    whole = run("train", "bpe", "a.txt", "b.txt", *args).json
    parts = run("train", "bpe", "--words", "part-1.tsv", "--words", "part-2.tsv", *args)
    assert parts.code == 0, parts.err
    assert parts.json["fingerprint"] == whole["fingerprint"]
    assert parts.json["corpus_fingerprint"] == whole["corpus_fingerprint"]
    missing = run("train", "bpe", "--words", "part-1.tsv", *args)
    assert missing.code == 4
    assert "part 2/2 is missing beside part-1.tsv" in missing.err


def test_counts_of_somebody_else(run: Run, folder: Path) -> None:
    (folder / "n.tsv").write_text("hug\t10\npug\t5\npun\t12\nbun\t4\nhugs\t5\n", encoding="utf-8")
    args = ["--base", "chars", "--vocab-size", "11", "--unk", "<unk>", "-o", "t.json"]
    ran = run("train", "bpe", "--words", "n.tsv", *args)
    assert ran.code == 0, ran.err
    vocab = json.loads((folder / "t.json").read_bytes())["model"]["vocab"]
    assert list(vocab) == ["<unk>", "b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"]


def test_a_broken_count_is_bad_input_with_its_line(run: Run, folder: Path) -> None:
    (folder / "n.tsv").write_text("hug\t10\npug\tmany\n", encoding="utf-8")
    ran = run("train", "bpe", "--words", "n.tsv", "--merges", "3", "-o", "t.json")
    assert ran.code == 4
    assert ran.err.startswith("error[input]: n.tsv: ")
    assert "line 2" in ran.err


def test_counts_that_are_not_utf8_get_no_advice_that_does_not_help(run: Run, folder: Path) -> None:
    (folder / "n.tsv").write_bytes(b"hug\t10\np\xffg\t5\n")
    ran = run("train", "bpe", "--words", "n.tsv", "--merges", "3", "-o", "t.json")
    assert (ran.code, ran.err) == (4, "error[input]: n.tsv is not UTF-8 at byte 8\nhint: words are UTF-8\n")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["a.txt"], 2, "where to? -o counts.tsv.gz"),
        (["a.txt", "-o", "n.csv"], 2, "n.csv"),
        (["a.txt", "-o", "n.tsv", "--part", "3/2"], 2, "part 3/2 is none"),
        (["a.txt", "-o", "n.tsv", "--part", "half"], 2, "it is written I/N, such as 1/8, not 'half'"),
        (["-o", "n.tsv"], 2, "train on what?"),
        (["none.txt", "-o", "n.tsv"], 4, "error[input]"),
        (["a.txt", "-o", "n.tsv", "--min-word-count", "2"], 2, "No such option '--min-word-count'"),
    ],
)
def test_errors(run: Run, folder: Path, args: list[str], code: int, message: str) -> None:
    ran = run("train", "words", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]
