"""What the worked cases say beyond their merges: every count before the first, ids elsewhere, bytes of any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, trainers

import piecework as pw

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
NEWER = {"low": 5, "lower": 2, "new": 6, "newer": 3}


def test_ids_of_hug_are_those_of_bpe_trainer_and_the_file_loads_there(tmp_path: Path) -> None:
    reference = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    reference.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=11, special_tokens=["<unk>"], show_progress=False)
    reference.train_from_iterator([" ".join([word] * n) for word, n in HUGS.items()], trainer)
    tok = pw.train.bpe(words=HUGS, vocab_size=11, base="chars", unk="<unk>")
    saved = tokenizers.Tokenizer.from_file(str(tok.save(tmp_path / "tokenizer.json").paths[0]))
    expected = {
        "<unk>": 0, "b": 1, "g": 2, "h": 3, "n": 4, "p": 5, "s": 6, "u": 7, "ug": 8, "un": 9, "hug": 10
    }  # fmt: skip
    assert saved.get_vocab() == reference.get_vocab() == expected
    for word, ids in {"hug": [10], "bug": [1, 8], "mug": [0, 8], "pugs": [5, 8, 6]}.items():
        assert tok.ids(word).tolist() == saved.encode(word).ids == reference.encode(word).ids == ids


def test_every_count_before_the_first_merge_of_newer() -> None:
    tok = pw.train.bpe(
        words=NEWER, n_merges=6, base="chars", end_of_word="_", ties="lexicographic", steps=True
    )
    assert tok.training is not None
    first = tok.training.steps[0]
    assert {"".join(pair): n for pair, n in first.counts.items()} == {
        "w_": 11, "ne": 9, "ew": 9, "lo": 7, "ow": 7, "we": 5, "er": 5, "r_": 5
    }  # fmt: skip
    assert tok.training.base_order == tuple("lowern_")
    assert tok.training.alphabet == tuple("elnorw_")
    assert tok.training.pieces("newest")[:-1] == ["ne", "w", "e", "s", "t"]


def test_the_base_in_its_order_with_prefixes_and_suffixes() -> None:
    words = {"ba": 3, "cab": 2}
    options: dict[str, Any] = {"n_merges": 1, "base": "chars", "steps": True}
    prefixed = pw.train.bpe(words=words, continuing_subword_prefix="##", **options).training
    suffixed = pw.train.bpe(words=words, end_of_word_suffix="</w>", **options).training
    assert prefixed is not None
    assert suffixed is not None
    assert prefixed.base_order == ("b", "##a", "c", "##b")
    assert suffixed.base_order == ("b", "a</w>", "c", "a", "b</w>")
    plain = pw.train.bpe(words=words, n_merges=1, base="chars").training
    assert plain is not None
    assert plain.base_order == plain.alphabet == ("a", "b", "c")


UNTRAINED = pw.train.bpe(words={"x": 1}, n_merges=0, id_layout="bytes")
TRAINED = pw.train.bpe(texts=["she sells sea shells", "é🙂 é🙂"], vocab_size=262, id_layout="bytes")


@given(st.text())
def test_no_text_is_unknown_and_no_count_is_over_the_bytes(text: str) -> None:
    assert UNTRAINED.ids(text).tolist() == list(text.encode())
    assert TRAINED.count(text) <= len(text.encode())
    assert TRAINED.decode(TRAINED.ids(text)) == text
