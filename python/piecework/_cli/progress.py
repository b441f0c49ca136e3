"""A progress bar for work that takes long: on a terminal only, and only once a person has waited a little."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

__all__ = ["ByteProgress"]

_PATIENCE_S = 0.7


class ByteProgress:
    """Shows on stderr how many of so many bytes are done."""

    def __init__(self, n_bytes: int, *, quiet: bool) -> None:
        self._n_bytes = n_bytes
        self._is_on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._start_s = time.monotonic()
        self._done_bytes = 0
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def add(self, n_bytes: int) -> None:
        """Reports that more bytes are done."""
        self._done_bytes += n_bytes
        if not self._is_on or time.monotonic() - self._start_s < _PATIENCE_S:
            return
        if self._bar is None:
            self._bar = self._begin()
        bar, task = self._bar
        bar.update(task, completed=self._done_bytes)

    def _begin(self) -> tuple[Progress, TaskID]:
        from rich import progress  # noqa: PLC0415 - most runs never draw a bar
        from rich.console import Console  # noqa: PLC0415

        bar = progress.Progress(
            progress.TextColumn("counting"),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=self._n_bytes)
