"""Compression against vocabulary size, beside tokenizers trained to each size."""

from __future__ import annotations

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
