"""Training beside the peers: seconds and peak memory of fresh processes in turn, and whether the merges are the same."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benches.measure import Runs, median, worker_result
from benches.train_engines import N_ENTRIES, N_THREADS, TRAINERS_OF
from benches.train_texts import TRAIN_SETS, TrainText, write_text
from tools import fixtures

__all__ = ["conditions", "training_rows"]

# A trainer that takes this long is measured twice: what other processes add is less of it.
_SLOW_S, _N_SLOW_RUNS = 20, 2
_REFERENCE = "tokenizers"
# Those whose merges must be the reference's.
_EQUAL = ("piecework", "gigabpe")


def training_rows(n_runs: int, megabytes: float | None) -> Iterator[dict[str, Any]]:
    """The rows of the record, each as soon as it is measured; prints what was compared.

    Args:
        n_runs: Fresh processes a figure.
        megabytes: The size of each text; None for 100 MB of English and 48 MB of other languages.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in TRAIN_SETS:
            text = write_text(name, megabytes, Path(folder))
            print(text.description, flush=True)
            about: dict[str, Any] = {
                key: value for key, value in asdict(text).items() if key not in ("name", "path")
            }
            for pattern in TRAINERS_OF:
                # Two trainers' figures stand beside each other in any case; only a quiet machine's beside other days'.
                about["load_before"] = round(os.getloadavg()[0], 2)
                runs = _alternate(text, pattern, n_runs)
                shared = _compare(text, pattern, runs)
                yield _row("train, s", pattern, text, runs, "s") | {"entries_shared": shared} | about
                yield _row("train, peak MB", pattern, text, runs, "peak_mb")


def conditions() -> dict[str, Any]:
    """What holds for all rows of training."""
    return {
        "entries": N_ENTRIES,
        "threads": N_THREADS,
        "runs": f"medians; trainers that take {_SLOW_S} s run {_N_SLOW_RUNS} times, a median of two being their mean",
        "memory": "VmHWM at the end less VmHWM when the library was imported",
        "input": "one file, read a line at a time with its end; gigatoken: as one text",
        "patterns": "gigabpe and gigatoken have only GPT-2's; rustbpe and bpeasy take the expression of o200k_base",
    }


def _alternate(text: TrainText, pattern: str, n_runs: int) -> Runs:
    """A B C A B C ..., so that a machine that slows down slows them alike."""
    trainers = TRAINERS_OF[pattern]
    expression = [] if pattern == "gpt2" else [_o200k_expression()]
    runs: Runs = {trainer: [] for trainer in trainers}
    for _ in range(n_runs):
        for trainer in trainers:
            if len(runs[trainer]) < _N_SLOW_RUNS or runs[trainer][0]["s"] < _SLOW_S:
                result = worker_result("benches.train_worker", trainer, str(text.path), *expression)
                runs[trainer].append(result)
    return runs


def _o200k_expression() -> str:
    """The expression as the reference's own file of that encoding has it."""
    file = json.loads(fixtures.fixture("gpt4o/tokenizer.json").read_bytes())
    stages = file["pre_tokenizer"]["pretokenizers"]
    expression: str = next(stage["pattern"]["Regex"] for stage in stages if stage["type"] == "Split")
    return expression


def _compare(text: TrainText, pattern: str, runs: Runs) -> dict[str, int]:
    """Holds merges against the reference's, so that no figures of different work stand side by side.

    Returns:
        For each trainer, how many of the reference's merged entries it has too: all where the merges are equal.

    Raises:
        SystemExit: Merges differ that must not.
    """
    expected = runs[_REFERENCE][0]["learned"]
    entries = {"".join(merge) for merge in expected}
    shared = {}
    for trainer, results in runs.items():
        shared[trainer] = len(entries & {"".join(merge) for merge in results[0]["learned"]})
        # gigabpe leaves bytes out that the text lacks, and learns as many merges more.
        is_equal = all(run["learned"][: len(expected)] == expected for run in results)
        if trainer in _EQUAL and not is_equal:
            raise SystemExit(f"{text.label}, {pattern}: {trainer} has other merges than {_REFERENCE}")
        if trainer != _REFERENCE:
            n_shared = f"{shared[trainer]:,} of {len(entries):,} merged entries shared with {_REFERENCE}"
            found = f"{len(expected):,} merges equal to {_REFERENCE}" if is_equal else n_shared
            print(f"{text.label}, {pattern}, {N_ENTRIES:,} entries: {trainer}: {found}", flush=True)
    return shared


def _row(what: str, pattern: str, text: TrainText, runs: Runs, field: str) -> dict[str, Any]:
    return {
        "what": what,
        "tokenizer": pattern,
        "text": text.label,
        "median": {trainer: round(median(results, field), 3) for trainer, results in runs.items()},
        "all": {trainer: [round(run[field], 3) for run in results] for trainer, results in runs.items()},
    }
