"""A part of a corpus as it is read: texts, where each stands, and how far the reading is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from piecework.train.sources.lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from pathlib import Path

    from piecework.train.sources.formats import Format

__all__ = ["Batch", "OnInvalid", "Reading", "Unit"]

OnInvalid = Literal["strict", "replace", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How units are read.

    Attributes:
        errors: What becomes of bytes that are not UTF-8.
        cut: What stands before a place where a long line may be cut; None where that is not known.
        max_line_bytes: What a line that is not cut may have.
    """

    errors: OnInvalid = "strict"
    cut: re.Pattern[bytes] | None = None
    max_line_bytes: int = MAX_LINE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A part of a file that is read by itself.

    Attributes:
        path: The file.
        format: What it is.
        field: The field or column of the text.
        start: The first byte, or the first row.
        end: The byte behind the range; None for the rest of the file.
        group: The row group of Parquet; None for all.
        n_bytes: Its size in the file, for shares and progress.
        source: Which source of a mix it belongs to.
    """

    path: Path
    format: Format
    field: str
    start: int = 0
    end: int | None = None
    group: int | None = None
    n_bytes: int = 0
    source: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Texts of a unit.

    Attributes:
        texts: A block of whole lines as bytes, a list of texts, or Arrow strings.
        places: The offset of the block; the offset of each text's line; or the row of each.
        n_done: How many bytes of the unit are read with it.
        n_invalid: Byte sequences that were no UTF-8 and are mended in it already.
    """

    texts: bytes | list[Any] | Any
    places: Sequence[int]
    n_done: int
    n_invalid: int = 0
