"""The progress bar: on a terminal, after a while, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from piecework._cli import progress
from piecework._cli.progress import ByteProgress


class Screen(io.StringIO):
    """A terminal that keeps what is drawn on it."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def drawn(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, patience_s: float, quiet: bool = False
) -> str:
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_PATIENCE_S", patience_s)
    monkeypatch.setenv("TERM", "xterm-256color")
    with ByteProgress(2_000_000, quiet=quiet) as bar:
        bar.add(1_000_000)
        bar.add(1_000_000)
    return screen.getvalue()


def test_long_work_on_a_terminal_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "2.0/2.0 MB" in drawn(monkeypatch, is_terminal=True, patience_s=0)


@pytest.mark.parametrize(
    ("is_terminal", "patience_s", "quiet"), [(True, 60, False), (False, 0, False), (True, 0, True)]
)
def test_else_nothing_is(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, patience_s: float, quiet: bool
) -> None:
    assert drawn(monkeypatch, is_terminal=is_terminal, patience_s=patience_s, quiet=quiet) == ""
