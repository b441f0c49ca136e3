"""Merges as a teacher shows them: a row for each, then what became of the words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from piecework.train import Training, TrainingStep

__all__ = ["step_lines"]

_MAX_PAIRS = 5
_MAX_WORDS = 40


def step_lines(training: Training) -> list[str]:
    """The table of a training with steps: each merge, its rivals before it, and the words after the last one."""
    head = ["step", "pair", "count", "piece", "symbols", "others"]
    rows = [[str(at), *_row(step)] for at, step in enumerate(training.steps, 1)]
    before = ["", "", "", "", f"{training.report.n_symbols_before:,}", ""]
    lines = columns([head, before, *rows], right=frozenset({0, 2, 4}))
    corpus = training.steps[-1].corpus
    more = f" (and {len(corpus) - _MAX_WORDS:,} more)" if len(corpus) > _MAX_WORDS else ""
    words = " · ".join(_symbols(word) for word in corpus[:_MAX_WORDS])
    return [*lines, f"words after the last step: {words}{more}", ""]


def _row(step: TrainingStep) -> list[str]:
    others = ((pair, count) for pair, count in step.counts.items() if pair != step.pair)
    shown = [f"{_symbols(pair)} {count:,}" for pair, count in islice(others, _MAX_PAIRS)]
    more = ", …" if len(step.counts) > 1 + len(shown) else ""
    return [
        _symbols(step.pair),
        f"{step.count:,}",
        visible(step.piece),
        f"{step.n_symbols:,}",
        ", ".join(shown) + more,
    ]


def _symbols(symbols: tuple[str, ...]) -> str:
    return " ".join(visible(symbol) for symbol in symbols)
