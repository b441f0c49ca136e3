"""The command line: parse, call, print. One file for each command, one line for it in `table`."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main"]

# How many objects may be made before Python looks for garbage among them; 700 by itself.
_MAX_UNCHECKED = 100_000


def main() -> None:
    """Runs the command line and exits with its code."""
    # Hardly anything that a short run makes is garbage: to look for some, as often as Python does, takes a twentieth of it.
    gc.set_threshold(_MAX_UNCHECKED)
    try:
        from piecework._cli.app import app  # noqa: PLC0415 - Ctrl-C is answered while this loads, too

        # Nor is anything that an import makes, however long the run.
        gc.freeze()
        code = app.main(standalone_mode=False, on_interrupt=_leave_interrupted)
    except KeyboardInterrupt:
        sys.exit(130)
    _leave(code)


def _leave(code: int) -> None:
    """Ends the process without freeing its memory piece by piece: a tenth of a short run, seconds for a large text."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            # Whoever read it is gone; what there was to say of that is said.
            continue
    os._exit(code)


def _leave_interrupted() -> None:
    # What stands in buffers is not wanted any more, and files that were being written are gone.
    os._exit(130)
