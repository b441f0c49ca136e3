"""The BPE trainer beside `BpeTrainer` of tokenizers: merge for merge, id for id, as the two save them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import piecework as pw
from piecework.train.stages import PRE_TOKENIZERS
from tools import fixtures

# Small texts do not fill every vocabulary: the merges end there too.
pytestmark = pytest.mark.filterwarnings("ignore:the corpus (gives|fills):piecework.errors.PieceworkWarning")

_MAX_BYTES = 250_000
CORPORA = ("english", "code", "chinese", "hindi", "arabic", "mixed")
_LANGUAGES = {"chinese": ("zh-Hans",), "hindi": ("hi",), "arabic": ("ar",)}


@cache
def corpus(name: str) -> str:
    """A text of up to 250 kB."""
    if name == "mixed":
        return "".join(corpus(other)[:20_000] for other in CORPORA[:-1])
    if name in _LANGUAGES:
        files = [file for file in fixtures.text_set("languages") if file.name in _LANGUAGES[name]]
    else:
        files = list(fixtures.text_set(name))
    each = _MAX_BYTES // len(files)
    parts = (file.path.read_bytes()[:each].decode("utf-8", "ignore") for file in files)
    return "".join(parts)


def reference(source: Path | list[str], **options: Any) -> dict[str, Any]:
    """What tokenizers trains, as it saves it."""
    saved: dict[str, Any] = json.loads(trained(source, **options).to_str())["model"]
    return saved


def trained(
    source: Path | list[str],
    *,
    base: str,
    pattern: str,
    normalizer: str | None = None,
    unk: str | None = None,
    **options: Any,
) -> Tokenizer:
    """What tokenizers trains."""
    tok = Tokenizer(models.BPE(unk_token=unk))
    split = (
        pre_tokenizers.WhitespaceSplit()
        if pattern == "whitespace"
        else pre_tokenizers.Split(Regex(PRE_TOKENIZERS[pattern]), "isolated")
    )
    if normalizer == "nfkc":
        tok.normalizer = normalizers.NFKC()
    if base == "bytes":
        byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tok.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
        tok.decoder = decoders.ByteLevel()
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    else:
        tok.pre_tokenizer = split
    trainer = trainers.BpeTrainer(show_progress=False, **options)
    if isinstance(source, Path):
        tok.train([str(source)], trainer)
    else:
        tok.train_from_iterator(source, trainer)
    return tok


def ours(
    source: Path | list[str], folder: Path, *, base: Any, pattern: str, **options: Any
) -> tuple[list[list[str]], dict[str, Any]]:
    """The merges that we learn, and the model as it is saved."""
    given: dict[str, Any] = {"files": [source]} if isinstance(source, Path) else {"texts": source}
    tok = pw.train.bpe(base=base, pre_tokenizer=pattern, **given, **options)
    path = tok.save(folder / "tokenizer.json").paths[0]
    saved: dict[str, Any] = json.loads(path.read_bytes())["model"]
    assert tok.training is not None
    return [list(merge) for merge in tok.training.merges], saved


Record = Callable[[str, object], None]
MERGES = "merges of BpeTrainer"
IDS = "ids of tokenizers and of AutoTokenizer, with vocabularies trained here"


def compare(source: Path | list[str], folder: Path, **options: Any) -> int:
    """Compares the two and returns the number of merges."""
    expected, (merges, found) = reference(source, **options), ours(source, folder, **options)
    assert merges == expected["merges"]
    # Text never becomes a special token here: a merge that would make one is learned, and left out of the file.
    specials = {token for token in options.get("special_tokens", ()) if len(token) > 1}
    assert found["merges"] == [merge for merge in merges if not {*merge, "".join(merge)} & specials]
    assert found["vocab"] == expected["vocab"]
    assert list(found["vocab"]) == sorted(found["vocab"], key=found["vocab"].__getitem__)
    return len(expected["merges"])


@pytest.mark.parametrize("name", CORPORA)
def test_files_are_trained_to_the_same_merges(name: str, tmp_path: Path, record_property: Record) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(corpus(name), encoding="utf-8", newline="")
    n_merges = 0
    for vocab_size in (300, 1_000, 6_000):
        n_merges += compare(path, tmp_path, base="bytes", pattern="gpt2", vocab_size=vocab_size)
    for vocab_size in (5_000, 6_000, 12_000):
        n_merges += compare(path, tmp_path, base="chars", pattern="whitespace", vocab_size=vocab_size)
    assert n_merges > 5_000
    record_property(MERGES, n_merges)


@pytest.mark.parametrize("name", CORPORA)
def test_texts_are_trained_to_the_same_merges(name: str, tmp_path: Path, record_property: Record) -> None:
    texts = corpus(name).split("\n\n")
    n_merges = 0
    for pattern in ("o200k_base", "cl100k_base", "qwen3"):
        n_merges += compare(texts, tmp_path, base="bytes", pattern=pattern, vocab_size=3_000)
    n_merges += compare(texts, tmp_path, base="chars", pattern="o200k_base", vocab_size=9_000)
    assert n_merges > 5_000
    record_property(MERGES, n_merges)


# Each with the base that it goes with; a limited alphabet and affixes have tests of their own.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("bytes", {"min_frequency": 4}),
    ("bytes", {"max_token_length": 5}),
    ("bytes", {"special_tokens": ["<s>", "the", "</s>"]}),
    ("bytes", {"normalizer": "nfkc"}),
    ("chars", {"min_frequency": 4}),
    ("chars", {"max_token_length": 3}),
    ("chars", {"max_token_length": 8}),
    ("chars", {"special_tokens": ["<unk>", "a", "ab"]}),
    ("chars", {"initial_alphabet": ["あ", "\U0001f680", "z"]}),
    ("chars", {"normalizer": "nfkc", "min_frequency": 2, "max_token_length": 6}),
]


@pytest.mark.parametrize("name", CORPORA)
def test_with_each_option(name: str, tmp_path: Path, record_property: Record) -> None:
    texts = corpus(name).splitlines(keepends=True)
    n_merges = 0
    for base, options in OPTIONS:
        pattern = "gpt2" if base == "bytes" else "whitespace"
        n_merges += compare(texts, tmp_path, base=base, pattern=pattern, vocab_size=6_000, **options)
    assert n_merges > 5_000
    record_property(MERGES, n_merges)


@pytest.mark.parametrize("name", CORPORA)
def test_with_a_limited_alphabet(name: str, tmp_path: Path, record_property: Record) -> None:
    text = corpus(name)
    counted = sorted(Counter("".join(text.split())).values(), reverse=True)
    # Which of equally frequent characters stay is left to chance there: a limit between two counts.
    limit = next(at for at in range(40, len(counted)) if counted[at - 1] != counted[at])
    n = compare([text], tmp_path, base="chars", pattern="whitespace", vocab_size=3_000, limit_alphabet=limit)
    record_property(MERGES, n)


AFFIXES: list[dict[str, Any]] = [
    {"continuing_subword_prefix": "##"},
    {"end_of_word_suffix": "</w>"},
    {"continuing_subword_prefix": "@", "end_of_word_suffix": "$"},
]


@pytest.mark.parametrize("affixes", AFFIXES)
def test_with_affixes_as_far_as_no_two_pairs_are_equal(
    affixes: dict[str, Any], tmp_path: Path, record_property: Record
) -> None:
    # Ids of symbols with affixes are given out by chance there, and ties go by ids: compared up to the first tie.
    chance = random.Random(3)
    n_merges = 0
    for _ in range(80):
        words = ["".join(chance.choices("abcdé", k=chance.randint(1, 7))) for _ in range(30)]
        texts = [" ".join([word] * chance.randint(1, 900)) for word in words]
        options: dict[str, Any] = {"base": "chars", "vocab_size": 60, **affixes}
        expected = reference(texts, pattern="whitespace", **options)
        tok = pw.train.bpe(texts=texts, pre_tokenizer="whitespace", steps=True, **options)
        assert tok.training is not None
        for step, merge in zip(tok.training.steps, expected["merges"], strict=False):
            counts = sorted(step.counts.values(), reverse=True)
            if counts[:1] == counts[1:2]:
                break
            assert list(step.pair) == merge
            n_merges += 1
        else:
            assert len(tok.training.steps) == len(expected["merges"])
        n_start = len(expected["vocab"]) - len(expected["merges"])
        alphabet = [text for text, at in expected["vocab"].items() if at < n_start]
        assert set(tok.training.alphabet) >= set(alphabet)
        saved = json.loads(tok.save(tmp_path / "tokenizer.json").paths[0].read_bytes())["model"]
        for name, value in affixes.items():
            assert saved[name] == value
    assert n_merges > 500
    record_property(MERGES, n_merges)


@pytest.mark.parametrize("affixes", AFFIXES)
@pytest.mark.parametrize("name", CORPORA)
def test_affixes_of_a_corpus_as_far_as_no_two_pairs_are_equal(
    name: str, affixes: dict[str, Any], record_property: Record
) -> None:
    # The corpus's own words, as often as chance has it, so that few counts are equal.
    chance = random.Random(11)
    words = list(dict.fromkeys(word[:10] for word in corpus(name).split()))
    options: dict[str, Any] = {"base": "chars", "vocab_size": 1_000, **affixes}
    n_same = 0
    for start in range(0, 600, 30):
        texts = [" ".join([word] * chance.randint(1, 900)) for word in words[start : start + 30]]
        expected = reference(texts, pattern="whitespace", **options)["merges"]
        training = pw.train.bpe(texts=texts, pre_tokenizer="whitespace", steps=True, **options).training
        assert training is not None
        for step, merge in zip(training.steps, expected, strict=False):
            counts = sorted(step.counts.values(), reverse=True)
            if counts[:1] == counts[1:2]:
                break
            assert list(step.pair) == merge
            n_same += 1
    assert n_same >= 50, n_same
    record_property(MERGES, n_same)


TRAINED: list[tuple[str, str, dict[str, Any]]] = [
    ("bytes", "gpt2", {}),
    ("bytes", "o200k_base", {"special_tokens": ["<s>", "</s>"], "min_frequency": 2}),
    ("bytes", "qwen3", {"normalizer": "nfkc", "max_token_length": 7}),
    ("chars", "whitespace", {"unk": "<unk>", "special_tokens": ["<unk>"]}),
]


@pytest.mark.parametrize("given", TRAINED)
@pytest.mark.parametrize("name", CORPORA)
def test_ids_of_held_out_text(
    name: str, given: tuple[Any, str, dict[str, Any]], tmp_path: Path, record_property: Record
) -> None:
    base, pattern, options = given
    text = corpus(name)
    train = text[: len(text) * 2 // 3].splitlines(keepends=True)
    held_out = [*text[len(text) * 2 // 3 :].splitlines(), *corpus("mixed").splitlines()][:3_000]
    tok = pw.train.bpe(texts=train, vocab_size=5_000, base=base, pre_tokenizer=pattern, **options)
    theirs = trained(train, vocab_size=5_000, base=base, pattern=pattern, **options)
    folder = tmp_path / "saved"
    tok.save(folder)
    auto = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    encodings = theirs.encode_batch(held_out, add_special_tokens=False)
    n_ids = 0
    for line, encoding in zip(held_out, encodings, strict=True):
        assert tok.ids(line).tolist() == encoding.ids, line
        n_ids += len(encoding.ids)
    assert auto(held_out, add_special_tokens=False)["input_ids"] == [one.ids for one in encodings]
    assert len(auto) == tok.vocab_size
    assert n_ids > 2_000
    record_property(IDS, n_ids)
