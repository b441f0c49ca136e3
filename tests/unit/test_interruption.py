"""Signals reach Python while long results are made: what listens is shown by a handler that runs meanwhile."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Iterator

import pytest

import piecework as pw

TOK = pw.load("o200k_base")
# A token for each letter: lists of millions, each of which takes a large part of a second to make.
TEXT = "a b\u00e9\n" * 1_000_000
BROKEN = b"\xff" * 2_000_000
PAIRS = "\ud83d\ude80x" * 1_000_000
LETTERS = ["a"] * 2_000_000


@pytest.fixture(scope="module")
def enc() -> pw.Encoding:
    return TOK.encode(TEXT)


@pytest.fixture
def n_heard() -> Iterator[Callable[[], int]]:
    """How often a handler of a timer has run: once at most for a call that does not listen."""
    n = 0

    def hear(*_: object) -> None:
        nonlocal n
        n += 1

    before = signal.signal(signal.SIGALRM, hear)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    yield lambda: n
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


SPANS: dict[str, Callable[[pw.Encoding], object]] = {
    "pieces": lambda enc: enc.pieces,
    "vocab_pieces": lambda enc: enc.vocab_pieces,
    "piece_bytes": lambda enc: enc.piece_bytes,
    "byte_spans": lambda enc: enc.byte_spans,
    "char_spans": lambda enc: enc.char_spans,
    "utf16_spans": lambda enc: enc.utf16_spans,
    "grapheme_spans": lambda enc: enc.grapheme_spans,
    "word_ids": lambda enc: enc.word_ids,
    "ids": lambda enc: enc.ids.tolist() * 0 + enc.ids.tolist() * 0 + enc.ids.tolist(),
}

CALLS: dict[str, Callable[[], object]] = {
    "count of broken bytes": lambda: TOK.count(BROKEN, errors="replace"),
    "encode of broken bytes": lambda: TOK.encode(BROKEN, errors="replace"),
    "ids of surrogates": lambda: TOK.ids(PAIRS, errors="replace"),
    "ids of trusted characters": lambda: TOK.ids(TEXT, special="parse", trusted=[(0, 10**9)]),
    "count_batch of letters": lambda: TOK.count_batch(LETTERS),
    "count_batch on one thread": lambda: TOK.count_batch(LETTERS, n_threads=1),
    "encode_batch of bytes": lambda: TOK.encode_batch([b"a"] * 2_000_000),
    "stages": lambda: TOK.stages(TEXT),
    "decode of a list": lambda: TOK.decode([64] * 5_000_000),
}


# A call that is over before this has answered in time, and may have heard nothing.
IN_TIME_S = 0.2


@pytest.mark.parametrize("name", list(SPANS))
def test_lists_listen(name: str, enc: pw.Encoding, n_heard: Callable[[], int]) -> None:
    before, start = n_heard(), time.perf_counter()
    made = SPANS[name](enc)
    assert n_heard() - before >= 3 or time.perf_counter() - start < IN_TIME_S
    assert made


@pytest.mark.parametrize("name", list(CALLS))
def test_calls_listen(name: str, n_heard: Callable[[], int]) -> None:
    before, start = n_heard(), time.perf_counter()
    CALLS[name]()
    assert n_heard() - before >= 3 or time.perf_counter() - start < IN_TIME_S


@pytest.mark.parametrize("name", list(SPANS))
def test_an_exception_of_a_handler_ends_a_list(name: str, enc: pw.Encoding) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    # What a handler raises inside a callback of the collector is lost: that is Python's, and not asked here.
    gc.disable()
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.03)
    try:
        SPANS[name](enc)
        assert time.perf_counter() - start < IN_TIME_S
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    # What was left half made is freed by the next list, which is whole.
    assert enc.ids[:2].tolist() == TOK.ids("a bé").tolist()
    assert len(TOK.encode("a b").byte_spans) == 2
