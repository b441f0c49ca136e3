"""Files that would be read as text and are none: of another format without its suffix, or of words that are counted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from piecework.errors import InputError
from piecework.train.sources.packed import naming, opened

if TYPE_CHECKING:
    from pathlib import Path

    from piecework.train.sources.formats import Format

__all__ = ["check_is_text"]

# How files of other formats begin, and end where text could begin so.
_SIGNS = (
    (b"\x1f\x8b\x08", b"", "a gzip file", ".gz"),
    (b"\x28\xb5\x2f\xfd", b"", "a Zstandard file", ".zst"),
    (b"PAR1", b"PAR1", "a Parquet file", ".parquet"),
    (b"ARROW1\0\0", b"ARROW1", "an Arrow file", ".arrow"),
)
_LEAD_BYTES = 32
_BOM = b"\xef\xbb\xbf"
_COUNTS = b"# piecework.words/"


def check_is_text(path: Path, format_: Format) -> None:
    """Looks at the beginning, and where that could be text at the end, of a file that its suffix says is text.

    Args:
        path: The file.
        format_: What its suffix says: lines or records.

    Raises:
        InputError: It is of another format, whose suffix it lacks, or holds counted words; or it cannot be read.
        MissingExtraError: It is `.zst`, and zstandard is not installed.
    """
    with opened(path, format_.packed) as (stream, _):
        lead = stream.read(_LEAD_BYTES)
    if lead.removeprefix(_BOM).startswith(_COUNTS):
        raise _refused(path, "it holds words that are counted already, not text", "words= takes it")
    if format_.packed:
        return
    for begin, end, what, suffix in _SIGNS:
        if lead.startswith(begin) and _ends_with(path, end):
            raise _refused(path, f"it is {what}, not text", f"give it the suffix {suffix}")


def _ends_with(path: Path, end: bytes) -> bool:
    with naming(path), path.open("rb") as raw:
        n_bytes = raw.seek(0, os.SEEK_END)
        raw.seek(max(0, n_bytes - len(end)))
        return raw.read(len(end)) == end


def _refused(path: Path, reason: str, hint: str) -> InputError:
    return InputError(f"{path}: {reason}", path=str(path), reason=reason, hint=hint)
