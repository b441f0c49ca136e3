"""The thresholds of speed: each is one line that says what was measured and whether it holds."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches.measure import alternate, median, process_seconds
from benches.texts import documents
from benches.worker import LONG_PIECES

__all__ = ["run"]

_O200K = "o200k_base"


@dataclass(frozen=True)
class Threshold:
    """One figure and its bound."""

    what: str
    value: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is on the right side of its bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def __str__(self) -> str:
        relation = "at least" if self.at_least else "at most"
        verdict = "ok  " if self.holds else "FAIL"
        return f"{verdict}  {self.what}: {self.value:.3g} {self.unit} ({relation} {self.bound:g})"


def run() -> int:
    """Measures and prints each threshold; 1 if any does not hold."""
    failed = 0
    for threshold in _thresholds():
        print(threshold, flush=True)
        failed += not threshold.holds
    print(f"{failed} thresholds do not hold" if failed else "all thresholds hold")
    return 1 if failed else 0


def _thresholds() -> Iterator[Threshold]:
    yield from _commands()
    for text_set, bound in (("english", 4.0), ("code", 4.0), ("languages", 2.0)):
        runs = alternate("encode", ("piecework", "tiktoken"), _O200K, text_set, "6", n_runs=3)
        ratio = median(runs["piecework"], "mb_per_s") / median(runs["tiktoken"], "mb_per_s")
        yield Threshold(
            f"{text_set}, o200k_base, one thread, unseen: speed against tiktoken",
            ratio,
            bound,
            "x",
            at_least=True,
        )
    for piece in LONG_PIECES:
        yield from _long(piece)


def _commands() -> Iterator[Threshold]:
    bare = process_seconds([sys.executable, "-c", "pass"], 9)
    imported = process_seconds([sys.executable, "-c", "import piecework"], 9)
    yield Threshold("import piecework, above bare Python", (imported - bare) * 1e3, 40, "ms")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "two_kilobytes.txt"
        path.write_text("".join(documents("english", 8192))[:2048], encoding="utf-8")
        counted = process_seconds([sys.executable, "-m", "piecework", "count", "-m", _O200K, str(path)], 9)
    yield Threshold("piecework count of 2 kB, above bare Python", (counted - bare) * 1e3, 100, "ms")


def _long(piece: str) -> Iterator[Threshold]:
    for tokenizer in (_O200K, "qwen3"):
        one = min(
            run["s"]
            for run in alternate("long", ("piecework",), tokenizer, piece, "1", n_runs=3)["piecework"]
        )
        ten = min(
            run["s"]
            for run in alternate("long", ("piecework",), tokenizer, piece, "10", n_runs=3)["piecework"]
        )
        yield Threshold(f"1 MB of {piece}, {tokenizer}", one, 1, "s")
        yield Threshold(
            f"10 MB of {piece} against 1 MB, {tokenizer}", ten / one if one else math.inf, 12, "x"
        )
