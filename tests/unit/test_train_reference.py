"""The trainer that students read, `_explain/reference.py`, beside the engine's: worked cases, then any words."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._explain import reference
from piecework.train.bpe_options import Base, Score, Ties
from tools import fixtures

pytestmark = pytest.mark.filterwarnings("ignore:.*no pair is left:piecework.errors.PieceworkWarning")

CASES: list[tuple[dict[str, int], int, dict[str, Any]]] = [
    ({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 3, {"base": "chars"}),
    ({"low": 1, "lower": 1, "lowest": 1}, 3, {"base": "chars"}),
    ({"low": 5, "lower": 2, "new": 6, "newer": 3}, 6, {"base": "chars", "end_of_word": "_"}),
    ({"low": 1, "lower": 1, "lowest": 1}, 9, {"base": "chars", "score": "wordpiece"}),
    ({"lalalamlala": 1}, 3, {"base": "bytes"}),
    ({"aaaaaaaa": 3, "aaa": 2, "ab": 1}, 20, {"base": "chars"}),
    ({"é🙂": 2, "🙂🙂": 3, "返金": 1}, 12, {"base": "bytes"}),
]
WORDS = ("hug", "bug", "pugs", "lower", "slow", "newest", "lalalamlala", "aaaaa", "é🙂🙂", "x", "")


def both(
    words: dict[str, int], n_merges: int, ties: str, options: dict[str, Any]
) -> tuple[reference.Bpe, pw.Tokenizer]:
    """Trains with both and compares every step."""
    naive = reference.learn(words, n_merges, ties=ties, **options)
    tok = pw.train.bpe(words=words, n_merges=n_merges, ties=ties, steps=True, **options)  # type: ignore[arg-type]
    assert tok.training is not None
    steps = tok.training.steps
    assert [step.pair for step in steps] == [step.pair for step in naive.steps]
    for ours, theirs in zip(steps, naive.steps, strict=True):
        assert ours.count == theirs.count
        assert ours.counts == theirs.counts
        assert ours.scores == {pair: float(score) for pair, score in theirs.scores.items()}
        assert ours.score == max(ours.scores.values())
        assert [list(word) for word in ours.corpus] == theirs.corpus
        assert ours.n_symbols == theirs.n_symbols
    file, _ = tok._native.to_tokenizer_json()
    assert json.loads(file)["model"]["vocab"] == naive.ids
    return naive, tok


@pytest.mark.parametrize(("words", "n_merges", "options"), CASES)
@pytest.mark.parametrize("ties", get_args(Ties))
def test_worked_cases(words: dict[str, int], n_merges: int, options: dict[str, Any], ties: str) -> None:
    naive, tok = both(words, n_merges, ties, options)
    assert tok.training is not None
    for word in [*words, *WORDS]:
        pieces = naive.encode(word)
        assert tok.training.pieces(word) == pieces
        assert naive.decode(pieces) == word
        if options["base"] == "bytes" or (word and set(word) <= set("".join(words))):
            assert tok.ids(word).tolist() == [naive.ids[piece] for piece in pieces]


COUNTED = st.dictionaries(st.text("abcé", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=9)


@settings(max_examples=150, deadline=None)
@given(
    words=COUNTED,
    held_out=st.text("abcé", max_size=12),
    ties=st.sampled_from(get_args(Ties)),
    options=st.fixed_dictionaries(
        {
            "base": st.sampled_from(get_args(Base)),
            "score": st.sampled_from(get_args(Score)),
            "end_of_word": st.sampled_from([None, "_"]),
        }
    ).filter(lambda options: options["base"] == "chars" or options["end_of_word"] is None),
)
def test_any_words(words: dict[str, int], held_out: str, ties: str, options: dict[str, Any]) -> None:
    naive, tok = both(words, 12, ties, options)
    assert tok.training is not None
    pieces = naive.encode(held_out)
    assert naive.decode(pieces) == held_out
    if options["score"] == "count":
        # By WordPiece's score, a merge may make a pair of lower rank: `pieces` is past it, `encode` goes back.
        assert tok.training.pieces(held_out) == pieces
    if options["base"] == "bytes":
        assert tok.ids(held_out).tolist() == [naive.ids[piece] for piece in pieces]


@pytest.mark.parametrize("base", get_args(Base))
def test_english_words_with_the_rule_of_tokenizers(base: str) -> None:
    text = fixtures.text_file("english", "novel").path.read_text("utf-8")[3_000:9_000]
    words: dict[str, int] = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    naive, tok = both(words, 150, "hf", {"base": base})
    for word in words:
        assert tok.ids(word).tolist() == [naive.ids[piece] for piece in naive.encode(word)]


def test_the_file_runs_by_itself() -> None:
    command = [sys.executable, "-I", reference.__file__, "low", "lower", "lowest"]
    done = subprocess.run(command, capture_output=True, check=True, env={"PYTHONIOENCODING": "utf-8"})
    lines = done.stdout.decode("utf-8").splitlines()
    assert lines[:3] == [
        "l + o  3×  lo w   lo w e r   lo w e s t",
        "lo + w  3×  low   low e r   low e s t",
        "low + e  2×  low   lowe r   lowe s t",
    ]
