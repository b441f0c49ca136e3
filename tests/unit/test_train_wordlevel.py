"""The word-level trainer beside that of tokenizers."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

import piecework as pw
from piecework.errors import EmptyCorpusError, VocabSizeError

TEXTS = ["the cat and the dog", "a dog is a dog", "été 日本 the 🙂 🙂", ""]


@pytest.mark.filterwarnings("ignore:the corpus fills")
@pytest.mark.parametrize("vocab_size", [3, 7, 100])
@pytest.mark.parametrize("min_frequency", [0, 2])
def test_the_vocabulary_is_that_of_tokenizers(vocab_size: int, min_frequency: int, tmp_path: Path) -> None:
    reference = tokenizers.Tokenizer(models.WordLevel(unk_token="<unk>"))
    reference.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=["<unk>", "<pad>"],
        show_progress=False,
    )
    reference.train_from_iterator(TEXTS, trainer)
    tok = pw.train.wordlevel(
        texts=TEXTS,
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        unk="<unk>",
        special_tokens=["<unk>", "<pad>"],
    )
    assert {tok.piece(at): at for at in range(tok.vocab_size)} == reference.get_vocab()
    for text in [*TEXTS, "the bird"]:
        assert tok.ids(text).tolist() == reference.encode(text).ids
    saved = tokenizers.Tokenizer.from_file(str(tok.save(tmp_path / "tokenizer.json").paths[0]))
    assert saved.get_vocab() == reference.get_vocab()


def test_bad_input() -> None:
    with pytest.raises(EmptyCorpusError):
        pw.train.wordlevel(texts=[" "])
    with pytest.raises(VocabSizeError) as caught:
        pw.train.wordlevel(texts=["a"], vocab_size=1, unk="<unk>")
    assert caught.value.needed == 2


def test_its_line_says_words_and_no_alphabet() -> None:
    tok = pw.train.wordlevel(texts=["a b b"], vocab_size=2)
    assert str(tok.training) == "wordlevel: 3 words (2 distinct, 3 bytes) → 2 entries: whole words (as asked)"
    with pytest.warns(pw.PieceworkWarning):
        tok = pw.train.wordlevel(texts=["a b b"], vocab_size=9, unk="?")
    assert str(tok.training).endswith("→ 3 entries: whole words (there were no more words)")
