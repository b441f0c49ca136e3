"""Ctrl-C while words are counted: it waits for a place to stop at, but not for long."""

from __future__ import annotations

import signal
import threading

import pytest

from piecework.train import interrupts


def test_ctrl_c_waits() -> None:
    asked = interrupts.Interrupts()
    with asked.waiting():
        signal.raise_signal(signal.SIGINT)
        assert asked.is_asked
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_does_not_wait_a_second_time() -> None:
    def press_twice() -> None:
        with interrupts.Interrupts().waiting():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()


def test_it_does_not_wait_for_a_place_that_is_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_PATIENCE_S", 0.01)
    asked = interrupts.Interrupts()

    def press_far_from_a_place() -> None:
        with asked.waiting():
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(60)

    with pytest.raises(KeyboardInterrupt):
        press_far_from_a_place()
    assert asked.is_asked


def test_at_the_place_there_is_time_to_write_down_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_PATIENCE_S", 0.01)
    written = []

    def write(*, presses_before: int, presses_meanwhile: int) -> None:
        asked = interrupts.Interrupts()
        with asked.waiting():
            for _ in range(presses_before):
                signal.raise_signal(signal.SIGINT)
            with asked.at_place():
                for _ in range(presses_meanwhile):
                    signal.raise_signal(signal.SIGINT)
                threading.Event().wait(0.1)
                written.append((presses_before, presses_meanwhile))

    write(presses_before=0, presses_meanwhile=0)
    for before, meanwhile in ((1, 0), (0, 1)):
        with pytest.raises(KeyboardInterrupt):
            write(presses_before=before, presses_meanwhile=meanwhile)
    assert written == [(0, 0), (1, 0), (0, 1)]
    with pytest.raises(KeyboardInterrupt):
        write(presses_before=0, presses_meanwhile=2)
    assert len(written) == 3
