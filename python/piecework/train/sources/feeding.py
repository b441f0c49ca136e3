"""Texts on their way into the counter: as they are where they are Unicode, else as the caller chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.errors import EncodeError, NotUnicodeError
from piecework.train.sources.repairing import (
    first_invalid,
    lines_of,
    not_unicode,
    parts_of,
    valid_block,
    valid_texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework import _core
    from piecework.train.sources.batch import Batch, Reading, Unit

__all__ = ["documents", "feed"]


def feed(
    counter: _core.WordCounter,
    unit: Unit,
    batch: Batch,
    reading: Reading,
    *,
    is_by_line: bool,
    n_threads: int | None,
) -> int:
    """Counts a batch.

    Args:
        counter: What counts.
        unit: Where the batch is from, for errors.
        batch: The texts.
        reading: What becomes of what is not Unicode.
        is_by_line: Whether the counter cuts its texts into lines.
        n_threads: None for all processors.

    Returns:
        How many byte sequences were not Unicode.

    Raises:
        NotUnicodeError: One is, and errors are strict.
        EncodeError: A text is too long, or the pattern goes over its limits.
    """
    n_invalid = batch.n_invalid
    for part in _parts(batch.texts, is_by_line=is_by_line):
        try:
            try:
                counter.feed(part, "strict", n_threads)
            except NotUnicodeError:
                # Nothing of the part was counted: it is looked through before.
                if reading.errors == "strict":
                    raise not_unicode(unit, batch) from None
                texts, n_more = _mended(part, reading, is_by_line=is_by_line)
                n_invalid += n_more
                counter.feed(texts, "strict", n_threads)
        except NotUnicodeError:
            raise
        except EncodeError as error:
            message = f"{unit.path}: {error.message}"
            raise type(error)(message, hint=error.hint, **error.fields()) from None
    return n_invalid


def documents(unit: Unit, batch: Batch, reading: Reading) -> Iterator[tuple[list[bytes], int]]:
    """The texts of a batch as UTF-8, each a line, a record or a row, in parts; and what was not Unicode in each.

    Raises:
        NotUnicodeError: One is not, and errors are strict.
    """
    n_invalid = batch.n_invalid
    for part in _parts(batch.texts, is_by_line=False):
        texts = part if isinstance(part, list) else part.to_pylist()
        if any(first_invalid(text) is not None for text in texts):
            if reading.errors == "strict":
                raise not_unicode(unit, batch)
            texts, n_more = valid_texts(texts, reading.errors)
            n_invalid += n_more
        yield [text if isinstance(text, bytes) else text.encode() for text in texts], n_invalid
        n_invalid = 0


def _parts(texts: bytes | list[Any] | Any, *, is_by_line: bool) -> Iterator[Any]:  # noqa: ANN401 - or Arrow strings
    if not isinstance(texts, bytes):
        yield texts
    elif is_by_line:
        yield [texts]
    else:
        for part in parts_of(texts):
            yield lines_of(part)


def _mended(part: Any, reading: Reading, *, is_by_line: bool) -> tuple[list[str | bytes], int]:  # noqa: ANN401
    if is_by_line:
        return valid_block(part[0], reading.errors)
    return valid_texts(part if isinstance(part, list) else part.to_pylist(), reading.errors)
