"""What makes a pair the one to merge: its count, or the score that WordPiece is described with."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

import piecework as pw
from piecework.train.bpe_options import Ties


def steps(**options: Any) -> tuple[pw.train.TrainingStep, ...]:
    tok = pw.train.bpe(steps=True, base="chars", **options)
    assert tok.training is not None
    return tok.training.steps


@pytest.mark.parametrize("ties", get_args(Ties))
def test_low_lower_lowest(ties: str) -> None:
    (first, *_) = steps(
        texts=["low lower lowest"], pre_tokenizer="whitespace", n_merges=3, score="wordpiece", ties=ties
    )
    assert (first.pair, first.count, first.score) == (("s", "t"), 1, 1.0)
    assert list(first.scores.items()) == [
        (("s", "t"), 1.0),
        (("e", "r"), 0.5),
        (("e", "s"), 0.5),
        (("l", "o"), 1 / 3),
        (("o", "w"), 1 / 3),
        (("w", "e"), 1 / 3),
    ]
    assert first.counts["l", "o"] == 3


def test_scores_of_counts_are_the_counts() -> None:
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    for step in steps(words=words, n_merges=3):
        assert step.scores == step.counts
        assert list(step.scores) == list(step.counts)
        assert step.score == step.count


def test_equal_scores_go_by_the_rule_of_ties() -> None:
    # x+y and a+b stand alone in their words: 3/(3*3) and 3/(3*3).
    words = {"xy": 3, "ab": 3}
    for ties, pair in {"first-seen": ("x", "y"), "lexicographic": ("a", "b"), "hf": ("a", "b")}.items():
        (step,) = steps(words=words, n_merges=1, score="wordpiece", ties=ties)
        assert step.pair == pair


def test_fractions_that_floats_do_not_tell_apart() -> None:
    # Scores are 1/n: floats of neighbors this large are equal, and the rule of ties would take a+b.
    n = (1 << 60) + 1
    words = {"ab": n, "xy": n - 1}
    assert n / (n * n) == (n - 1) / ((n - 1) * (n - 1))
    (step,) = steps(words=words, n_merges=1, score="wordpiece")
    assert step.pair == ("x", "y")


def test_pairs_that_are_too_rare_are_passed_over() -> None:
    words = {"low": 2, "lower": 2, "st": 1}
    found = steps(words=words, n_merges=1, score="wordpiece", min_frequency=2)
    assert found[0].scores["s", "t"] == 1
    assert found[0].pair == ("e", "r")
    with pytest.warns(pw.PieceworkWarning, match="0 of 1 merge"):
        assert not steps(words={"st": 1}, n_merges=1, score="wordpiece", min_frequency=2)


def test_scores_go_into_json() -> None:
    tok = pw.train.bpe(words={"low": 1, "lowest": 1}, n_merges=1, base="chars", score="wordpiece", steps=True)
    assert tok.training is not None
    plain = json.loads(json.dumps(tok.training.to_dict()))
    assert plain["options"]["score"] == "wordpiece"
    assert plain["steps"][0]["score"] == 1
    assert ["s", "t", 1.0] in plain["steps"][0]["scores"]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="score is one of count, wordpiece, not 'likelihood'"):
        pw.train.bpe(words={"a": 1}, n_merges=1, score="likelihood", steps=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"score='wordpiece' .* steps=True"):
        pw.train.bpe(words={"a": 1}, n_merges=1, score="wordpiece")
