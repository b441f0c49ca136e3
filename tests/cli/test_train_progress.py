"""The bar of a training: its phases on a terminal, and nothing anywhere else."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest

from piecework._cli import progress
from piecework._cli.train_progress import PhaseBar, amount
from piecework.train.progress import TrainingProgress
from tests.cli.test_progress import Screen, wait_for

COUNTING = TrainingProgress(
    phase="count", done=1_200_000, total=4_800_000, unit="bytes", n_distinct_words=31_415
)
LEARNING = TrainingProgress(phase="learn", done=500, total=31_744, unit="merges", n_distinct_words=0)
MERGING = TrainingProgress(phase="merge", done=0, total=None, unit="words", n_distinct_words=812)


def terminal(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal of 80 columns in place of stderr, whose bar comes at once."""
    made = Screen(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    return made


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (COUNTING, "1.20 of 4.80 MB, 31,415 distinct"),
        (LEARNING, "500 of 31,744 merges"),
        (replace(LEARNING, done=0, total=None), ""),
        (replace(COUNTING, total=4_800_000_000), "1.20 MB of 4.80 GB, 31,415 distinct"),
        (TrainingProgress(phase="merge", done=7, total=None, unit="words", n_distinct_words=0), "7 words"),
    ],
)
def test_how_much_is_done(report: TrainingProgress, text: str) -> None:
    assert amount(report) == text


def test_each_phase_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    with PhaseBar(quiet=False) as bar:
        wait_for("reading", screen)
        bar(COUNTING)
        wait_for("counting", screen)
        wait_for("31,415 distinct", screen)
        assert "left" not in screen.getvalue(), "nobody knows yet"
        bar(replace(COUNTING, done=2_400_000))
        bar(replace(COUNTING, done=3_600_000))
        wait_for(" left", screen)
        before = len(screen.getvalue())
        bar(replace(COUNTING, done=COUNTING.total or 0))
        wait_for("4.80 of 4.80 MB", screen)
        assert "left" not in screen.getvalue()[before:].rpartition("4.80 of 4.80 MB")[2]
        bar(LEARNING)
        wait_for("500 of 31,744 merges", screen)
    assert "learning" in screen.getvalue()
    assert not re.search(r"-:--:--|0:00:00", screen.getvalue())


@pytest.mark.parametrize(
    ("report", "shown"),
    [
        (replace(MERGING, n_distinct_words=0), "merging runs"),
        (replace(MERGING, done=65_536), "merging runs 65,536 words, 812 distinct"),
        (replace(LEARNING, total=None), "learning 500 merges"),
    ],
)
def test_what_has_no_known_end_has_no_bar(
    monkeypatch: pytest.MonkeyPatch, report: TrainingProgress, shown: str
) -> None:
    screen = terminal(monkeypatch)
    with PhaseBar(quiet=False) as bar:
        bar(COUNTING)
        wait_for("31,415 distinct", screen)
        before = len(screen.getvalue())
        bar(report)
        wait_for(shown.split(maxsplit=1)[0], screen)
    drawn = screen.getvalue()[before:]
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in re.split(r"[\r\n]+", drawn)]
    last = [" ".join(line.split()) for line in lines if shown.split(maxsplit=1)[0] in line]
    # Behind the spinner, which is one character.
    assert last
    assert {line[2:] for line in last} == {shown}


def test_a_phase_that_began_before_the_bar_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.05)
    with PhaseBar(quiet=False) as bar:
        bar(COUNTING)
        wait_for("counting", screen)
    assert "1.20 of 4.80 MB" in screen.getvalue()


@pytest.mark.parametrize(("is_terminal", "quiet"), [(False, False), (True, True)])
def test_else_nothing_is(monkeypatch: pytest.MonkeyPatch, is_terminal: bool, quiet: bool) -> None:
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0)
    with PhaseBar(quiet=quiet) as bar:
        bar(COUNTING)
        bar(LEARNING)
    assert screen.getvalue() == ""


def test_no_color_is_kept_to(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    with PhaseBar(quiet=False) as bar:
        bar(COUNTING)
        wait_for("distinct", screen)
    assert "counting" in screen.getvalue()
    assert "\x1b[3" not in screen.getvalue()
