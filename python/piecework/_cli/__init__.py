"""The command line: parse, call, print. One file for each command, one line for it in `table`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from piecework._cli.app import app  # noqa: PLC0415 - Ctrl-C is answered while this loads, too

        app.main()
    except KeyboardInterrupt:
        sys.exit(130)
