"""What nobody should give to a trainer: a clear error that names it, before hours of work, or read as it is meant."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from piecework import _core
from piecework.errors import FormatError, InputError, PieceworkWarning, TrainError
from piecework.train.memory_limits import bytes_of

META = {
    "pre_tokenizer": "gpt2",
    "normalizer": None,
    "inputs": None,
    "part": None,
    "mix": None,
    "n_words": 3,
    "n_bytes": 6,
    "n_invalid": 0,
}
MOST = 2**63 - 1


def counted(path: Path, **meta: object) -> Path:
    path.write_text(f"# piecework.words/1 {json.dumps({**META, **meta})}\nab\t3\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("size", ["99999999999TB", "9223372036854775808", 2**63])
def test_memory_that_no_machine_has(size: str | int) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*63 - 1, not ") as raised:
        pw.train.bpe(texts=["a"], vocab_size=256, max_memory=size)
    assert str(raised.value).endswith(str(size))
    assert bytes_of("max_memory", str(MOST)) == MOST


@pytest.mark.parametrize(
    "wrong",
    [
        {"normalizer": [["nfc"]]},
        {"normalizer": {"nfc": 1}},
        {"normalizer": [None]},
        {"pre_tokenizer": ["gpt2"]},
        {"inputs": {}},
        {"part": [[1], 2]},
        {"part": {}},
        {"mix": [1]},
        {"n_words": "3"},
        {"n_bytes": None},
        {"n_invalid": [0]},
    ],
    ids=str,
)
def test_a_count_file_that_says_other_kinds_of_things(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = counted(tmp_path / "k.tsv", **wrong)
    with pytest.raises(InputError) as raised:
        pw.train.bpe(words=path, vocab_size=257)
    assert raised.value.reason == "what it says of itself is not piecework.words/1"
    assert raised.value.path == str(path)


def test_a_count_file_with_a_broken_pattern_is_named(tmp_path: Path) -> None:
    path = counted(tmp_path / "k.tsv", pre_tokenizer="(a")
    with pytest.raises(InputError, match="its pre_tokenizer is not a pattern: a parenthesis") as raised:
        pw.train.bpe(words=path, vocab_size=257)
    assert raised.value.path == str(path)
    with pytest.raises(FormatError, match="a parenthesis"):
        pw.train.bpe(words={"ab": 3}, vocab_size=257, pre_tokenizer="(a")


@pytest.mark.parametrize("lead", ["", "word\tcount\n", f"# piecework.words/1 {json.dumps(META)}\n"])
def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path, lead: str) -> None:
    path = tmp_path / "k.tsv"
    path.write_text(f"\ufeff{lead}ab\t3\n", encoding="utf-8")
    training = pw.train.bpe(words=path, vocab_size=257).training
    assert training is not None
    assert (training.merges, training.report.n_bytes) == ((("a", "b"),), 6)


@pytest.mark.parametrize("n_counts", [2, 3, 5])
def test_counts_that_cannot_be_added_up(tmp_path: Path, n_counts: int) -> None:
    pairs = [("a", MOST)] * n_counts
    for suffix in (".tsv", ".parquet"):
        out = tmp_path / f"out{suffix}"
        with pytest.raises(TrainError, match=r"the counts of words come to over 2\*\*63 - 1 words in all"):
            pw.train.words(out, words=pairs)
        assert not out.exists()
    one = tmp_path / "one.tsv"
    one.write_text(f"a\t{MOST}\n", encoding="utf-8")
    two = tmp_path / "two.tsv"
    two.write_text("b\t1\n" * n_counts, encoding="utf-8")
    with pytest.raises(TrainError, match=r"the counts of \S+two\.tsv come to over"):
        pw.train.bpe(words=[one, two], vocab_size=257)
    with pytest.raises(TrainError, match="bytes of words in all"):
        pw.train.words(tmp_path / "out.tsv", words={"ab": MOST})


def test_the_largest_counts_come_back(tmp_path: Path) -> None:
    for suffix in (".tsv", ".parquet"):
        out = tmp_path / f"out{suffix}"
        pw.train.words(out, words={"a": MOST - 1, "b": 1})
        assert pw.train.words(tmp_path / "again.tsv", words=out).n_words == MOST
    assert (tmp_path / "again.tsv").read_text("utf-8").split("\n")[1:3] == [f"a\t{MOST - 1}", "b\t1"]


def test_a_record_with_a_number_of_very_many_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"n": {"9" * 5000}, "text": "ab ab"}}\n', encoding="utf-8")
    training = pw.train.bpe(files=[path], n_merges=1, pre_tokenizer="whitespace").training
    assert training is not None
    assert training.merges == (("a", "b"),)
    with pytest.raises(InputError, match="the field 'n' is no text: int"):
        pw.train.bpe(files=[path], n_merges=1, field="n")


def test_one_is_one() -> None:
    training = pw.train.bpe(words={"ab": 1}, n_merges=1).training
    assert training is not None
    assert str(training.report) == (
        "1 word (1 distinct, 2 bytes) → 257 entries: 256 alphabet, 1 merge (as asked)"
    )


@pytest.mark.parametrize("token", ["Ġt", "Ã©", "ĠĠ", "éé", "tĊ"])
def test_a_special_token_that_is_written_as_bytes_are(token: str) -> None:
    with pytest.raises(ValueError, match=f"^special_tokens has '{token}', which is how a saved tokenizer"):
        pw.train.bpe(texts=["never read", 1], vocab_size=262, special_tokens=["<s>", token])  # type: ignore[list-item]


@pytest.mark.filterwarnings("ignore::piecework.PieceworkWarning")
@pytest.mark.parametrize("base", ["bytes", "chars"])
def test_what_is_trained_can_be_saved(tmp_path: Path, base: str) -> None:
    displayed = set(_core.byte_alphabet())
    for n in (1, 2):
        for token in map("".join, itertools.product("Ġtbé日Ã!", repeat=n)):
            refused = base == "bytes" and n > 1 and not token.isascii() and displayed.issuperset(token)
            try:
                tok = pw.train.bpe(texts=["a b t t"], n_merges=2, base=base, special_tokens=[token])  # type: ignore[arg-type]
            except ValueError:
                assert refused, token
                continue
            assert not refused, token
            tok.save(tmp_path / "t.json")
            again = pw.load(tmp_path / "t.json")
            assert again.ids(token, special="parse") == tok.ids(token, special="parse")


def _calls(tmp_path: Path) -> dict[str, Callable[[], object]]:
    text = tmp_path / "a.txt"
    text.write_text("a b", encoding="utf-8")
    folder = {"checkpoint": tmp_path / "kept", "resume": True}
    return {
        "no pair is left": lambda: pw.train.bpe(texts=["a b"], n_merges=50),
        "no word is left": lambda: pw.train.wordlevel(texts=["a b"], vocab_size=50),
        "one word of each text, bpe": lambda: pw.train.bpe(texts=["a b"], n_merges=1, pre_tokenizer=None),
        "one word of each text, wordlevel": lambda: pw.train.wordlevel(
            texts=["a b"], vocab_size=1, pre_tokenizer=None
        ),
        "one word of each text, words": lambda: pw.train.words(
            tmp_path / "n.tsv", texts=["a"], pre_tokenizer=None
        ),
        "there is no checkpoint, bpe": lambda: pw.train.bpe(files=[text], n_merges=1, **folder),  # type: ignore[arg-type]
        "there is no checkpoint, wordlevel": lambda: pw.train.wordlevel(files=[text], vocab_size=1, **folder),  # type: ignore[arg-type]
        "there is no checkpoint, words": lambda: pw.train.words(tmp_path / "n.tsv", files=[text], **folder),  # type: ignore[arg-type]
    }


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("qwen2", "did you mean qwen3?"),
        ("o200k", "did you mean o200k_base?"),
        ("GPT2", "did you mean gpt2?"),
        ("white-space", "did you mean whitespace?"),
        ("cat", "the names are gpt2, cl100k_base, llama3, qwen3, o200k_base, whitespace"),
    ],
)
def test_a_name_with_a_mistake_in_it_is_warned_of(name: str, meant: str) -> None:
    with pytest.warns(PieceworkWarning) as caught:
        tok = pw.train.bpe(texts=["a cat sat"], n_merges=1, pre_tokenizer=name)
    assert [str(one.message) for one in caught] == [
        f"pre_tokenizer={name!r} is no name that is known: it is taken as a regular expression; {meant}"
    ]
    assert caught[0].filename == __file__
    assert tok.training is not None
    assert tok.training.options["pre_tokenizer"] == name


@pytest.mark.parametrize("pattern", ["-", "_", "a", "[a-z]+", r"\w+", "a b", "default", "gpt2", "whitespace"])
def test_a_pattern_is_not_taken_for_a_name(pattern: str) -> None:
    # Warnings are errors here.
    assert pw.train.bpe(texts=["a cat sat"], n_merges=1, pre_tokenizer=pattern).training is not None


def test_warnings_point_at_the_line_that_called(tmp_path: Path) -> None:
    for name, call in _calls(tmp_path).items():
        with pytest.warns(pw.PieceworkWarning, match=name.partition(",")[0]) as warned:
            call()
        first = call.__code__.co_firstlineno
        last = max(line for *_, line in call.__code__.co_lines() if line is not None)
        for warning in warned:
            assert warning.filename == __file__, name
            assert first <= warning.lineno <= last, name


@pytest.mark.parametrize("trainer", ["bpe", "wordlevel"])
def test_many_special_tokens_are_not_compared_with_each_other(trainer: str) -> None:
    n_compared = 0

    class Token(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal n_compared
            n_compared += 1
            return str.__eq__(self, other)

    specials = [Token(f"<{at}>") for at in range(2_000)]
    words = {f"w{at}": 1 for at in range(500)}
    tok = (
        pw.train.bpe(words=words, n_merges=9, special_tokens=specials)
        if trainer == "bpe"
        else pw.train.wordlevel(words=words, special_tokens=specials)
    )
    assert tok.special_tokens == {f"<{at}>": at for at in range(2_000)}
    # A few for each token, where there would be a million and more.
    assert n_compared < 20_000
