"""Merges as a teacher shows them: a row for each, then what became of the words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.train import Training, TrainingStep

__all__ = ["step_lines"]

_MAX_PAIRS = 5
_MAX_WORDS = 40


def step_lines(training: Training) -> list[str]:
    """The table of a training with steps: each merge, its rivals before it, and the words after the last one."""
    is_scored = training.options.get("score") == "wordpiece"
    head = ["step", "pair", *(["score"] if is_scored else []), "count", "piece", "symbols", "others"]
    start = ["" for _ in head]
    start[-2] = f"{training.report.n_symbols_before:,}"
    rows = [[str(at), *_row(step, is_scored=is_scored)] for at, step in enumerate(training.steps, 1)]
    right = frozenset({0, 2, 3, 5} if is_scored else {0, 2, 4})
    lines = columns([head, start, *rows], right=right)
    corpus = training.steps[-1].corpus
    more = f" (and {len(corpus) - _MAX_WORDS:,} more)" if len(corpus) > _MAX_WORDS else ""
    words = " · ".join(_symbols(word) for word in corpus[:_MAX_WORDS])
    return [*lines, f"words after the last step: {words}{more}", ""]


def _row(step: TrainingStep, *, is_scored: bool) -> list[str]:
    numbers: Mapping[tuple[str, str], float] = step.scores if is_scored else step.counts
    form = ".3f" if is_scored else ","
    others = ((pair, number) for pair, number in numbers.items() if pair != step.pair)
    shown = [f"{_symbols(pair)} {number:{form}}" for pair, number in islice(others, _MAX_PAIRS)]
    more = ", …" if len(numbers) > 1 + len(shown) else ""
    return [
        _symbols(step.pair),
        *([f"{step.score:.3f}"] if is_scored else []),
        f"{step.count:,}",
        visible(step.piece),
        f"{step.n_symbols:,}",
        ", ".join(shown) + more,
    ]


def _symbols(symbols: tuple[str, ...]) -> str:
    return " ".join(visible(symbol) for symbol in symbols)
