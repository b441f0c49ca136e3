"""The progress bar: on a terminal, after a while, and gone at the end."""

from __future__ import annotations

import io
import sys
import time

import pytest

from piecework._cli import progress
from piecework._cli.progress import ByteProgress
from tests.cli.conftest import Run


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
    with ByteProgress(2_000_000, doing="counting", quiet=quiet) as bar:
        bar.add(1_000_000)
        bar.add(1_000_000)
        if is_terminal and not quiet and patience_s == 0:
            wait_for("MB", screen)
    return screen.getvalue()


def wait_for(text: str, screen: Screen) -> None:
    deadline = time.monotonic() + 30
    while text not in screen.getvalue() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_long_work_on_a_terminal_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "2.0/2.0 MB" in drawn(monkeypatch, is_terminal=True, patience_s=0)


def test_one_large_text_shows_before_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0)
    monkeypatch.setenv("TERM", "xterm-256color")
    with ByteProgress(2_000_000, doing="showing", quiet=False):
        wait_for("MB", screen)
        assert "showing" in screen.getvalue()
        assert "0.0/2.0 MB" in screen.getvalue()


def test_the_bar_of_several_tokenizers_is_in_the_bytes_of_the_texts(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals: list[int] = []
    done: list[int] = []

    class Recorded(ByteProgress):
        def __init__(self, n_bytes: int, *, doing: str, quiet: bool) -> None:
            totals.append(n_bytes)
            super().__init__(n_bytes, doing=doing, quiet=quiet)

        def add(self, n_bytes: int) -> None:
            done.append(n_bytes)

    monkeypatch.setattr("piecework._cli.commands.count.ByteProgress", Recorded)
    run("count", "--text", "Hello", "-m", "gpt-4o", "-m", "qwen3")
    assert (totals, done) == ([5], [5])


@pytest.mark.parametrize(
    ("is_terminal", "patience_s", "quiet"), [(True, 60, False), (False, 0, False), (True, 0, True)]
)
def test_else_nothing_is(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, patience_s: float, quiet: bool
) -> None:
    assert drawn(monkeypatch, is_terminal=is_terminal, patience_s=patience_s, quiet=quiet) == ""
