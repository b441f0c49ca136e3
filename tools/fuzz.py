"""`make check`'s share of fuzzing: every target for ten seconds on mutated seeds, side by side on all cores.

Compiled with the profile of the tests. Where the system can, each process is refused memory over a limit, so that a
file which claims a gigabyte fails here and not on a user's machine. `make fuzz` goes deeper, guided by coverage.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits.
    resource = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
MAX_MEMORY_BYTES = 4 << 30
MAX_S = 300

_TEST = ["cargo", "test", "--quiet", "--locked", "-p", "piecework-fuzz", "--test", "mutated"]


def main() -> int:
    """Compile the targets, then run them.

    Returns:
        0 where nothing was found.
    """
    compiled = subprocess.run([*_TEST, "--no-run"], cwd=ROOT, check=False)
    if compiled.returncode != 0:
        return compiled.returncode
    try:
        run = subprocess.run(
            [*_TEST, "--", "--include-ignored"],
            cwd=ROOT,
            check=False,
            timeout=MAX_S,
            preexec_fn=_limit,
        )
    except subprocess.TimeoutExpired:
        print(f"fuzz: not done after {MAX_S} s")
        return 1
    return run.returncode


def _limit() -> None:
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


if __name__ == "__main__":
    sys.exit(main())
