"""SIGTERM as Ctrl-C: a job that a scheduler ends keeps what it has, and exits with a code of its own."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

import click

from piecework._cli.exits import TERMINATED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["termination_as_interrupt"]


@contextlib.contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Does on SIGTERM what is done on Ctrl-C; on the main thread, where nobody else handles it.

    Raises:
        click.exceptions.Exit: It came, and the block was interrupted by it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    is_asked = False

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        nonlocal is_asked
        is_asked = True
        on_interrupt = signal.getsignal(signal.SIGINT)
        if callable(on_interrupt):
            on_interrupt(signal.SIGINT, frame)
        else:
            # Where Ctrl-C is ignored, as behind nohup, nothing waits for it.
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if is_asked:
            raise click.exceptions.Exit(TERMINATED) from None
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
