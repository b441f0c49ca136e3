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


class Interrupts:
    """Whether somebody pressed Ctrl-C while it waits. A second time, it does not wait."""

    def __init__(self) -> None:
        self.is_asked = False

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True

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
            signal.signal(signal.SIGINT, signal.default_int_handler)
