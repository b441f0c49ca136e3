"""Texts that the caller has: an iterable of them, which is never turned into a list, or Arrow's strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from piecework.errors import ArgumentError, EncodeError, NotUnicodeError
from piecework.train.sources.lines import BLOCK_BYTES
from piecework.train.sources.repairing import HINT, valid_texts
from piecework.train.sources.tables import as_bytes, column_strings, pyarrow_module, sliced

if TYPE_CHECKING:
    from piecework import _core
    from piecework.train.sources.batch import OnInvalid

__all__ = ["count_texts"]

_MAX_TEXTS = 1 << 16


def count_texts(
    counter: _core.WordCounter,
    texts: object,
    *,
    field: str,
    errors: OnInvalid,
    n_threads: int | None,
    told: Callable[[int], None],
) -> int:
    """Counts the words of texts, each as it is.

    Args:
        counter: What counts.
        texts: An iterable of str and UTF-8 bytes, or an Arrow array, chunked array or stream of strings; or an Arrow table
            or stream of record batches.
        field: The column of such a table.
        errors: What becomes of what is not Unicode.
        n_threads: None for all processors.
        told: Called with the bytes (of a str: characters) that were counted since the last call.

    Returns:
        How many sequences were not Unicode.

    Raises:
        NotUnicodeError: A text is not Unicode, and errors are strict.
        TypeError: `texts` is one text, or holds something that is none.
    """
    n_invalid = n_before = 0
    for batch, n_units in _batches(texts, field):
        try:
            counter.feed(batch, "strict", n_threads)
        except EncodeError as error:
            if errors == "strict" or not isinstance(error, NotUnicodeError):
                raise _numbered(error, n_before) from None
            # Nothing of the batch was counted: it is looked through before.
            kept, n_more = valid_texts(batch if isinstance(batch, list) else _listed(batch), errors)
            n_invalid += n_more
            counter.feed(kept, "strict", n_threads)
        n_before += len(batch) if hasattr(batch, "__len__") else 0
        told(n_units)
    return n_invalid


def _batches(texts: object, field: str) -> Iterator[tuple[Any, int]]:
    if isinstance(texts, str | bytes):
        raise TypeError("texts is an iterable of texts, not one text")
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        yield from _arrow_batches(texts, field)
        return
    if not isinstance(texts, Iterable):
        raise TypeError("texts is an iterable of texts, not one text")
    batch: list[str | bytes] = []
    n_units = 0
    for text in texts:
        if not isinstance(text, str | bytes):
            raise TypeError(f"a text is a str or bytes, not {type(text).__name__}")
        batch.append(text)
        n_units += len(text)
        if n_units >= BLOCK_BYTES or len(batch) >= _MAX_TEXTS:
            yield batch, n_units
            batch, n_units = [], 0
    yield batch, n_units


def _arrow_batches(texts: Any, field: str) -> Iterator[tuple[Any, int]]:  # noqa: ANN401 - whatever speaks Arrow
    """Arrow's strings in parts; those of objects that cannot be cut go to the engine as they are."""
    chunks: Iterator[Any]
    if hasattr(texts, "schema") and hasattr(texts, "__arrow_c_stream__"):
        reader = pyarrow_module().RecordBatchReader.from_stream(texts)
        if field not in reader.schema.names:
            names = ", ".join(reader.schema.names[:8])
            raise ArgumentError(f"texts has no column {field!r}; there are {names}: field= names it")
        chunks = (column_strings(part, field) for part in reader)
    elif hasattr(texts, "iterchunks"):
        chunks = texts.iterchunks()
    elif hasattr(texts, "slice") and hasattr(texts, "nbytes"):
        chunks = iter((texts,))
    else:
        yield texts, 0
        return
    for chunk in chunks:
        for part in sliced(_plain(chunk)):
            yield part, part.nbytes


def _plain(chunk: Any) -> Any:  # noqa: ANN401 - an array
    """An array without nulls, which are no texts in files either, and without a dictionary."""
    if hasattr(chunk, "dictionary_decode"):
        chunk = chunk.dictionary_decode()
    if not getattr(chunk, "null_count", 0):
        return chunk
    # What this library does not filter yet.
    views = {"string_view": "large_string", "binary_view": "large_binary"}
    kind = views.get(str(chunk.type))
    return (chunk if kind is None else chunk.cast(kind)).drop_null()


def _listed(batch: Any) -> list[str | bytes]:  # noqa: ANN401 - whatever speaks Arrow
    pa = pyarrow_module()
    strings = batch if hasattr(batch, "to_pylist") else pa.chunked_array(batch)
    found: list[str | bytes] = as_bytes(strings).to_pylist()
    return found


def _numbered(error: EncodeError, n_before: int) -> EncodeError:
    """The error with the number of the text in all of them, where it has that in its batch."""
    message = re.sub(
        r"^text (\d+):", lambda match: f"text {int(match[1]) + n_before:,}:", error.message, count=1
    )
    hint = HINT if isinstance(error, NotUnicodeError) else error.hint
    return type(error)(message, hint=hint, **error.fields())
