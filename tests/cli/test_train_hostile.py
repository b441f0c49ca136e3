"""What is wrong about a training's command is said of the command; what is wrong in Piecework is said to be a bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from piecework import train
from piecework.errors import FormatError
from tests.cli.conftest import Run

ARGS = ["train", "bpe", "a.txt", "--vocab-size", "262", "-o", "t.json"]


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text("the cat sat on the mat\n" * 9, encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--max-memory", "99999999999TB"], "--max-memory is a number of bytes from 0 to 2**63 - 1, not 99999999999TB"),
        (["--max-memory", "1MB"], "--max-memory is 1.00 MB, and training takes at least 256.00 MB: a text and its threads"),
        (
            ["--special-token", "Ġt"],
            ("--special-token has 'Ġt', which is how a saved tokenizer writes a token of 2 bytes: it could not be told from "
            "that one"),
        ),
        (["--special-token", "<s>", "--special-token", "<s>"], "the special token '<s>' is given twice"),
        (["--unk", "<unk>"], "--unk goes with --base chars: every text is made of the 256 bytes"),
        (["--ties", "first-seen"], "--ties first-seen counts anew after each merge: it goes with --steps"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_argument_is_usage(run: Run, folder: Path, more: list[str], message: str) -> None:
    ran = run(*ARGS, *more)
    assert ran.code == 2
    assert ran.err.splitlines()[0] == f"error[usage]: {message}"
    assert [path.name for path in folder.iterdir()] == ["a.txt"]


def test_a_bug_is_no_usage(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> object:
        return int("no number")

    monkeypatch.setattr(train, "bpe", broken)
    ran = run(*ARGS)
    assert ran.code == 70
    assert ran.err.startswith(
        "error[internal]: ValueError: invalid literal for int() with base 10: 'no number'\n"
    )


def test_an_error_of_a_file_is_not_blamed_on_the_pattern(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> object:
        raise FormatError("decoder: no such type", place="decoder", reason="no such type")

    monkeypatch.setattr(train, "bpe", broken)
    ran = run(*ARGS)
    assert ran.code == 3
    assert ran.err.startswith("error[format]: decoder: no such type")


def test_a_broken_pattern_is_that_of_the_file_that_has_it(run: Run, folder: Path) -> None:
    meta = (
        '{"pre_tokenizer": "(a", "normalizer": null, "inputs": null, "part": null, "mix": null, '
        '"n_words": 3, "n_bytes": 6, "n_invalid": 0}'
    )
    (folder / "k.tsv").write_text(f"# piecework.words/1 {meta}\nab\t3\n", encoding="utf-8")
    ran = run("train", "bpe", "--words", "k.tsv", "--vocab-size", "257", "-o", "t.json")
    assert ran.code == 4
    assert ran.err.startswith("error[input]: k.tsv: its pre_tokenizer is not a pattern: ")


def test_a_sum_that_is_too_large_names_the_file(run: Run, folder: Path) -> None:
    (folder / "k.tsv").write_text(f"a\t{2**63 - 1}\nb\t1\n", encoding="utf-8")
    for args in (["bpe", "--vocab-size", "257", "-o", "t.json"], ["words", "-o", "n.parquet"]):
        ran = run("train", *args, "--words", "k.tsv")
        assert (ran.code, ran.err.splitlines()) == (
            4,
            [
                "error[train]: the counts of k.tsv come to over 2**63 - 1 words in all",
                "hint: divide all counts by the same number",
            ],
        )
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "k.tsv"]
