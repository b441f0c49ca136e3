"""What becomes of texts that are not Unicode: refused by their place, mended with U+FFFD, or left out; and counted."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from piecework.errors import NotUnicodeError
from piecework.train.sources.lines import BLOCK_BYTES
from piecework.train.sources.packed import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.train.sources.batch import Batch, OnInvalid, Unit

__all__ = [
    "HINT",
    "first_invalid",
    "line_number",
    "lines_of",
    "mended",
    "not_unicode",
    "parts_of",
    "valid_block",
    "valid_texts",
]

_REPLACEMENT = "\ufffd"
_REPLACEMENT_BYTES = _REPLACEMENT.encode()
_SURROGATE = re.compile("[\ud800-\udfff]")
HINT = 'errors="replace" reads U+FFFD there, errors="skip" leaves it out'
# What is decoded at once.
_PART_BYTES = 1 << 20

Text = str | bytes


def mended(text: Text) -> tuple[Text, int]:
    r"""A text with U+FFFD in place of what is not Unicode, and how often that is.

    Examples:
        >>> mended(b"caf\xc3 \xff\xff"), mended("a\ud800b"), mended("fine")
        (('caf� ��', 3), ('a�b', 1), ('fine', 0))
    """
    if isinstance(text, str):
        return _SURROGATE.subn(_REPLACEMENT, text)
    try:
        text.decode()
    except UnicodeDecodeError:
        decoded = text.decode("utf-8", "replace")
        return decoded, decoded.count(_REPLACEMENT) - text.count(_REPLACEMENT_BYTES)
    return text, 0


def valid_texts(texts: list[Text], errors: OnInvalid) -> tuple[list[Text], int]:
    """The texts that are left, mended, and how many sequences were not Unicode."""
    out: list[Text] = []
    n_all = 0
    for text in texts:
        valid, n_invalid = mended(text)
        n_all += n_invalid
        if not (n_invalid and errors == "skip"):
            out.append(valid)
    return out, n_all


def valid_block(block: bytes, errors: OnInvalid) -> tuple[list[Text], int]:
    """What is left of a block of lines, in parts that end where lines do, and how many sequences were not UTF-8."""
    out: list[Text] = []
    n_all = 0
    for part in parts_of(block):
        valid, n_invalid = mended(part)
        if n_invalid and errors == "skip":
            kept, _ = valid_texts(lines_of(part), errors)
            valid = b"".join(line for line in kept if isinstance(line, bytes))
        n_all += n_invalid
        out.append(valid)
    return out, n_all


def parts_of(block: bytes) -> Iterator[bytes]:
    """A block in parts of about a megabyte that end where lines do: what becomes objects or str at once."""
    at = 0
    while at < len(block):
        end = block.rfind(b"\n", at, at + _PART_BYTES) + 1 or block.find(b"\n", at) + 1 or len(block)
        yield block[at:end]
        at = end


def lines_of(block: Text) -> list[Text]:
    r"""The lines of a block, each with its end, which is a newline and nothing else.

    Examples:
        >>> lines_of(b"a\r\nb\x0bc\n\nd")
        [b'a\r\n', b'b\x0bc\n', b'\n', b'd']
    """
    return list(io.BytesIO(block.encode() if isinstance(block, str) else block).readlines())


def not_unicode(unit: Unit, batch: Batch) -> NotUnicodeError:
    """The error for the first text of a batch that is not Unicode."""
    path = unit.path
    if isinstance(batch.texts, bytes):
        place = batch.places[0] + (first_invalid(batch.texts) or 0)
        return NotUnicodeError(f"{path} is not UTF-8 at byte {place}", index=place, hint=HINT)
    texts = list(batch.texts) if isinstance(batch.texts, list) else batch.texts.to_pylist()
    found = ((at, first_invalid(text)) for at, text in enumerate(texts))
    at, index = next(((at, index) for at, index in found if index is not None), (0, 0))
    place = batch.places[at]
    if unit.format.kind in ("parquet", "arrow"):
        where = f"row {place + 1:,}"
    else:
        where = f"line {line_number(unit, place):,}"
    what = "byte" if isinstance(texts[at], bytes) else "character"
    return NotUnicodeError(
        f"{path}: {where}: the text is not Unicode at {what} {index}", index=index, hint=HINT
    )


def first_invalid(text: Text) -> int | None:
    """Where a text is not Unicode first: a character of a str, a byte of bytes; None where it is."""
    if isinstance(text, str):
        found = _SURROGATE.search(text)
        return found.start() if found else None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def line_number(unit: Unit, offset: int) -> int:
    """The number of the line that starts at an offset of the unpacked file, from 1. Reads the file up to there."""
    n_lines = 1
    with opened(unit.path, unit.format.packed) as (stream, _):
        while offset > 0:
            block = stream.read(min(offset, BLOCK_BYTES))
            if not block:
                break
            n_lines += block.count(b"\n")
            offset -= len(block)
    return n_lines
