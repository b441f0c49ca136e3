"""Medians of several fresh processes."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Runs", "alternate", "process_seconds"]

ROOT = Path(__file__).resolve().parent.parent
Runs = dict[str, list[dict[str, Any]]]


def alternate(kind: str, engines: Sequence[str], tokenizer: str, *arguments: str, n_runs: int) -> Runs:
    """Measures engines in turn, A B A B ..., so that a machine that slows down slows them alike.

    Returns:
        For each engine the results of its runs; every run is a process of its own.
    """
    runs: Runs = {engine: [] for engine in engines}
    for _ in range(n_runs):
        for engine in engines:
            runs[engine].append(_worker(kind, engine, tokenizer, *arguments))
    return runs


def _worker(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benches.worker", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def median(runs: list[dict[str, Any]], field: str) -> float:
    """The median of one figure."""
    return float(statistics.median(run[field] for run in runs))


_TIMES = """
import os, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
times = os.times()
print(times.children_user + times.children_system)
"""


def process_seconds(command: Sequence[str], n_runs: int) -> float:
    """The least processor time, user and system, that a command took in some runs.

    The least, not the median: what a busy machine adds to a short command is not the command's.
    """
    times = []
    for _ in range(n_runs):
        done = subprocess.run(
            [sys.executable, "-c", _TIMES, *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        )
        times.append(float(done.stdout))
    return min(times)
