"""What several fresh processes took: the median of each figure, or the best where a threshold is held."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Runs", "alternate", "best", "median", "process_seconds", "worker_result"]

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
            runs[engine].append(worker_result("benches.worker", kind, engine, tokenizer, *arguments))
    return runs


def worker_result(module: str, *arguments: str) -> dict[str, Any]:
    """What a module prints last when it runs in a process of its own; what libraries print before it is left out.

    Raises:
        SystemExit: The process failed; with what it said.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:])[:200]}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def median(runs: list[dict[str, Any]], field: str) -> float:
    """The median of one figure."""
    return float(statistics.median(run[field] for run in runs))


def best(runs: list[dict[str, Any]], field: str) -> float:
    """The highest of one figure: other processes only ever lower a speed."""
    return float(max(run[field] for run in runs))


# The kernel counts a process's time to the microsecond; only `os.times` rounds it to ticks of a hundredth of a second.
_USAGE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime)
"""


def process_seconds(commands: Mapping[str, Sequence[str]], n_runs: int) -> dict[str, float]:
    """The least processor time, user and system, that each command took in some runs, the commands in turn.

    The least, not the median: what a busy machine adds to a short command is not the command's. Modules are compiled by
    then, as pip compiles what it installs, even where the environment forbids Python to keep what it compiled.
    """
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        # The first run compiles, and is not measured.
        for run in range(n_runs + 1):
            for name, command in commands.items():
                done = subprocess.run(
                    [sys.executable, "-c", _USAGE, *command],
                    cwd=ROOT,
                    env=environment,
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                if run > 0:
                    times[name].append(float(done.stdout))
    return {name: min(taken) for name, taken in times.items()}
