"""Where words come from: files a line at a time, texts as they are, or counts that somebody else made."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from piecework import _core
from piecework.errors import InputError, NotUnicodeError

if TYPE_CHECKING:
    import os

    from piecework._types import Errors, Text

__all__ = ["Words", "count_files", "count_texts", "count_words"]

Words = Mapping[str, int] | Iterable[tuple[str, int]]

# Enough to keep all threads at work, little beside the words themselves.
_BLOCK_BYTES = 16 << 20
_BLOCK_TEXTS = 1 << 16
_MAX_COUNT = (1 << 63) - 1


def count_files(
    files: Iterable[str | os.PathLike[str]], stages: bytes, *, errors: Errors, n_threads: int | None
) -> _core.WordCounts:
    """Counts the words of files, each line with its end as a text of its own.

    Args:
        files: Paths of texts in UTF-8; those that end in `.gz` are unpacked.
        stages: A tokenizer.json with the normalizer and the pre-tokenizer.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD.
        n_threads: None for all processors.

    Raises:
        InputError: A file is missing or unreadable.
        NotUnicodeError: A file is not UTF-8; the message names file and byte.
        TypeError: `files` is one path, or no paths.
    """
    if isinstance(files, str | bytes) or not isinstance(files, Iterable):
        raise TypeError("files is a sequence of paths, not one path")
    counter = _core.WordCounter(stages, by_line=True)
    for file in files:
        path = Path(file)
        n_before = 0
        for block in _blocks(path):
            try:
                counter.feed([block], errors, n_threads)
            except NotUnicodeError as error:
                index = n_before + error.index
                message = f"{path} is not UTF-8 at byte {index}"
                raise NotUnicodeError(
                    message, index=index, hint='errors="replace" reads U+FFFD there'
                ) from None
            n_before += len(block)
    return counter.finish()


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in blocks that end where lines do."""
    try:
        with _opened(path) as stream:
            rest: list[bytes] = []
            while block := stream.read(_BLOCK_BYTES):
                end = block.rfind(b"\n") + 1
                if not end:
                    rest.append(block)
                    continue
                yield b"".join([*rest, block[:end]])
                rest = [block[end:]]
            if last := b"".join(rest):
                yield last
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason) from None


def count_texts(
    texts: Iterable[Text], stages: bytes, *, errors: Errors, n_threads: int | None
) -> _core.WordCounts:
    """Counts the words of texts, each as it is; the iterable is never turned into a list.

    Raises:
        NotUnicodeError: A text is not Unicode.
        TypeError: `texts` is one text, or holds something that is none.
    """
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise TypeError("texts is an iterable of texts, not one text")
    counter = _core.WordCounter(stages, by_line=False)
    batch: list[Text] = []
    n_units = 0
    for text in texts:
        if not isinstance(text, str | bytes):
            raise TypeError(f"a text is a str or bytes, not {type(text).__name__}")
        batch.append(text)
        n_units += len(text)
        if n_units >= _BLOCK_BYTES or len(batch) >= _BLOCK_TEXTS:
            counter.feed(batch, errors, n_threads)
            batch, n_units = [], 0
    counter.feed(batch, errors, n_threads)
    return counter.finish()


def count_words(words: Words) -> _core.WordCounts:
    """Takes words that are counted; a word given twice counts twice.

    Raises:
        TypeError: What is given are no words with their counts.
        ValueError: A count is negative or over 2**63 - 1.
    """
    given: object = words
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError('words is a mapping such as {"hug": 10}, or pairs of a word and its count')
    pairs = words.items() if isinstance(words, Mapping) else words
    return _core.WordCounts.of([_counted(pair) for pair in pairs])


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
        raise ValueError(f"the count of {word!r} is {count}; counts are 0 to 2**63 - 1")
    try:
        return word.encode(), count
    except UnicodeEncodeError as error:
        message = f"the word {word!r} has a lone surrogate at character {error.start}"
        raise NotUnicodeError(message, index=error.start) from None
