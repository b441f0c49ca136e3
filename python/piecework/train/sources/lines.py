"""Lines of a stream in blocks: those that start in a range of bytes, in memory that a long line does not fill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from piecework.train.sources.packed import Stream

__all__ = ["BLOCK_BYTES", "MAX_LINE_BYTES", "line_blocks", "safe_cut", "way_out"]

_WHOLE = "a line is cut only outside of a mix, and by a named pre-tokenizer"
# Enough to keep all threads at work, little beside the words themselves.
BLOCK_BYTES = 8 << 20
# No text of the engine is longer.
MAX_LINE_BYTES = (1 << 31) - 1
_WINDOW_BYTES = 64 << 10
# A read of a disk takes as long for less.
_LEAST_BYTES = 4 << 10

# The patterns of the named encodings let no match go on from a letter into white space. The second also: nor from an
# ideograph into these marks of Chinese and Japanese, which are not white space.
_BEFORE_SPACE = re.compile(rb"[A-Za-z](?= [A-Za-z])|[\xe5-\xe8][\x80-\xbf]{2}(?= )")
_BEFORE_MARK = re.compile(
    rb"[A-Za-z](?= [A-Za-z])|[\xe5-\xe8][\x80-\xbf]{2}(?= |\xe3\x80[\x81\x82]|\xef\xbc\x8c)"
)
_ENCODINGS = ("gpt2", "cl100k_base", "o200k_base", "qwen3", "llama3")


def safe_cut(pre_tokenizer: str | None) -> re.Pattern[bytes] | None:
    """What stands before a place where a line may be cut without any word noticing; None where that is not known.

    Examples:
        >>> safe_cut("gpt2").search(b"two  words here").end()
        10
        >>> safe_cut(r"[^,]+") is None
        True
    """
    if pre_tokenizer in _ENCODINGS:
        return _BEFORE_MARK
    return _BEFORE_SPACE if pre_tokenizer == "whitespace" else None


def line_blocks(
    stream: Stream,
    path: Path,
    *,
    start: int = 0,
    end: int | None = None,
    cut: re.Pattern[bytes] | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    whole: str = _WHOLE,
) -> Iterator[tuple[int, bytes]]:
    """The lines that start in a range, in blocks of about `BLOCK_BYTES` that end where lines do.

    Args:
        stream: The bytes. Where `start` is not 0 it can be sought in.
        path: The file, for errors.
        start: The first byte of the range.
        end: The byte behind it; None for the end of the stream.
        cut: What stands before a place where a line that fills a whole block is cut.
        max_line_bytes: What a line that is not cut may have.
        whole: Why lines are not cut where `cut` is None, for errors.

    Yields:
        The offset of each block and its bytes.

    Raises:
        InputError: A line is longer than that.

    Complexity: O(end - start), and the rest of the last line.
    """
    at, chunk = _first_line(stream, start, end)
    held: list[bytes] = []
    n_held = 0
    if start and chunk is None:
        return
    position = at
    while chunk is None or chunk:
        if chunk is None:
            chunk = stream.read(_wanted(position, end))
            continue
        is_last, n_ours = _ours(chunk, position, end)
        if n_held + len(chunk) > max_line_bytes and n_held + _first_end(chunk, cut) > max_line_bytes:
            raise _too_long(path, at, max_line_bytes, None if cut is not None else whole)
        if n_ours:
            yield at, b"".join([*held, chunk[:n_ours]])
            held, n_held, at = [], 0, position + n_ours
        if is_last:
            return
        rest = chunk[n_ours:]
        n_safe = 0 if n_ours or cut is None else _last_cut(rest, cut)
        if n_safe:
            yield at, b"".join([*held, rest[:n_safe]])
            held, n_held, at = [], 0, position + n_safe
            rest = rest[n_safe:]
        held.append(rest)
        n_held += len(rest)
        position += len(chunk)
        chunk = None
    if n_held:
        yield at, b"".join(held)


def _first_line(stream: Stream, start: int, end: int | None) -> tuple[int, bytes | None]:
    """Where the first line of a range starts, and the bytes from there that were read; no bytes where none does."""
    if not start:
        return 0, None
    position = stream.seek(start - 1)
    while end is None or position < end - 1:
        wanted = BLOCK_BYTES if end is None else min(BLOCK_BYTES, end - 1 - position)
        chunk = stream.read(wanted)
        if not chunk:
            break
        found = chunk.find(b"\n") + 1
        if found:
            rest = chunk[found:] or stream.read(_wanted(position + found, end))
            return position + found, rest or None
        position += len(chunk)
    return start, None


def _wanted(position: int, end: int | None) -> int:
    """How much to read next: a block, or the rest of a range; behind that, ever more, until its last line ends."""
    if end is None:
        return BLOCK_BYTES
    return min(BLOCK_BYTES, max(abs(end - position), _LEAST_BYTES))


def _ours(chunk: bytes, position: int, end: int | None) -> tuple[bool, int]:
    """Whether the range ends in the chunk, and how many of its bytes are whole lines of the range."""
    if end is not None and position + len(chunk) >= end:
        last = chunk.find(b"\n", max(0, end - 1 - position)) + 1
        if last:
            return True, last
    return False, chunk.rfind(b"\n") + 1


def _first_end(chunk: bytes, cut: re.Pattern[bytes] | None) -> int:
    """Where the first line of the chunk ends or may be cut; all of the chunk where that is nowhere."""
    n_line = chunk.find(b"\n") + 1 or len(chunk)
    found = None if cut is None else cut.search(chunk, 0, n_line)
    return n_line if found is None else found.end()


def _last_cut(chunk: bytes, cut: re.Pattern[bytes]) -> int:
    """The last place where the chunk may be cut; 0 where there is none."""
    end = len(chunk)
    while end > 0:
        start = max(0, end - _WINDOW_BYTES)
        # A few bytes more, for what stands behind the place.
        found = [match.end() for match in cut.finditer(chunk, start, min(len(chunk), end + 8))]
        if found:
            return found[-1]
        end = start
    return 0


def _too_long(path: Path, at: int, max_line_bytes: int, whole: str | None) -> InputError:
    if whole is None:
        reason = f"the line from byte {at:,} on has no place to be cut within {max_line_bytes:,} bytes"
    else:
        reason = f"the line from byte {at:,} on is longer than {max_line_bytes:,} bytes: {whole}"
    hint = way_out(max_line_bytes, can_break=whole in (None, _WHOLE))
    return InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)


def way_out(max_line_bytes: int, *, can_break: bool) -> str:
    """What helps where a line is too long: more memory does only below what the engine takes.

    Examples:
        >>> way_out(16_777_216, can_break=True), way_out(MAX_LINE_BYTES, can_break=False)
        ('break it into lines, or give more max_memory=', 'make several of it')
    """
    more = ", or give more max_memory=" if max_line_bytes < MAX_LINE_BYTES else ""
    return f"{'break it into lines' if can_break else 'make several of it'}{more}"
