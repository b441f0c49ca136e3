"""Counted words as a file: sorted by bytes, a part at a time, whole or not at all."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from piecework._files.whole_files import check_writable, whole_file
from piecework._optional import optional_module
from piecework.errors import ArgumentError
from piecework.train.count_files import MARK, META_KEY
from piecework.train.sources.given_words import COUNT_SUFFIXES
from piecework.train.sources.tables import pyarrow_module

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_count_path", "write_count_file"]

Batches = Iterable[tuple[list[bytes], list[int]]]

_ESCAPES = {b"\\": rb"\\", b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}
_ESCAPED = re.compile(rb"[\\\t\n\r]")


def check_count_path(path: Path) -> None:
    """Finds out whether a count file can be written, before anything is counted.

    Raises:
        ValueError: The suffix is none of a count file.
        MissingExtraError: The format needs pyarrow or zstandard.
        OutputError: It cannot be written there.
    """
    if not path.name.lower().endswith(COUNT_SUFFIXES):
        raise ArgumentError(f"a count file ends in {', '.join(COUNT_SUFFIXES)}, and {path} does not")
    if path.suffix.lower() == ".parquet":
        pyarrow_module("pyarrow.parquet")
    if path.suffix.lower() == ".zst":
        optional_module("zstandard", extra="zstd")
    check_writable(path)


def write_count_file(
    path: Path, meta: Mapping[str, object] | None, batches: Batches, told: Callable[[int], None]
) -> int:
    """Writes counted words.

    Args:
        path: The file; its suffix says the format.
        meta: What the file says of itself; None for nothing.
        batches: Words and counts, in order.
        told: Called with the words written so far.

    Returns:
        How many words there are.

    Raises:
        OutputError: It cannot be written; nothing half-written is left.
        MissingExtraError: The format needs pyarrow or zstandard.
    """
    write = _write_parquet if path.suffix.lower() == ".parquet" else _write_tsv
    n_words = 0

    def counted() -> Iterator[tuple[list[bytes], list[int]]]:
        nonlocal n_words
        for words, counts in batches:
            yield words, counts
            n_words += len(words)
            told(n_words)

    with whole_file(path) as stream:
        write(path, stream, None if meta is None else json.dumps(meta).encode(), counted())
    return n_words


def _write_tsv(path: Path, stream: IO[bytes], meta: bytes | None, batches: Batches) -> None:
    with _packing(path, stream) as out:
        if meta is not None:
            out.write(MARK + meta + b"\n")
        out.write(b"word\tcount\n")
        for words, counts in batches:
            lines = [b"%b\t%d\n" % (_escaped(word), count) for word, count in zip(words, counts, strict=True)]
            out.write(b"".join(lines))


def _escaped(word: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], word) if _ESCAPED.search(word) else word


@contextmanager
def _packing(path: Path, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """What packs the stream. The same words give the same bytes: neither a time nor a name goes in."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        with gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0) as packing:
            yield cast("IO[bytes]", packing)
    elif suffix == ".zst":
        compressor = optional_module("zstandard", extra="zstd").ZstdCompressor()
        with compressor.stream_writer(stream, closefd=False) as packing:
            yield packing
    else:
        yield stream


def _write_parquet(_: Path, stream: IO[bytes], meta: bytes | None, batches: Batches) -> None:
    pa, parquet = pyarrow_module(), pyarrow_module("pyarrow.parquet")
    schema: Any = pa.schema(
        [pa.field("word", pa.string(), nullable=False), pa.field("count", pa.int64(), nullable=False)],
        metadata=None if meta is None else {META_KEY: meta},
    )
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for words, counts in batches:
            column = pa.array(words, pa.binary()).cast(pa.string())
            writer.write_batch(pa.record_batch([column, pa.array(counts, pa.int64())], schema=schema))
