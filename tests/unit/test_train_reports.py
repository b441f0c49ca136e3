"""Problems that people reported of trainers, as cases: the reported input, and others of its kind.

Values are by hand, or those of tokenizers 0.23.3 where it is right.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

import piecework as pw
from piecework.errors import EmptyCorpusError, VocabSizeError

FEW = pytest.mark.filterwarnings("ignore:the corpus (gives|fills):piecework.errors.PieceworkWarning")

TRAINERS: list[tuple[Any, dict[str, Any]]] = [
    (pw.train.bpe, {}),
    (pw.train.bpe, {"base": "chars", "pre_tokenizer": "whitespace"}),
    (pw.train.wordlevel, {}),
]


def run(program: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, check=False, encoding="utf-8", env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def saved(tok: pw.Tokenizer, folder: Path) -> dict[str, Any]:
    """The model as it is saved."""
    model: dict[str, Any] = json.loads(tok.save(folder / "tokenizer.json").paths[0].read_bytes())["model"]
    return model


# --- B31: the same data, another vocabulary in each run -------------------------------------------------------------------

B31 = "open opener opens shop shops stop stopper stops spot spots post posts"

B31_PROGRAM = """
import hashlib
import piecework as pw

line, run = {line!r}, {run}
chars = dict(base="chars", pre_tokenizer="whitespace")
for tok in (
    pw.train.bpe(texts=[line], vocab_size=40, unk="[UNK]", n_threads=1 + run % 3, **chars),
    pw.train.bpe(texts=[line] * 5, vocab_size=40, unk="[UNK]", continuing_subword_prefix="##", **chars),
    pw.train.bpe(texts=[line] * 5, vocab_size=40, unk="[UNK]", limit_alphabet=5, end_of_word_suffix="</w>", **chars),
    pw.train.bpe(texts=[line, line[:30]], vocab_size=290, n_threads=1 + run % 3),
    pw.train.bpe(texts=[line], vocab_size=290, ties="first-seen", score="wordpiece", steps=True),
    pw.train.wordlevel(texts=[line], vocab_size=8, unk="[UNK]"),
):
    file, _ = tok._native.to_tokenizer_json()
    print(hashlib.sha256(file).hexdigest(), tok.training.corpus_fingerprint)
"""


@FEW
def test_b31_twelve_processes_save_the_same_bytes(tmp_path: Path) -> None:
    printed = [
        run(B31_PROGRAM.format(line=B31, run=at), PYTHONHASHSEED=str(at * 7919 + 1)) for at in range(12)
    ]
    assert len(set(printed)) == 1
    hashes = [line.split()[0] for line in printed[0].splitlines()]
    assert len(set(hashes)) == 6
    tok = pw.train.bpe(texts=[B31], vocab_size=40, unk="[UNK]", base="chars", pre_tokenizer="whitespace")
    file = tok.save(tmp_path / "tokenizer.json").paths[0].read_bytes()
    assert hashlib.sha256(file).hexdigest() == hashes[0]
    reference = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    reference.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=40, special_tokens=["[UNK]"], show_progress=False)
    reference.train_from_iterator([B31], trainer)
    assert json.loads(file)["model"]["vocab"] == reference.get_vocab()


# --- B34: an empty corpus, or a vocabulary larger than the text allows ----------------------------------------------------


@pytest.mark.parametrize(("train", "options"), TRAINERS)
def test_b34_an_empty_corpus_is_named(train: Any, options: dict[str, Any], tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    for name, source in {"texts": [""], "files": [empty], "words": {"": 3}}.items():
        with pytest.raises(EmptyCorpusError, match=f"no word in {name}") as caught:
            train(vocab_size=300, **{name: source}, **options)
        assert isinstance(caught.value, ValueError)
        assert caught.value.source == name


def test_b34_blank_lines_only(tmp_path: Path) -> None:
    blank = tmp_path / "blank.txt"
    blank.write_bytes(b"\n \n\n\t\n")
    for source in ({"files": [blank]}, {"texts": ["\n", "  ", "\u2003"]}):
        for train, options in TRAINERS[1:]:
            with pytest.raises(EmptyCorpusError):
                train(vocab_size=300, **source, **options)
    # White space is a word where the pattern keeps it: three lines of one byte and one of two.
    with pytest.warns(pw.PieceworkWarning, match="no pair is left to merge"):
        training = pw.train.bpe(files=[blank], vocab_size=300).training
    assert training is not None
    assert training.report.n_bytes == 6


def test_b34_more_than_the_text_can_fill() -> None:
    texts = ["red fish blue fish"]
    made = []
    for train, options in TRAINERS:
        with pytest.warns(pw.PieceworkWarning, match="the corpus fills") as caught:
            made.append(train(texts=texts, vocab_size=500, **options))
        # The size that can be reached is named.
        assert f"{made[-1].vocab_size:,} of 500 entries" in str(caught[0].message)
    # By characters: 10 of them, and 2 + 3 + 3 merges make red, fish and blue whole. By bytes: 256, the merges of red,
    # of " fish" and of " blue". By words: 3.
    assert [tok.vocab_size for tok in made] == [256 + 2 + 4 + 4, 10 + 8, 3]
    for tok in made:
        assert not tok.training.report.is_full
        assert f"{tok.vocab_size:,} entries" in str(tok.training)
        assert tok.training.report.vocab_size == tok.vocab_size
    assert "no pair was left to merge" in str(made[0].training)


@pytest.mark.parametrize("vocab_size", [1, 2, 3])
def test_b34_exactly_the_alphabet(vocab_size: int) -> None:
    word = "abc"[:vocab_size]
    tok = pw.train.bpe(words={word: 2}, vocab_size=vocab_size, base="chars")
    assert (tok.vocab_size, tok.count(word)) == (vocab_size, vocab_size)
    with pytest.raises(VocabSizeError) as caught:
        pw.train.bpe(words={word: 2}, vocab_size=vocab_size - 1, base="chars")
    assert caught.value.needed == vocab_size
    assert pw.train.bpe(words={word: 2}, vocab_size=256).vocab_size == 256


@FEW
def test_b34_a_corpus_of_one_character(tmp_path: Path) -> None:
    tok = pw.train.bpe(texts=["a"], vocab_size=300)
    assert (tok.vocab_size, tok.ids("a").tolist()) == (256, [64])
    assert saved(pw.train.bpe(words={"a": 1}, vocab_size=9, base="chars"), tmp_path)["vocab"] == {"a": 0}
    assert pw.train.wordlevel(texts=["a"], vocab_size=9).vocab_size == 1


# --- B35: documented merges that the algorithm does not make --------------------------------------------------------------

# Text, merges of ids, ids of the text. The first is the reported one; the second is minbpe's own example.
B35: list[tuple[str, list[list[Any]], list[int]]] = [
    ("lalalamlala", [[[108, 97], 256], [[256, 256], 257], [[257, 256], 258]], [258, 109, 257]),
    ("aaabdaaabac", [[[97, 97], 256], [[256, 97], 257], [[257, 98], 258]], [258, 100, 258, 97, 99]),
    # One symbol beside itself: three pairs are counted in aaaa, two are merged.
    ("aaaa", [[[97, 97], 256], [[256, 256], 257]], [257]),
    ("aaaaa", [[[97, 97], 256], [[256, 256], 257], [[257, 97], 258]], [258]),
    # NUL is a byte like another.
    ("\0a\0a\0b", [[[0, 97], 256], [[256, 256], 257], [[257, 0], 258]], [258, 98]),
    ("éé", [[[195, 169], 256], [[256, 256], 257]], [257]),
]


@FEW
@pytest.mark.parametrize(("text", "merges", "ids"), B35)
def test_b35_merges_by_hand(text: str, merges: list[list[Any]], ids: list[int], tmp_path: Path) -> None:
    with pytest.warns(pw.PieceworkWarning, match="pre_tokenizer=None"):
        tok = pw.train.bpe(
            texts=[text],
            n_merges=3,
            pre_tokenizer=None,
            id_layout="bytes",
            ties="first-seen",
            steps=True,
        )
    model = saved(tok, tmp_path)
    vocab = model["vocab"]
    found = [[[vocab[left], vocab[right]], vocab[left + right]] for left, right in model["merges"]]
    assert found == merges
    assert tok.ids(text).tolist() == ids
    assert tok.decode(ids) == text


def test_b35_pairs_of_one_symbol_are_counted_where_they_overlap() -> None:
    tok = pw.train.bpe(words={"aaaa": 2, "aaa": 1}, n_merges=1, base="chars", steps=True)
    assert tok.training is not None
    (step,) = tok.training.steps
    assert (step.count, step.corpus) == (2 * 3 + 2, (("aa", "aa"), ("aa", "a")))


# --- B36: training from a generator fills memory --------------------------------------------------------------------------

B36_PROGRAM = """
import piecework as pw

def peak_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

class Line(str):
    n_alive = n_most = n_made = 0
    def __new__(cls):
        cls.n_alive += 1
        cls.n_made += 1
        cls.n_most = max(cls.n_most, cls.n_alive)
        return super().__new__(cls, "red fish blue fish one fish two fish " * 8)
    def __del__(self):
        Line.n_alive -= 1

pw.train.{trainer}(texts=["red fish"], **{options})
before = peak_kib()
tok = pw.train.{trainer}(texts=(Line() for _ in range(400_000)), **{options})
print(peak_kib() - before, Line.n_most, Line.n_made, tok.training.report.n_words, tok.vocab_size)
"""


@pytest.mark.parametrize(
    ("trainer", "options", "vocab_size"),
    [
        # Twelve characters; red, fish, blue, one and two take 2 + 3 + 3 + 2 + 2 merges.
        ("bpe", {"vocab_size": 200, "base": "chars", "pre_tokenizer": "whitespace"}, 14 + 12),
        ("wordlevel", {"vocab_size": 200}, 5),
    ],
)
def test_b36_a_generator_of_118_megabytes(trainer: str, options: dict[str, Any], vocab_size: int) -> None:
    printed = run(B36_PROGRAM.format(trainer=trainer, options=options))
    n_kib, n_most, n_made, n_words, n_entries = (int(number) for number in printed.split())
    assert n_kib < 300_000
    # A list would hold all 400,000 at once.
    assert n_most <= 1 << 17
    assert (n_made, n_words, n_entries) == (400_000, 400_000 * 64, vocab_size)


@pytest.mark.parametrize(("train", "options"), TRAINERS)
def test_b36_a_generator_that_fails_midway(train: Any, options: dict[str, Any]) -> None:
    class DiskGoneError(Exception):
        pass

    def lines() -> Iterator[str]:
        yield from ["red fish"] * 100_000
        raise DiskGoneError

    with pytest.raises(DiskGoneError):
        train(texts=lines(), vocab_size=300, **options)
    given = iter(["red fish", 3, "blue fish"])
    with pytest.raises(TypeError, match="a text is a str or bytes, not int"):
        train(texts=given, vocab_size=300, **options)


# --- B38: the most frequent pair is lost when its count passes 2**31 ------------------------------------------------------


@pytest.mark.parametrize("ties", ["hf", "first-seen", "lexicographic", "smallest-ids"])
@pytest.mark.parametrize("count", [3_000_000_000, (1 << 31) - 5, (1 << 32) + 1, 1 << 60])
def test_b38_counts_beyond_32_bits(count: int, ties: Any) -> None:
    tok = pw.train.bpe(words={"the": count, "thin": 10}, n_merges=2, base="chars", ties=ties, steps=True)
    assert tok.training is not None
    assert tok.training.merges == (("t", "h"), ("th", "e"))
    assert [step.count for step in tok.training.steps] == [count + 10, count]
    assert tok.count("the") == 1
    assert pw.train.wordlevel(words={"thin": 10, "the": count}, vocab_size=1).count("the") == 1


@pytest.mark.parametrize(
    "words",
    [
        {"the": (1 << 63) - 1},
        {"t": (1 << 63) - 1, "h": 1 << 62},
        [("th", 1 << 61), ("th", 1 << 61), ("he", 1 << 60)],
        [("th", (1 << 63) - 1)] * 3,
    ],
)
def test_b38_counts_that_64_bits_do_not_hold_are_refused(words: Any) -> None:
    all_options: list[dict[str, Any]] = [
        {},
        {"steps": True, "ties": "lexicographic"},
        {"steps": True, "score": "wordpiece"},
    ]
    for options in all_options:
        with pytest.raises(pw.TrainError, match=r"come to over 2\*\*63 - 1 "):
            pw.train.bpe(words=words, n_merges=2, base="chars", **options)


def test_b38_the_largest_corpus_that_is_held() -> None:
    n = (1 << 62) - 1
    tok = pw.train.bpe(words={"th": n}, n_merges=1, base="chars", steps=True)
    assert tok.training is not None
    assert tok.training.steps[0].count == n
    assert tok.training.report.n_symbols_before == 2 * n


# --- Special tokens that are there already --------------------------------------------------------------------------------


@pytest.mark.parametrize(("train", "options"), TRAINERS)
def test_a_special_token_given_twice_is_refused(train: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the special token '<s>' is given twice"):
        train(texts=["a b"], vocab_size=300, special_tokens=["<s>", "</s>", "<s>"], **options)


def test_a_special_token_that_is_a_letter_is_one_entry(tmp_path: Path) -> None:
    given: dict[str, Any] = {"words": {"ab": 3, "ba": 1}, "base": "chars", "special_tokens": ["<s>", "b"]}
    tok = pw.train.bpe(vocab_size=4, **given)
    assert saved(tok, tmp_path)["vocab"] == {"<s>": 0, "b": 1, "a": 2, "ab": 3}
    assert tok.special_tokens == {"<s>": 0, "b": 1}
