"""Exit codes, as documented: scripts branch on them."""

from __future__ import annotations

from piecework.errors import LoadError, MissingExtraError, OutputError, PieceworkError

__all__ = ["BAD_INPUT", "CANNOT_LOAD", "FINDING", "FINE", "INTERRUPTED", "USAGE", "exit_code"]

FINE = 0
FINDING = 1
USAGE = 2
CANNOT_LOAD = 3
BAD_INPUT = 4
INTERRUPTED = 130


def exit_code(error: PieceworkError) -> int:
    """Returns the exit code of an error: 3 where nothing could be loaded, 2 for an unusable -o, else 4."""
    if isinstance(error, LoadError | MissingExtraError):
        return CANNOT_LOAD
    return USAGE if isinstance(error, OutputError) else BAD_INPUT
