"""Counted words as the caller has them: a mapping, pairs, or paths of count files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from piecework.errors import ArgumentError, NotUnicodeError

__all__ = ["COUNT_SUFFIXES", "Words", "word_batches", "word_source"]

Words = (
    Mapping[str, int] | Iterable[tuple[str, int]] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
)

COUNT_SUFFIXES = (".tsv", ".tsv.gz", ".tsv.zst", ".parquet")
_MAX_COUNT = (1 << 63) - 1
_BATCH_WORDS = 1 << 16


def word_source(words: object) -> tuple[tuple[Path, ...], Iterable[object]]:
    """What `words=` is: the paths of count files, or pairs.

    Returns:
        The paths, and no pairs; or no path, and the pairs.

    Raises:
        TypeError: It is neither.

    Examples:
        >>> word_source("counts.tsv.gz")[0], list(word_source({"hug": 10})[1])
        ((PosixPath('counts.tsv.gz'),), [('hug', 10)])
    """
    if isinstance(words, str | os.PathLike):
        return (_path(words),), ()
    if isinstance(words, Mapping):
        return (), words.items()
    if isinstance(words, bytes) or not isinstance(words, Iterable):
        raise TypeError(f'words is a mapping such as {{"hug": 10}}, pairs, or paths ({_endings()})')
    items = iter(words)
    first = list(_first(items))
    if first and isinstance(first[0], str | os.PathLike):
        return tuple(_path(path) for path in chain(first, items)), ()
    return (), chain(first, items)


def _first(items: Iterator[object]) -> Iterator[object]:
    for item in items:
        yield item
        return


def _endings() -> str:
    return ", ".join(COUNT_SUFFIXES)


def _path(path: object) -> Path:
    if isinstance(path, str | os.PathLike) and os.fspath(path).lower().endswith(COUNT_SUFFIXES):
        return Path(path)
    raise TypeError(f"words are pairs of a word and its count, or paths ({_endings()}), not {path!r}")


def word_batches(pairs: Iterable[object]) -> Iterator[tuple[list[bytes], list[int]]]:
    """Words and counts in batches; a word given twice counts twice.

    Raises:
        TypeError: What is given are no words with their counts.
        ValueError: A count is negative or over 2**63 - 1.
        NotUnicodeError: A word has a lone surrogate.
    """
    words: list[bytes] = []
    counts: list[int] = []
    for pair in pairs:
        word, count = _counted(pair)
        words.append(word)
        counts.append(count)
        if len(words) == _BATCH_WORDS:
            yield words, counts
            words, counts = [], []
    yield words, counts


def _counted(pair: object) -> tuple[bytes, int]:
    word: object
    count: object
    try:
        word, count = pair  # type: ignore[misc]
    except (TypeError, ValueError):
        raise TypeError(f"words are pairs of a word and its count, not {pair!r}") from None
    if not isinstance(word, str) or not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"words are pairs of a str and an int, not {pair!r}")
    if not 0 <= count <= _MAX_COUNT:
        raise ArgumentError(f"the count of {word!r} is {count}; counts are 0 to 2**63 - 1")
    try:
        return word.encode(), count
    except UnicodeEncodeError as error:
        message = f"the word {word!r} has a lone surrogate at character {error.start}"
        raise NotUnicodeError(message, index=error.start) from None
