"""The text that is measured: fetched sets as documents of about 4 kB, in an order that every engine gets."""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from tools import fixtures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["TEXT_SETS", "documents"]

TEXT_SETS = ("english", "code", "languages")
_DOCUMENT_BYTES = 4096


def documents(*text_sets: str, max_bytes: int) -> list[str]:
    """Documents of some sets, taken from their files in turn, so that a prefix holds all languages alike.

    Args:
        text_sets: The names of fetched text sets.
        max_bytes: About how many bytes of UTF-8 in all.

    Returns:
        Documents of at most 4 kB of UTF-8, cut at line ends where there are any.
    """
    files = [
        file.path.read_text(encoding="utf-8")
        for text_set in text_sets
        for file in fixtures.text_set(text_set)
    ]
    turns = zip_longest(*(_pieces(text) for text in files))
    in_turn = (piece for turn in turns for piece in turn if piece is not None)
    return list(_up_to(in_turn, max_bytes))


def _pieces(text: str) -> Iterator[str]:
    """Cuts a text into documents; a line of more than a document is cut anywhere."""
    lines: list[str] = []
    n_bytes = 0
    for line in text.splitlines(keepends=True):
        parts = iter(line)
        while part := "".join(islice(parts, _DOCUMENT_BYTES // 4)):
            size = len(part.encode())
            if n_bytes + size > _DOCUMENT_BYTES and lines:
                yield "".join(lines)
                lines, n_bytes = [], 0
            lines.append(part)
            n_bytes += size
    if lines:
        yield "".join(lines)


def _up_to(pieces: Iterable[str], max_bytes: int) -> Iterator[str]:
    n_bytes = 0
    for piece in pieces:
        n_bytes += len(piece.encode())
        if n_bytes > max_bytes:
            return
        yield piece
