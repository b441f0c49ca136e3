"""The name of what is being worked on, on a terminal only, for work on a number of things that nobody knows beforehand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.status import Status

__all__ = ["NameProgress"]


class NameProgress:
    """Shows a line on stderr that is gone when the work is done."""

    def __init__(self, doing: str, *, quiet: bool) -> None:
        self._doing = doing
        self._is_on = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._is_on:
            from rich.console import Console  # noqa: PLC0415 - most runs are no terminal's
            from rich.status import Status  # noqa: PLC0415 - as above

            self._status = Status(self._doing, console=Console(stderr=True))
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, name: str) -> None:
        """Names what comes next."""
        if self._status is not None:
            from rich.markup import escape  # noqa: PLC0415 - as above

            self._status.update(f"{self._doing} {escape(name)}")
