"""A counter of words with limits."""

from __future__ import annotations

from typing import Any

from piecework import _core

__all__ = ["new_counter"]


class _Plain:
    n_runs = n_words = n_bytes = 0
    n_distinct_held = 0

    def __init__(self, file: bytes, by_line: bool) -> None:
        self._counter: Any = _core.WordCounter(file, by_line)
        self._pairs: list[tuple[bytes, int]] = []

    def feed(self, texts: Any, errors: str, n_threads: int | None, times: int = 1) -> None:
        for _ in range(times):
            self._counter.feed(texts, errors, n_threads)

    def add(self, words: list[bytes], counts: list[int]) -> None:
        self._pairs.extend(zip(words, counts, strict=True))

    def finish(self, *, min_word_count: int = 1, max_bytes: int | None = None) -> Any:
        counts = self._counter.finish()
        return _core.WordCounts.of(self._pairs) if self._pairs else counts


def new_counter(file: bytes, by_line: bool, **limits: Any) -> Any:
    if hasattr(_core.WordCounter, "add"):
        return _core.WordCounter(file, by_line, **limits)
    return _Plain(file, by_line)
