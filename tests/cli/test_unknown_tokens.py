"""Unknown tokens: said where they occur, since the text is lost then, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

BERT = ("-m", "bert-base-uncased")
LOST = "1 token is [UNK]: this text cannot be got back from its ids\n"


def test_a_count_says_what_is_lost(run: Run) -> None:
    ran = run("count", "--text", "a 𓀀 b", *BERT)
    assert (ran.code, ran.text) == (0, "3\n")
    assert LOST in ran.err
    assert run("count", "-q", "--text", "a 𓀀 b", *BERT).err == ""
    ran = run("count", "--json", "--text", "𓀀 𓀀", *BERT, "-m", "gpt-4o", "-m", "t5")
    assert [row["n_unknown"] for row in ran.json["tokenizers"]] == [2, 0, 2]
    assert "2 tokens are [UNK]: " in ran.err
    assert "2 tokens are <unk>: " in ran.err


@pytest.mark.parametrize("text", ["a b", "a [UNK] b"])
@pytest.mark.parametrize("special", ["text", "parse"])
def test_nothing_is_said_where_nothing_is_lost(run: Run, text: str, special: str) -> None:
    ran = run("count", "--text", text, "--special", special, *BERT)
    assert "cannot be got back" not in ran.err
    assert "cannot be got back" not in run("count", "--text", "a 𓀀 b", "-m", "gpt-4o").err


def test_several_texts_are_summed(run: Run) -> None:
    Path("a").write_text("𓀀 x", encoding="utf-8")
    Path("b").write_text("𓀀 𓀀", encoding="utf-8")
    err = run("count", "a", "b", *BERT).err
    assert "bert-base-uncased: 3 tokens are [UNK]: their texts cannot be got back from the ids\n" in err


def test_encoding_says_it_too(run: Run) -> None:
    assert LOST in run("encode", "--text", "a 𓀀 b", *BERT).err
    assert run("encode", "-q", "--text", "a 𓀀 b", *BERT).err == ""
    assert "got back" not in run("encode", "--text", "a b", *BERT).err


def test_decoding_says_it_too(run: Run) -> None:
    ran = run("decode", "1037", "100", *BERT)
    assert "1 id is [UNK]: the text that was there cannot be got back\n" in ran.err
    assert run("decode", "-q", "1037", "100", *BERT).err == ""
    assert "got back" not in run("decode", "1037", *BERT).err
