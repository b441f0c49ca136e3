"""The command line: parse, call, print. One file for each command, one line for it in `table`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from piecework._cli.app import app  # noqa: PLC0415 - Ctrl-C is answered while this loads, too

        app.main(on_interrupt=_leave)
    except KeyboardInterrupt:
        sys.exit(130)


def _leave() -> None:
    """Ends the process without freeing its memory piece by piece, which for a large text takes seconds."""
    # What stood in buffers is not wanted any more, and files that were being written are gone.
    os._exit(130)
