"""Exit codes, as documented: scripts branch on them."""

from __future__ import annotations

from piecework.errors import LoadError, MissingExtraError, OutputError, PieceworkError

__all__ = [
    "BAD_INPUT",
    "CANNOT_LOAD",
    "FINDING",
    "FINE",
    "INTERNAL",
    "INTERRUPTED",
    "MEANINGS",
    "TERMINATED",
    "USAGE",
    "exit_code",
]

FINE = 0
FINDING = 1
USAGE = 2
CANNOT_LOAD = 3
BAD_INPUT = 4
INTERNAL = 70
INTERRUPTED = 130
TERMINATED = 143

MEANINGS = {
    FINE: "fine",
    FINDING: "a finding: a text is over its limit, or holds what it must not",
    USAGE: "usage",
    CANNOT_LOAD: "a tokenizer cannot be loaded",
    BAD_INPUT: "bad input: a file that is missing or not UTF-8, an unknown id",
    INTERNAL: "an error inside Piecework: a bug",
    INTERRUPTED: "interrupted",
    TERMINATED: "ended by SIGTERM while training",
}


def exit_code(error: PieceworkError) -> int:
    """Returns the exit code of an error: 3 where nothing could be loaded, 2 for an unusable -o, else 4."""
    if isinstance(error, LoadError | MissingExtraError):
        return CANNOT_LOAD
    return USAGE if isinstance(error, OutputError) else BAD_INPUT
