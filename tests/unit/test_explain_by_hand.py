"""Reasons against the same algorithms written the slow and plain way: all pairs looked at, all paths tried."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TypeAlias

import pytest

import piecework as pw
from piecework._explain.bpe_reasons import BpeReasons, Pair, read_bpe
from piecework._explain.unigram_reasons import Edge, UnigramReasons
from piecework._explain.wordpiece_reasons import WordPieceReasons

Candidate: TypeAlias = tuple[int, int, str, str]

WORDS = [
    " castanha",
    " 🚀",
    " preguiçosa",
    "aaaaaaa",
    " internationalization",
    "तेज़",
    "敏捷的棕色狐狸",
    "\n\n\t\t",
    "=====>>",
]


@cache
def ranks() -> dict[tuple[str, str], int]:
    _, merges = pw.load("qwen3")._native.to_vocab_merges()
    lines = [line for line in merges.decode().splitlines() if not line.startswith("#version")]
    return {(left, right): rank for rank, (left, right) in enumerate(line.split(" ") for line in lines)}


def candidates(state: list[str]) -> list[Candidate]:
    """All pairs of a state that have a merge, the one that fires first."""
    pairs = enumerate(pairwise(state))
    return sorted((ranks()[pair], at, *pair) for at, pair in pairs if pair in ranks())


def shown(pair: Pair) -> Candidate:
    display = pw.byte_table().display
    left, right = ("".join(display[byte] for byte in symbol.piece) for symbol in (pair.left, pair.right))
    return pair.rank, pair.at, left, right


@pytest.mark.parametrize("word", WORDS)
def test_merges_runners_up_and_what_was_lost(word: str) -> None:
    for pretoken, reasons in zip(
        pw.load("qwen3").stages(word).pretokens, pw.load("qwen3").explain(word).why, strict=True
    ):
        assert isinstance(reasons, BpeReasons)
        state = list(pretoken.display)
        for merge in reasons.merges:
            first, *rest = candidates(state)
            at = first[1]
            assert shown(merge.pair) == first
            assert (shown(merge.runner_up) if merge.runner_up else None) == (rest[0] if rest else None)
            assert sorted(map(shown, merge.lost)) == [pair for pair in rest if pair[1] in (at - 1, at + 1)]
            state[at : at + 2] = [state[at] + state[at + 1]]
        assert candidates(state) == []
        assert len(state) == len(reasons.tokens)


def paths(edges: tuple[Edge, ...], start: int, end: int) -> Iterator[tuple[Edge, ...]]:
    """Every way through a lattice."""
    if start == end:
        yield ()
    for edge in edges:
        if edge.byte_span[0] == start:
            yield from ((edge, *rest) for rest in paths(edges, edge.byte_span[1], end))


@pytest.mark.parametrize("word", ["castanha", "Hi", "a", "unhappy", "ção", "☃", "1969"])
def test_no_path_is_better_than_the_best_and_none_between_the_two(word: str) -> None:
    tok = pw.load("t5")
    (pretoken,) = tok.stages(word).pretokens
    (reasons,) = tok.explain(word).why
    assert isinstance(reasons, UnigramReasons)
    every = sorted(
        (sum(edge.score for edge in path) for path in paths(reasons.edges, 0, len(pretoken.text.encode()))),
        reverse=True,
    )
    assert reasons.best.score == pytest.approx(every[0])
    if len(every) == 1:
        assert reasons.runner_up is None
        assert reasons.margin is None
        return
    assert reasons.runner_up is not None
    assert reasons.runner_up.edges != reasons.best.edges
    assert reasons.runner_up.score == pytest.approx(every[1])
    assert reasons.margin == pytest.approx(every[0] - every[1])


def test_the_lattice_has_every_piece_that_fits() -> None:
    tok = pw.load("t5")
    (reasons,) = tok.explain("castanha").why
    assert isinstance(reasons, UnigramReasons)
    text = "▁castanha"
    parts = {text[start:end] for start in range(len(text)) for end in range(start + 1, len(text) + 1)}
    known = {tok._native.vocab_piece(token_id): token_id for token_id in range(tok.vocab_size)}
    fitting = {part: known[part] for part in parts if part in known}
    assert {edge.text: edge.id for edge in reasons.edges} == fitting


@pytest.mark.parametrize("word", ["unaffable", "internationalization", "☃", "x", "zzzzqqqq", "preguicosa"])
def test_attempts_are_those_of_the_longest_match(word: str) -> None:
    tok = pw.load("bert-base-uncased")
    known = {tok._native.vocab_piece(token_id): token_id for token_id in range(tok.vocab_size)}
    (reasons,) = tok.explain(word).why
    assert isinstance(reasons, WordPieceReasons)
    start, expected = 0, []
    while start < len(word):
        tried = []
        for end in range(len(word), start, -1):
            found = known.get(("##" if start else "") + word[start:end])
            tried.append((word[start:end], found))
            if found is not None:
                break
        expected.append(tried)
        if tried[-1][1] is None:
            break
        start += len(tried[-1][0])
    assert [[(attempt.text, attempt.id) for attempt in place] for place in reasons.attempts] == expected


def test_characters_without_tokens_are_told_apart() -> None:
    # sentencepiece joins texts: `ab` may be a piece where neither `a` nor `b` is one.
    second = (9, 1, None, None, (1, 2, 3))
    record = {
        "symbols": [(None, b"a"), (None, b"b"), (None, b"c")],
        "steps": [((7, 0, None, None, (0, 1, 2)), 5, second, [second])], "n_symbols": 3, "n_steps": 1,
        "stop": "no-pair", "whole_rule": None, "by_merges": [5, 0], "tokens": [(5, 2, "piece"), (0, 1, "unknown")],
    }  # fmt: skip
    (merge,) = read_bpe("abc", record).merges
    assert (merge.pair.left.piece, merge.pair.right.piece, merge.product.piece) == (b"a", b"b", b"ab")
    assert [(pair.left.piece, pair.right.piece) for pair in merge.lost] == [(b"b", b"c")]
    assert merge.runner_up == merge.lost[0]
    assert merge.state == (b"ab", b"c")
