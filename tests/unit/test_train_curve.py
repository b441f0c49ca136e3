"""Compression against vocabulary size, beside tokenizers trained to each size."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tools import fixtures

ENGLISH = fixtures.text_file("english", "novel").path.read_bytes()[:120_000].decode("utf-8", "ignore")
TRAIN, HELD_OUT = ENGLISH[:90_000].split("\n\n"), ENGLISH[90_000:].split("\n\n")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"base": "chars", "pre_tokenizer": "whitespace", "unk": "<unk>", "normalizer": "nfc"},
        {"special_tokens": ["<s>"], "pre_tokenizer": "gpt2"},
        # Merges that would make a special token, and those that start from one, are none.
        {"special_tokens": ["the", "<s>", "in"], "pre_tokenizer": "gpt2"},
        {"id_layout": "bytes", "special_tokens": ["</s>"], "max_token_length": 6, "normalizer": "lowercase"},
        {"base": "chars", "pre_tokenizer": "whitespace", "unk": "?", "continuing_subword_prefix": "##"},
        {"base": "chars", "pre_tokenizer": "whitespace", "unk": "?", "end_of_word_suffix": "</w>"},
        {"base": "chars", "pre_tokenizer": "whitespace", "unk": "?", "end_of_word": "_"},
    ],
)
def test_each_size_is_what_training_to_it_gives(options: dict[str, Any]) -> None:
    tok = pw.train.bpe(texts=TRAIN, vocab_size=1500, **options)
    sizes = [300, 301, 500, 900, 1500]
    found = pw.train.curve(tok, texts=HELD_OUT, sizes=sizes)
    assert [point.vocab_size for point in found.points] == sizes
    for point in found.points:
        smaller = pw.train.bpe(texts=TRAIN, vocab_size=point.vocab_size, **options)
        assert point.n_tokens == sum(smaller.count(text) for text in HELD_OUT)
        assert point.bytes_per_token == found.n_bytes / point.n_tokens


def test_at_256_entries_it_is_one_byte_a_token() -> None:
    tok = pw.train.bpe(texts=TRAIN, vocab_size=1000)
    found = pw.train.curve(tok, texts=["é🙂 text"])
    assert [point.vocab_size for point in found.points] == [256, 512, 1000]
    assert found.points[0].bytes_per_token == 1
    assert found.points[0].chars_per_token == 7 / 11
    assert found.to_dict()["schema"] == "piecework.curve/1"


def test_a_character_without_an_entry_is_a_token() -> None:
    tok = pw.train.bpe(words={"abab": 2}, n_merges=2, base="chars")
    (_, last) = pw.train.curve(tok, words={"abéab": 3}).points
    assert (last.vocab_size, last.n_merges, last.n_tokens) == (4, 2, 9)


def test_words_count_as_often_as_they_occur() -> None:
    tok = pw.train.bpe(words={"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, n_merges=3, base="chars")
    points = pw.train.curve(tok, words={"hugs": 7, "bun": 2}, sizes=[7, 8, 9, 10]).points
    assert [point.n_tokens for point in points] == [
        7 * 4 + 2 * 3,
        7 * 3 + 2 * 3,
        7 * 3 + 2 * 2,
        7 * 2 + 2 * 2,
    ]
    with pytest.raises(pw.TrainError, match="bytes of words in all"):
        pw.train.curve(tok, words={"hugs": 1 << 62})


def test_held_out_records(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"body": "the cat"}\n{"body": "sat"}\n', encoding="utf-8")
    tok = pw.train.bpe(texts=TRAIN, vocab_size=300)
    found = pw.train.curve(tok, files=[tmp_path / "a.jsonl"], field="body", sizes=[256, 300])
    assert found == pw.train.curve(tok, texts=["the cat", "sat"], sizes=[256, 300])
    assert found.n_bytes == 10


def test_a_long_word_takes_no_time_of_its_own() -> None:
    with pytest.warns(pw.PieceworkWarning):
        tok = pw.train.bpe(texts=["ab" * 40], n_merges=8, pre_tokenizer=None)
    # A quarter of a million symbols in one word: pairs are looked up in a queue, not searched for.
    found = pw.train.curve(tok, texts=["ab" * 131_072])
    assert found.points[-1].n_tokens == tok.count("ab" * 131_072)


def test_it_is_drawn_as_a_line() -> None:
    tok = pw.train.bpe(texts=TRAIN, vocab_size=1000)
    found = pw.train.curve(tok, texts=HELD_OUT)
    data = pw.plot(found).to_dict()["datasets"]["points"]
    assert [point["vocab_size"] for point in data] == [256, 512, 1000]
    assert [point["bytes_per_token"] for point in data] == [point.bytes_per_token for point in found.points]
    data = pw.plot(found, measure="characters_per_token").to_dict()["datasets"]["points"]
    assert data[-1]["characters_per_token"] == found.points[-1].chars_per_token


def test_what_is_refused() -> None:
    tok = pw.train.bpe(texts=TRAIN, vocab_size=300)
    with pytest.raises(ValueError, match="from 256 to 300, and 301 does not"):
        pw.train.curve(tok, texts=HELD_OUT, sizes=[301])
    with pytest.raises(ValueError, match=r"piecework\.train\.bpe made"):
        pw.train.curve(pw.load("gpt-4o"), texts=HELD_OUT)
    with pytest.raises(TypeError, match="one of files="):
        pw.train.curve(tok)
    with pytest.raises(pw.EmptyCorpusError):
        pw.train.curve(tok, texts=[])


def test_nobody_is_warned_of_how_a_tokenizer_that_is_there_cuts_words() -> None:
    tok = pw.train.bpe(words={"hug": 10, "pug": 5}, vocab_size=258)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pw.train.curve(tok, texts=["hug pug"])
    assert found.points[-1].n_tokens == tok.count("hug pug") == 4
