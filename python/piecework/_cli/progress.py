"""A progress bar for work that takes long: on a terminal only, and only once a person has waited a little."""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

__all__ = ["ByteProgress", "PatientBar"]

_PATIENCE_S = 0.7


class PatientBar(ABC):
    """A bar on stderr, begun by a timer and not by the first report: one large text reports only when it is done."""

    def __init__(self, *, quiet: bool) -> None:
        self._is_on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None
        self._is_over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE_S, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if self._is_on:
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._bar is not None:
                self._bar[0].stop()

    def _begin(self) -> None:
        with self._lock:
            # The work may have ended while the timer was going off.
            if not self._is_over:
                self._bar = self._draw()

    @abstractmethod
    def _draw(self) -> tuple[Progress, TaskID]:
        """Begins the bar, with what is done so far."""


class ByteProgress(PatientBar):
    """Shows on stderr how many of so many bytes are done."""

    def __init__(self, n_bytes: int, *, doing: str, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._n_bytes = n_bytes
        self._doing = doing
        self._done_bytes = 0

    def add(self, n_bytes: int) -> None:
        """Reports that more bytes are done."""
        with self._lock:
            self._done_bytes += n_bytes
            if self._bar is not None:
                bar, task = self._bar
                bar.update(task, completed=self._done_bytes)

    def _draw(self) -> tuple[Progress, TaskID]:
        from rich import progress  # noqa: PLC0415 - most runs never draw a bar
        from rich.console import Console  # noqa: PLC0415

        bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn(self._doing),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=self._n_bytes, completed=self._done_bytes)
