"""One training in a process of its own: `python -m benches.train_worker TRAINER FILE [PATTERN]` prints one JSON object."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import perf_counter

from benches.train_engines import N_THREADS, TRAINERS

_MB = 1_000_000


def main() -> None:
    """Trains once, on Linux: the peak is that of the kernel, above what the process had used when all was imported."""
    name, path, *pattern = sys.argv[1:]
    _keep_to_cores(N_THREADS)
    train = TRAINERS[name]()
    before = _peak_bytes()
    started = perf_counter()
    learned = train(Path(path), pattern[0] if pattern else None)
    took = perf_counter() - started
    peak = _peak_bytes() - before
    print(json.dumps({"s": took, "peak_mb": peak / _MB, "learned": learned()}))


def _keep_to_cores(n_cores: int) -> None:
    """Some trainers have no argument for threads: they ask how many processors there are, or this variable."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_cores])
    os.environ["RAYON_NUM_THREADS"] = str(n_cores)


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
