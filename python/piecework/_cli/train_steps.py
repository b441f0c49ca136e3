"""Merges as a teacher shows them: a row for each, what became of the words, and words cut by the merges."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from piecework import _core
from piecework._explain.columns import columns
from piecework._explain.glyphs import piece_glyphs, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from piecework.train import Training, TrainingStep

__all__ = ["step_lines"]

_MAX_PAIRS = 5
_MAX_WORDS = 40


def step_lines(training: Training, cuts: Sequence[str] = ()) -> list[str]:
    """The table of a training with steps: each merge, its rivals before it, and the words after the last one.

    Args:
        training: A training with steps.
        cuts: Words to be cut by the merges, one after the other.
    """
    is_scored = training.options.get("score") == "wordpiece"
    is_bytes = training.options.get("base") == "bytes"
    shown = _byte_glyphs() if is_bytes else visible
    head = ["step", "pair", *(["score"] if is_scored else []), "count", "piece", "symbols", "others"]
    start = ["" for _ in head]
    start[-2] = f"{training.report.n_symbols_before:,}"
    rows = [[str(at), *_row(step, shown, is_scored=is_scored)] for at, step in enumerate(training.steps, 1)]
    right = frozenset({0, 2, 3, 5} if is_scored else {0, 2, 4})
    corpus = training.steps[-1].corpus
    more = f" (and {len(corpus) - _MAX_WORDS:,} more)" if len(corpus) > _MAX_WORDS else ""
    words = " | ".join(_spaced(word, shown) for word in corpus[:_MAX_WORDS])
    base = [] if is_bytes else [f"base, in the order met: {_spaced(training.base_order, shown)}"]
    return [
        *columns([head, start, *rows], right=right),
        *base,
        f"words after the last step: {words}{more}",
        *(f"{visible(word)} is cut: {_spaced(training.pieces(word), shown)}" for word in cuts),
        "",
    ]


def _row(step: TrainingStep, shown: Callable[[str], str], *, is_scored: bool) -> list[str]:
    numbers: Mapping[tuple[str, str], float] = step.scores if is_scored else step.counts
    form = ".3f" if is_scored else ","
    others = ((pair, number) for pair, number in numbers.items() if pair != step.pair)
    rivals = [f"{_spaced(pair, shown)} {number:{form}}" for pair, number in islice(others, _MAX_PAIRS)]
    more = ", …" if len(numbers) > 1 + len(rivals) else ""
    return [
        _spaced(step.pair, shown),
        *([f"{step.score:.3f}"] if is_scored else []),
        f"{step.count:,}",
        shown(step.piece),
        f"{step.n_symbols:,}",
        ", ".join(rivals) + more,
    ]


def _spaced(symbols: Iterable[str], shown: Callable[[str], str]) -> str:
    return " ".join(shown(symbol) for symbol in symbols)


def _byte_glyphs() -> Callable[[str], str]:
    """Symbols of the display alphabet as the text that their bytes are."""
    bytes_of = {character: byte for byte, character in enumerate(_core.byte_alphabet())}
    return lambda symbol: piece_glyphs(bytes(bytes_of[character] for character in symbol))
