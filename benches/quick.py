"""The thresholds of speed: each is one line that says what was measured and whether it holds."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches.measure import alternate, best, process_seconds
from benches.texts import documents
from benches.worker import LONG_PIECES

__all__ = ["run"]

_O200K = "o200k_base"

# Rounds of fresh processes; the best of each side counts.
_N_RUNS = 5


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
        runs = alternate("encode", ("piecework", "tiktoken"), _O200K, text_set, "6", n_runs=_N_RUNS)
        # Processor time, since both run on one thread: what else the machine does is neither's.
        speed = {engine: best(of, "mb_per_cpu_s") for engine, of in runs.items()}
        ratio = speed["piecework"] / speed["tiktoken"]
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "two_kilobytes.txt"
        path.write_text("".join(documents("english", max_bytes=8192))[:2048], encoding="utf-8")
        python = sys.executable
        commands = {
            "bare": [python, "-c", "pass"],
            "import": [python, "-c", "import piecework"],
            "count": [python, "-m", "piecework", "count", "-m", _O200K, str(path)],
        }
        took = process_seconds(commands, 25)
    for name, what, bound in (
        ("import", "import piecework", 40),
        ("count", "piecework count of 2 kB", 100),
    ):
        yield Threshold(f"{what}, above bare Python", (took[name] - took["bare"]) * 1e3, bound, "ms")


def _long(piece: str) -> Iterator[Threshold]:
    for tokenizer in (_O200K, "qwen3"):
        one, ten = _least_seconds(piece, tokenizer)
        yield Threshold(f"1 MB of {piece}, {tokenizer}", one, 1, "s")
        yield Threshold(
            f"10 MB of {piece} against 1 MB, {tokenizer}", ten / one if one else math.inf, 12, "x"
        )


def _least_seconds(piece: str, tokenizer: str) -> tuple[float, float]:
    """The least time for 1 MB and for 10 MB, measured in turn: a machine that slows down slows both."""
    times: dict[str, list[float]] = {"1": [], "10": []}
    for _ in range(_N_RUNS):
        for megabytes, taken in times.items():
            runs = alternate("long", ("piecework",), tokenizer, piece, megabytes, n_runs=1)
            taken.append(runs["piecework"][0]["s"])
    return min(times["1"]), min(times["10"])
