"""Ctrl-C that waits for a place where what is done can be written down."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["Interrupts"]


# How long the place may be away. What is lost beyond is what was done since it was last written down.
_PATIENCE_S = 1.0


def _press_again() -> None:
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        # The main thread itself, so that what it waits for ends.
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


class Interrupts:
    """Whether somebody pressed Ctrl-C while it waits; that for a second at most, and not a second time."""

    def __init__(self) -> None:
        self.is_asked = False
        self._is_at_place = False
        self._timer: threading.Timer | None = None

    @contextlib.contextmanager
    def at_place(self) -> Iterator[None]:
        """Lets Ctrl-C wait, however long it takes, while what is done is written down.

        Raises:
            KeyboardInterrupt: It was pressed, before or meanwhile.
        """
        self._is_at_place = True
        self._stop_timer()
        try:
            yield
        finally:
            self._is_at_place = False
        if self.is_asked:
            raise KeyboardInterrupt

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        if self._is_at_place:
            return
        self._timer = threading.Timer(_PATIENCE_S, _press_again)
        self._timer.daemon = True
        self._timer.start()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Lets Ctrl-C wait, where it is Python's own: another handler, and another thread, are let be."""
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            self._stop_timer()
            signal.signal(signal.SIGINT, signal.default_int_handler)
