"""`piecework train`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

import piecework as pw
from tests.cli.conftest import Run

TEXT = "the cat sat on the mat\nthe hat of the cat\n" * 20


def test_a_folder_that_loads(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    ran = run("train", "bpe", "a.txt", "--vocab-size", "270", "--special-token", "<s>", "-o", "made")
    assert ran.code == 0, ran.err
    assert "270 entries: 256 alphabet, 13 merges" in ran.text
    tok = pw.load(str(folder / "made"))
    same = pw.train.bpe(files=[folder / "a.txt"], vocab_size=270, special_tokens=["<s>"])
    assert tok.ids("the cat <s>") == same.ids("the cat <s>")
    reference = tokenizers.Tokenizer.from_file(str(folder / "made" / "tokenizer.json"))
    assert tok.ids("the hat").tolist() == reference.encode("the hat").ids


def test_json(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    args = ["--base", "chars", "--pre-tokenizer", "whitespace", "--unk", "<unk>", "--merges", "3"]
    value = run("train", "bpe", "a.txt", *args, "-o", "t.json", "--json").json
    assert value["schema"] == "piecework.train/1"
    assert value["report"]["n_merges"] == 3
    assert value["options"]["unk"] == "<unk>"
    assert [Path(path).name for path in value["paths"]] == ["t.json"]
    assert json.loads((folder / "t.json").read_bytes())["model"]["unk_token"] == "<unk>"


def test_wordlevel(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    ran = run("train", "wordlevel", "a.txt", "--vocab-size", "4", "--unk", "<unk>", "-o", "w.json")
    assert ran.code == 0, ran.err
    vocab = json.loads((folder / "w.json").read_bytes())["model"]["vocab"]
    assert vocab == {"<unk>": 0, "the": 1, "cat": 2, "hat": 3}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["bpe", "a.txt", "--vocab-size", "300"], 2, "where to?"),
        (["bpe", "a.txt", "-o", "t.json"], 2, "one of --vocab-size and --merges"),
        (["bpe", "a.txt", "--vocab-size", "30", "-o", "t.json"], 4, "error[vocab-size]"),
        (["bpe", "none.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[input]"),
        (["bpe", "empty.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[empty-corpus]"),
        (["bpe", "bad.txt", "--vocab-size", "300", "-o", "t.json"], 4, "error[not-unicode]"),
        (["bpe", "a.txt", "--merges", "3", "--pre-tokenizer", "(", "-o", "t.json"], 2, "--pre-tokenizer"),
        (["bpe", "a.txt", "--merges", "3", "--unk", "?", "-o", "t.json"], 2, 'base="chars"'),
        (["wordlevel", "a.txt", "--merges", "3", "-o", "t.json"], 2, "wordlevel takes no --merges"),
        (["unigram", "a.txt", "-o", "t.json"], 2, "unigram"),
    ],
)
def test_errors(run: Run, folder: Path, args: list[str], code: int, message: str) -> None:
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "bad.txt").write_bytes(b"a \xff b\n")
    ran = run("train", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert message in ran.err
    assert not (folder / "t.json").exists()
