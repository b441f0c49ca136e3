"""The BPE trainer: the worked cases, what it refuses, and what stays the same whatever the order and the threads."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from pathlib import Path
from typing import Any, Self

import pytest
import tokenizers

import piecework as pw
from piecework.errors import EmptyCorpusError, InputError, NotUnicodeError, VocabSizeError

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TEXTS = ["the cat sat on the mat", "the hat of the cat", "a cat is not a hat", "où est le chat ?"] * 3


def counts(step: pw.train.TrainingStep) -> list[tuple[str, int]]:
    return [("".join(pair), n) for pair, n in step.counts.items()]


def test_hug_pug_pun_bun_hugs() -> None:
    tok = pw.train.bpe(words=HUGS, vocab_size=11, base="chars", unk="<unk>", steps=True)
    training = tok.training
    assert training is not None
    assert [(step.piece, step.count) for step in training.steps] == [("ug", 20), ("un", 16), ("hug", 15)]
    assert counts(training.steps[0]) == [("ug", 20), ("pu", 17), ("un", 16), ("hu", 15), ("gs", 5), ("bu", 4)]
    assert counts(training.steps[1]) == [
        ("un", 16),
        ("hug", 15),
        ("pu", 12),
        ("pug", 5),
        ("ugs", 5),
        ("bu", 4),
    ]
    assert counts(training.steps[2]) == [("hug", 15), ("pun", 12), ("pug", 5), ("ugs", 5), ("bun", 4)]
    vocab = ["<unk>", "b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"]
    assert [tok.piece(token_id) for token_id in range(tok.vocab_size)] == vocab
    pieces = {"hug": ["hug"], "bug": ["b", "ug"], "mug": ["<unk>", "ug"], "pugs": ["p", "ug", "s"]}
    for word, expected in pieces.items():
        assert [tok.piece(token_id) for token_id in tok.ids(word)] == expected
        assert training.pieces(word) == expected


def test_low_lower_lowest() -> None:
    tok = pw.train.bpe(
        texts=["low lower lowest"],
        n_merges=3,
        base="chars",
        pre_tokenizer="whitespace",
        ties="first-seen",
        steps=True,
    )
    training = tok.training
    assert training is not None
    assert [(step.pair, step.count) for step in training.steps] == [
        (("l", "o"), 3),
        (("lo", "w"), 3),
        (("low", "e"), 2),
    ]
    assert training.steps[-1].corpus == (("low",), ("lowe", "r"), ("lowe", "s", "t"))
    assert training.pieces("lowest") == ["lowe", "s", "t"]
    assert training.pieces("slow") == ["s", "low"]
    assert training.pieces("newer") == ["n", "e", "w", "e", "r"]


def test_low_lower_new_newer_with_an_end_of_word(tmp_path: Path) -> None:
    words = {"low": 5, "lower": 2, "new": 6, "newer": 3}
    options: dict[str, Any] = {"base": "chars", "ties": "lexicographic", "steps": True}
    tok = pw.train.bpe(words=words, n_merges=6, end_of_word="_", **options)
    training = tok.training
    assert training is not None
    merges = [(*step.pair, step.count) for step in training.steps]
    assert merges == [
        ("w", "_", 11),
        ("n", "e", 9),
        ("l", "o", 7),
        ("ne", "w_", 6),
        ("e", "r", 5),
        ("er", "_", 5),
    ]
    assert training.steps[-1].corpus == (("lo", "w_"), ("lo", "w", "er_"), ("new_",), ("ne", "w", "er_"))
    assert training.report.n_symbols_before == 74
    assert [step.n_symbols for step in training.steps] == [63, 54, 47, 41, 36, 31]
    assert tok.vocab_size == 13
    cut = {
        "lower": ["lo", "w", "er_"],
        "renew": ["r", "e", "new_"],
        "slow": ["s", "lo", "w_"],
        "newest": ["ne", "w", "e", "s", "t", "_"],
    }
    for word, expected in cut.items():
        assert training.pieces(word) == expected
    assert list(tok.encode("lower").vocab_pieces) == ["lo", "w", "er_"]
    spaced = pw.train.bpe(
        texts=["low lower new newer"], n_merges=6, end_of_word="_", pre_tokenizer="whitespace", **options
    )
    reference = tokenizers.Tokenizer.from_file(str(spaced.save(tmp_path / "t.json").paths[0]))
    for text in ("lower new", " low  lower\nnewer ", "new"):
        assert spaced.ids(text).tolist() == reference.encode(text).ids
        assert reference.decode(reference.encode(text).ids) == spaced.decode(spaced.ids(text))
    assert spaced.decode(spaced.ids("lower new")) == "lower new"


def test_bytes_before_any_merge() -> None:
    tok = pw.train.bpe(words={"x": 1}, n_merges=0, id_layout="bytes")
    assert tok.ids("é🙂").tolist() == [195, 169, 240, 159, 153, 130]
    hf = pw.train.bpe(words={"x": 1}, n_merges=0)
    assert [hf.ids(text).tolist() for text in ("!", "a", "\0", " ")] == [[0], [64], [188], [220]]


def test_lalalamlala() -> None:
    # karpathy/minbpe#93: overlapping pairs of one symbol.
    with pytest.warns(pw.PieceworkWarning, match="pre_tokenizer=None"):
        tok = pw.train.bpe(
            texts=["lalalamlala"],
            n_merges=3,
            pre_tokenizer=None,
            id_layout="bytes",
            ties="first-seen",
            steps=True,
        )
    assert tok.training is not None
    assert tok.training.merges == (("l", "a"), ("la", "la"), ("lala", "la"))
    assert tok.ids("lalalamlala").tolist() == [258, 109, 257]


def test_special_tokens_last_in_the_layout_of_bytes() -> None:
    tok = pw.train.bpe(words=HUGS, vocab_size=260, id_layout="bytes", special_tokens=["<s>", "</s>"])
    assert tok.special_tokens == {"<s>": 258, "</s>": 259}
    assert tok.vocab_size == 260


def test_counts_beyond_32_bits() -> None:
    # huggingface/tokenizers#2058: a 32-bit sum wraps, and the commonest pair is never merged.
    tok = pw.train.bpe(words={"the": 3_000_000_000, "thin": 10}, n_merges=2, base="chars")
    assert tok.training is not None
    assert tok.training.merges == (("t", "h"), ("th", "e"))
    assert tok.count("the") == 1


def test_a_vocabulary_smaller_than_its_alphabet_names_the_size_that_it_needs() -> None:
    with pytest.raises(VocabSizeError, match="smaller than what is there before any merge: 257") as caught:
        pw.train.bpe(words=HUGS, vocab_size=200, special_tokens=["<s>"])
    assert (caught.value.vocab_size, caught.value.needed) == (200, 257)


def test_a_vocabulary_larger_than_the_corpus_can_fill_says_what_was_reached() -> None:
    with pytest.warns(
        pw.PieceworkWarning, match=r"the corpus fills 26\d of 500 entries: no pair is left to merge"
    ):
        tok = pw.train.bpe(texts=["red fish blue fish"], vocab_size=500)
    assert tok.training is not None
    assert not tok.training.report.is_full
    assert "no pair was left to merge" in str(tok.training)
    assert tok.training.report.vocab_size == tok.vocab_size < 500


@pytest.mark.parametrize(
    "source", [{"texts": [""]}, {"texts": []}, {"words": {}}, {"words": {"": 3}}, {"files": []}]
)
def test_an_empty_corpus_is_refused(source: dict[str, Any]) -> None:
    with pytest.raises(EmptyCorpusError, match="no word") as caught:
        pw.train.bpe(vocab_size=300, **source)
    assert caught.value.source == next(iter(source))


@pytest.mark.filterwarnings("ignore:the corpus (fills|gives)")
def test_the_generator_is_never_a_list() -> None:
    # huggingface/tokenizers#1170: memory grew with the generator.
    alive = 0

    class Line(str):
        __slots__ = ()

        def __new__(cls) -> Self:
            nonlocal alive
            alive += 1
            return super().__new__(cls, "red fish blue fish one fish two fish " * 8)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    most = 0

    def lines() -> Any:
        nonlocal most
        for _ in range(200_000):
            most = max(most, alive)
            yield Line()

    tok = pw.train.bpe(texts=lines(), vocab_size=270, pre_tokenizer="whitespace")
    assert tok.training is not None
    assert tok.training.report.n_words == 200_000 * 64
    assert most <= 1 << 17


@pytest.mark.filterwarnings("ignore:the corpus (fills|gives)")
def test_order_and_threads_change_no_byte(tmp_path: Path) -> None:
    texts = TEXTS * 400
    shuffled = list(texts)
    random.Random(5).shuffle(shuffled)
    made = [
        pw.train.bpe(texts=some, vocab_size=320, n_threads=n_threads)
        for some, n_threads in ((texts, 1), (texts, 4), (shuffled, 2))
    ]
    files = [tok.save(tmp_path / f"{at}.json").paths[0].read_bytes() for at, tok in enumerate(made)]
    assert len(set(files)) == 1
    trainings = [tok.training for tok in made]
    assert all(training is not None for training in trainings)
    assert len({training.corpus_fingerprint for training in trainings if training}) == 1


def test_files_are_read_a_line_at_a_time_with_its_end(tmp_path: Path) -> None:
    text = "a\n\n\nb b\r\n\r\nlast"
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_bytes(text.encode())
    packed.write_bytes(gzip.compress(text.encode()))
    trainings = [
        pw.train.bpe(n_merges=2, **source).training
        for source in ({"files": [plain]}, {"files": [packed]}, {"texts": text.splitlines(keepends=True)})
    ]
    prints = [training.corpus_fingerprint for training in trainings if training]
    assert len(prints) == 3
    assert len(set(prints)) == 1
    whole = pw.train.bpe(texts=[text], n_merges=2).training
    assert whole is not None
    assert whole.corpus_fingerprint != prints[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.txt: No such file"):
        pw.train.bpe(files=[tmp_path / "nothing.txt"], vocab_size=300)
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"fine\nnot \xff fine\n")
    with pytest.raises(NotUnicodeError, match=r"broken\.txt is not UTF-8 at byte 9") as caught:
        pw.train.bpe(files=[broken], vocab_size=300)
    assert caught.value.index == 9
    tok = pw.train.bpe(files=[broken], n_merges=0, errors="replace")
    assert tok.training is not None
    assert tok.training.report.n_bytes == len("fine\nnot � fine\n".encode())
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"some text " * 1000)[:-12])
    with pytest.raises(InputError, match=r"cut\.gz"):
        pw.train.bpe(files=[cut], vocab_size=300)


@pytest.mark.filterwarnings("ignore:the corpus (fills|gives)")
def test_the_saved_file_is_one_that_tokenizers_loads(tmp_path: Path) -> None:
    for options in (
        {},
        {"base": "chars", "unk": "?", "pre_tokenizer": "whitespace", "normalizer": ["nfc", "lowercase"]},
    ):
        some: dict[str, Any] = options
        tok = pw.train.bpe(texts=TEXTS, n_merges=30, special_tokens=["<s>"], **some)
        path = tok.save(tmp_path / "tokenizer.json").paths[0]
        reference = tokenizers.Tokenizer.from_file(str(path))
        for text in [*TEXTS, "The ÇAT 日本", ""]:
            assert tok.ids(text).tolist() == reference.encode(text, add_special_tokens=False).ids
        assert pw.load(path) == tok


def test_steps_of_a_large_corpus_are_refused() -> None:
    words = {f"word{at}": 1 for at in range(5000)}
    with pytest.raises(pw.TrainError, match=r"5,000 distinct words × 1,000 merges are over 4,000,000"):
        pw.train.bpe(words=words, n_merges=1000, steps=True)
    assert pw.train.bpe(words=words, n_merges=50, steps=True).vocab_size == 306


def test_training_goes_with_the_tokenizer() -> None:
    tok = pw.train.bpe(words=HUGS, n_merges=2, base="chars", steps=True)
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    assert again.training == tok.training
    assert tok.training is not None
    plain = json.loads(json.dumps(tok.training.to_dict()))
    assert plain["schema"] == "piecework.training/1"
    assert plain["steps"][0]["counts"][0] == ["u", "g", 20]
    assert plain["options"]["base"] == "chars"


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"words": HUGS}, TypeError, "one of vocab_size= and n_merges="),
        ({"words": HUGS, "vocab_size": 300, "n_merges": 3}, TypeError, "one of vocab_size= and n_merges="),
        ({"n_merges": 3}, TypeError, "one of files=, texts= and words=, not 0"),
        ({"words": HUGS, "texts": ["a"], "n_merges": 3}, TypeError, "not 2 of them"),
        ({"texts": "one text", "n_merges": 3}, TypeError, "not one text"),
        ({"texts": [3], "n_merges": 3}, TypeError, "a text is a str or bytes, not int"),
        ({"files": "a.txt", "n_merges": 3}, TypeError, "not one path"),
        ({"words": ["hug"], "n_merges": 3}, TypeError, "pairs"),
        ({"words": {"hug": 1.5}, "n_merges": 3}, TypeError, "a str and an int"),
        ({"words": {"hug": -1}, "n_merges": 3}, ValueError, "counts are 0 to"),
        ({"words": HUGS, "n_merges": "3"}, TypeError, "n_merges is an int"),
        ({"words": HUGS, "n_merges": -1}, ValueError, "n_merges is at least 0"),
        ({"words": HUGS, "n_merges": 3, "base": "words"}, ValueError, "base is one of bytes, chars"),
        ({"words": HUGS, "n_merges": 3, "ties": "first-seen"}, ValueError, "steps=True"),
        ({"words": HUGS, "n_merges": 3, "unk": "?"}, ValueError, 'goes with base="chars"'),
        ({"words": HUGS, "n_merges": 3, "base": "chars", "id_layout": "bytes"}, ValueError, 'base="bytes"'),
        ({"words": HUGS, "n_merges": 3, "base": "chars", "end_of_word": "</w>"}, ValueError, "one character"),
        ({"words": HUGS, "n_merges": 3, "special_tokens": ["<s>", "<s>"]}, ValueError, "given twice"),
        ({"words": HUGS, "n_merges": 3, "special_tokens": "<s>"}, TypeError, "not one string"),
        ({"words": HUGS, "n_merges": 3, "normalizer": "nfx"}, ValueError, "normalizer is one of nfc"),
        ({"texts": ["a"], "n_merges": 3, "pre_tokenizer": "(a"}, pw.FormatError, "pattern"),
        ({"words": HUGS, "n_merges": 3, "base": "chars", "initial_alphabet": ["ab"]}, ValueError, "single"),
        ({"words": HUGS, "n_merges": 3, "n_threads": 0}, ValueError, "n_threads is at least 1"),
        ({"words": {"a" * 9: 1 << 62}, "n_merges": 3}, ValueError, "come to over"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        pw.train.bpe(**arguments)
