"""The tokens of rows, with where they end in them: all rows in one call where tokens are just the bytes, else one by one.

Both ways use several threads and give the rows in their order, so that figures do not depend on how many there are.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from piecework import _core
    from piecework._measure.row import Row
    from piecework._measure.words import Span
    from piecework._types import Errors

__all__ = ["Pieces", "pieces_of_rows"]

_LOOKED_AT = 64
_BLOCK_BYTES = 1 << 16
# A batch is held in memory; its ids are as many as the bytes at most.
_BATCH_BYTES = 1 << 24


class Pieces(NamedTuple):
    """The tokens of a row.

    Attributes:
        ids: Their ids.
        spans: Their byte spans; None where they are the row cut at `ends`.
        ends: The byte at which each ends, where they are the row and nothing else; else empty.
        piece_bytes: Their bytes; empty where they are the row.
    """

    ids: list[int]
    spans: list[Span] | None
    ends: list[int]
    piece_bytes: list[bytes]


def pieces_of_rows(
    native: _core.Tokenizer,
    rows: Sequence[Row],
    *,
    unknown: int | None,
    errors: Errors,
    n_threads: int | None,
) -> Iterator[Pieces]:
    """Encodes rows, control tokens in them as text.

    Args:
        native: The tokenizer.
        rows: The rows.
        unknown: The id of the unknown token; None where there is none.
        errors: What becomes of broken Unicode.
        n_threads: How many threads encode; None for as many as there are cores.

    Yields:
        The tokens of each row, in order.

    Raises:
        EncodeError: A row cannot be encoded.
    """
    encoder = _Encoder(native, unknown, errors, n_threads)
    for block in _blocks(rows, max_rows=len(rows), max_bytes=_BATCH_BYTES):
        yield from encoder.batched(block) if encoder.is_plain(block) else encoder.each(block)


def _blocks(rows: Sequence[Row], *, max_rows: int, max_bytes: int) -> Iterator[list[Row]]:
    """Cuts rows into blocks, each with a row at least."""
    block: list[Row] = []
    n_bytes = 0
    for row in rows:
        if block and (len(block) >= max_rows or n_bytes + row.n_bytes > max_bytes):
            yield block
            block, n_bytes = [], 0
        block.append(row)
        n_bytes += row.n_bytes
    if block:
        yield block


class _Encoder:
    """The two ways of one tokenizer."""

    def __init__(
        self, native: _core.Tokenizer, unknown: int | None, errors: Errors, n_threads: int | None
    ) -> None:
        self._native = native
        self._unknown = unknown
        self._errors = errors
        self._n_threads = n_threads
        self._piece_bytes: dict[int, bytes] = {}

    def is_plain(self, rows: Sequence[Row]) -> bool:
        """Whether a batch is worth while: where text is changed, each row would have to be encoded again."""
        row = max(rows[:_LOOKED_AT], key=lambda row: row.n_bytes)
        start = row.text[:_LOOKED_AT]
        # What cannot be encoded is said of the row that it is in.
        ids = self._native.ids(start, "text", False, "replace").tolist()  # noqa: FBT003 - the native signature
        return self._ends(ids, start.encode("utf-8", "surrogatepass")) is not None

    def batched(self, rows: Sequence[Row]) -> Iterator[Pieces]:
        """Encodes all in one call, which uses the threads; rows that are changed once more, for their spans."""
        texts = [row.text for row in rows]
        batch = self._native.encode_batch(texts, "text", False, self._errors, self._n_threads)  # noqa: FBT003
        offsets, ids = batch.offsets.tolist(), batch.ids.tolist()
        for row, start, end in zip(rows, offsets, offsets[1:], strict=False):
            own = ids[start:end]
            ends = self._ends(own, row.data)
            yield self._one(row) if ends is None else Pieces(own, None, ends, [])

    def each(self, rows: Sequence[Row]) -> Iterator[Pieces]:
        """Encodes each with its spans, blocks of them in threads."""
        blocks = list(_blocks(rows, max_rows=_LOOKED_AT, max_bytes=_BLOCK_BYTES))
        n_workers = min(self._n_threads or os.cpu_count() or 1, len(blocks))
        if n_workers == 1:
            yield from map(self._one, rows)
            return
        pool = ThreadPoolExecutor(n_workers)
        try:
            running: deque[Callable[[], list[Pieces]]] = deque()
            for block in blocks:
                if block[0].n_bytes > _BLOCK_BYTES:
                    # What takes long is done here, at its turn: Ctrl-C reaches no other thread.
                    running.append(partial(self._all, block))
                else:
                    running.append(pool.submit(self._all, block).result)
                # What is done early waits for its turn; not all of it at once.
                if len(running) > 2 * n_workers:
                    yield from running.popleft()()
            while running:
                yield from running.popleft()()
        finally:
            pool.shutdown(cancel_futures=True)

    def _all(self, rows: Sequence[Row]) -> list[Pieces]:
        return [self._one(row) for row in rows]

    def _one(self, row: Row) -> Pieces:
        encoding = self._native.encode(row.text, "text", False, self._errors)  # noqa: FBT003 - as above
        ids = encoding.ids.tolist()
        return Pieces(ids, encoding.byte_spans, [], self._bytes_of(ids))

    def _ends(self, ids: list[int], data: bytes) -> list[int] | None:
        """Where the tokens end, if their bytes are the row's; None where something was changed, added or lost."""
        pieces = self._bytes_of(ids)
        is_row = b"".join(pieces) == data and (self._unknown is None or self._unknown not in ids)
        return list(accumulate(map(len, pieces))) if is_row else None

    def _bytes_of(self, ids: list[int]) -> list[bytes]:
        known = self._piece_bytes
        for one in set(ids).difference(known):
            known[one] = self._native.piece_bytes(one)
        return [known[one] for one in ids]
