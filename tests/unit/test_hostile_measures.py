"""What hostile content tried on cheaper forms and comparisons: each ends in a result or a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

import piecework as pw


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.load("gpt-4o")


def test_an_exponent_beyond_all_decimals_stays_as_it_is_spelled(tok: pw.Tokenizer) -> None:
    slimmed = pw.slim("[1e99999999999999999999999, 2.0]", tok)
    assert slimmed["json-min"].text == "[1e99999999999999999999999,2.0]"
    assert slimmed["json-min"].is_same_data
    assert (
        "e99999999999999999999999"
        in pw.slim("[1e99999999999999999999999, 2.50]", tok, decimals=1)["rounded-1"].text
    )


@pytest.mark.parametrize("text", ["!!bool [a]", "!!float [1]", "!!str [a, b]", "!!str {a: b}", "!!seq foo"])
def test_a_yaml_tag_before_something_else_is_refused(tok: pw.Tokenizer, text: str) -> None:
    with pytest.raises(pw.InputError, match="tagged as"):
        pw.slim(text, tok, source="yaml")


def test_data_that_nest_too_deep_are_refused(tok: pw.Tokenizer, tmp_path: Path) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(pw.InputError, match="nested too deep"):
        pw.slim(deep, tok)
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000 + "]" * 100_000 + "\n", encoding="utf-8")
    with pytest.raises(pw.InputError, match="line 1 is nested too deep"):
        pw.compare(tok, path)


@pytest.mark.parametrize("text", ["", "\n\n\n", "  "])
def test_nothing_is_text_and_no_empty_list(tok: pw.Tokenizer, text: str) -> None:
    assert pw.slim(text, tok).source == "text"


def test_long_runs_of_spaces_are_looked_at_once(tok: pw.Tokenizer) -> None:
    # From every place in them, they took minutes.
    text = "a" + " " * 300_000 + "b"
    assert pw.slim(text, tok)["white-space"].text == text
    assert tok.quirks(text).n_tokens == tok.count(text)


def test_the_costliest_of_many_words_are_found_in_one_pass(tok: pw.Tokenizer, tmp_path: Path) -> None:
    words = [f"{number * 2_654_435_761 % 2**40:x}" for number in range(1, 20_001)]
    path = tmp_path / "words.txt"
    path.write_text(" ".join(words), encoding="utf-8")
    worst = pw.compare(tok, path, worst=[str(path)], n_resamples=0).worst[0]
    # A space before a digit is a token of its own, and none of the word's.
    assert worst.n_tokens == max(
        sum(piece != " " for piece in tok.encode(f" {word}").pieces) for word in words
    )
    assert "".join(worst.pieces).strip() == worst.word


def test_broken_text_is_replaced_on_request(tok: pw.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    path.write_bytes(b"hi \xff there\n")
    with pytest.raises(pw.InputError, match="no UTF-8 at byte 3"):
        pw.compare(tok, path)
    assert pw.compare(tok, path, errors="replace").texts[0].n_characters == 11


def test_a_picture_makes_no_folder(tok: pw.Tokenizer, tmp_path: Path) -> None:
    chart = pw.plot(tok.explain(" castanha"))
    with pytest.raises(pw.OutputError, match="folder does not exist"):
        chart.save(tmp_path / "nowhere" / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_byte_order_mark_is_no_data(tok: pw.Tokenizer) -> None:
    assert pw.slim('\ufeff[{"a": 1}]', tok)["json-min"].text == '[{"a":1}]'
    assert pw.slim("\ufeffa,b\n1,2\n", tok, source="csv")["json-min"].text == '[{"a":"1","b":"2"}]'
