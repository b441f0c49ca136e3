"""Random segmentations and the best few."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
import sentencepiece

import piecework as pw
from tools import fixtures

UNIGRAM = "sentencepiece_test/botchan_en_unigram_1000.model"
TEXT = "The quick brown fox, 12 times."


@pytest.fixture(scope="module")
def unigram() -> pw.Tokenizer:
    return pw.load(str(fixtures.fixture(UNIGRAM)))


def test_the_best_segmentations_are_those_of_the_reference(unigram: pw.Tokenizer) -> None:
    reference = sentencepiece.SentencePieceProcessor(model_file=str(fixtures.fixture(UNIGRAM)))
    lines = fixtures.fixture("sentencepiece_test/botchan.txt").read_text(encoding="utf-8-sig").splitlines()
    n = 0
    for line in [line for line in lines if line.strip()][:150]:
        found = unigram.nbest(line, 4)
        expected = reference.nbest_encode_as_ids(line, 4)
        # Of two with one score either may be the better: the reference adds narrower floats.
        score_of = {tuple(ids): score for ids, score in unigram.nbest(line, 40)}
        assert [score for _, score in found] == pytest.approx([score_of[tuple(ids)] for ids in expected])
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        n += len(found)
        assert found[0][0] == unigram.ids(line)
    print(f"{n} segmentations: 0 different")


def test_the_best_few_are_few(unigram: pw.Tokenizer) -> None:
    assert unigram.nbest(TEXT, 0) == []
    assert [ids.tolist() for ids, _ in unigram.nbest(TEXT, 1)] == [unigram.ids(TEXT).tolist()]
    with pytest.raises(pw.FormatError, match="Unigram"):
        pw.load("qwen3").nbest(TEXT, 2)
    with pytest.raises(ValueError, match="at least 0"):
        unigram.nbest(TEXT, -1)


@pytest.mark.parametrize("name", ["qwen3", UNIGRAM, "llama2/tokenizer.json", "minilm_l6_v2/tokenizer.json"])
def test_every_sample_is_the_same_text(name: str) -> None:
    tokenizer = pw.load(name if name == "qwen3" else str(fixtures.fixture(name)))
    expected = tokenizer.decode(tokenizer.ids(TEXT))
    samples = [tokenizer.sample(TEXT, seed=seed, alpha=0.2, dropout=0.3) for seed in range(40)]
    assert {tokenizer.decode(ids) for ids in samples} == {expected}
    assert samples == [tokenizer.sample(TEXT, seed=seed, alpha=0.2, dropout=0.3) for seed in range(40)]
    n_ways = len({tuple(ids) for ids in samples})
    # A join that is left out is tried again after the next, as in the reference: few merges leave few ways.
    assert n_ways == 1 if "minilm" in name else n_ways > 2


def test_shares_of_samples_are_those_of_the_scores(unigram: pw.Tokenizer) -> None:
    """Drawn from the best four, a segmentation comes as often as its score says."""
    best = unigram.nbest("hello", 4)
    weights = [math.exp(score) for _, score in best]
    drawn = Counter(tuple(unigram.sample("hello", seed=seed, nbest_size=4)) for seed in range(4_000))
    assert set(drawn) <= {tuple(ids) for ids, _ in best}
    for (ids, _), weight in zip(best, weights, strict=True):
        share = weight / sum(weights)
        # Four standard deviations: one run in sixteen thousand would go wrong, and seeds make it none or all.
        assert abs(drawn[tuple(ids)] / 4_000 - share) < 4 * math.sqrt(share * (1 - share) / 4_000) + 1e-9


def test_without_dropout_a_sample_is_the_ids() -> None:
    tokenizer = pw.load("o200k_base")
    assert tokenizer.sample(TEXT, seed=1) == tokenizer.ids(TEXT)
    assert tokenizer.sample(TEXT, seed=1, dropout=0.0) == tokenizer.ids(TEXT)
    assert len(tokenizer.sample(TEXT, seed=1, dropout=1.0)) == len(TEXT)


def test_what_is_out_of_range_is_refused(unigram: pw.Tokenizer) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is"),
        ({"seed": 1, "alpha": -0.1}, "alpha is -0.1"),
        ({"seed": 1, "alpha": float("nan")}, "alpha is nan"),
        ({"seed": 1, "dropout": 1.5}, "dropout is 1.5"),
        ({"seed": 1, "nbest_size": -2}, "at least 0"),
    ]
    for arguments, words in wrong:
        with pytest.raises(ValueError, match=words):
            unigram.sample(TEXT, **arguments)
    with pytest.raises(TypeError):
        unigram.sample(TEXT, seed=1.5)  # type: ignore[arg-type]
