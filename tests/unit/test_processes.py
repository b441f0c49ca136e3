"""Threads, processes and interruption: the engine lets go of the interpreter, lives through fork, and stops when told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import piecework as pw

# Random letters are the engine's slowest text: about a second of work for each 10 MB.
LONG = os.urandom(30_000_000).hex()

CALLS: dict[str, Callable[[pw.Tokenizer], object]] = {
    "ids": lambda tok: tok.ids(LONG),
    "count": lambda tok: tok.count(LONG),
    "count_up_to": lambda tok: tok.count_up_to(LONG, 10**9),
    "encode": lambda tok: tok.encode(LONG),
    "truncate": lambda tok: tok.truncate(LONG, max_tokens=10**7),
    "encode_batch": lambda tok: tok.encode_batch([LONG, LONG]),
    "count_batch": lambda tok: tok.count_batch([LONG, LONG]),
    "count_batch on one thread": lambda tok: tok.count_batch([LONG, LONG], n_threads=1),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_ctrl_c_stops_the_engine(name: str) -> None:
    tok = pw.load("o200k_base")
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](tok)
    timer.join()
    # Nothing is broken by it.
    assert tok.ids("Hello, world!") == [13225, 11, 2375, 0]


@pytest.mark.parametrize("name", ["ids", "count", "encode_batch"])
def test_other_threads_run_meanwhile(name: str) -> None:
    tok = pw.load("o200k_base")
    n_ticks = 0
    is_done = threading.Event()

    def tick() -> None:
        nonlocal n_ticks
        while not is_done.is_set():
            n_ticks += 1
            time.sleep(0.001)

    ticking = threading.Thread(target=tick)
    ticking.start()
    before = n_ticks
    CALLS[name](tok)
    after = n_ticks
    is_done.set()
    ticking.join()
    assert after - before > 10


FORK = """
import os, sys, piecework as pw
tok = pw.load("o200k_base")
texts = [f"text {n}: naïve façade 🚀" * 20 for n in range(500)]
expected = tok.count_batch(texts).tolist()
for _ in range(3):
    child = os.fork()
    if child == 0:
        fine = tok.count_batch(texts).tolist() == expected and tok.count(texts[0]) == expected[0]
        os._exit(0 if fine else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert tok.count_batch(texts).tolist() == expected
print("fine")
"""


def test_a_forked_child_works_on() -> None:
    result = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.stdout, result.returncode) == ("fine\n", 0), result.stderr


def test_other_processes_get_the_same_tokenizer() -> None:
    tok = pw.load("qwen3")
    texts = ["Olá, mundo!", " castanha", "<|im_start|>"]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(tok.count, texts)) == [tok.count(text) for text in texts]
        assert list(pool.map(tok.encode, texts)) == [tok.encode(text) for text in texts]
