"""Views of what a tokenizer does to a text: the pieces, the stages, the bytes. Small files, to be read in an evening.

Each view is a frozen result object: `str()` gives plain text, a notebook shows it in colors, `to_dict()` is its JSON form.
Views load on first use: counting needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names

if TYPE_CHECKING:
    from piecework._explain.alphabet import ByteTable, byte_table
    from piecework._explain.bytes_view import BytesView, show_bytes
    from piecework._explain.difference import Difference, find_difference
    from piecework._explain.pieces import PiecesView, pieces_html, pieces_view
    from piecework._explain.quirks import Quirks, find_quirks
    from piecework._explain.side_by_side import SideBySide, compare_pieces
    from piecework._explain.stages import Stages, read_stages
    from piecework._explain.summary import TokenizerInfo, summarize, summary_html
    from piecework._explain.trace import Trace, explain

__all__ = [
    "ByteTable",
    "BytesView",
    "Difference",
    "PiecesView",
    "Quirks",
    "SideBySide",
    "Stages",
    "TokenizerInfo",
    "Trace",
    "byte_table",
    "compare_pieces",
    "explain",
    "find_difference",
    "find_quirks",
    "pieces_html",
    "pieces_view",
    "read_stages",
    "show_bytes",
    "summarize",
    "summary_html",
]

_HOMES = {
    "ByteTable": "alphabet",
    "BytesView": "bytes_view",
    "Difference": "difference",
    "PiecesView": "pieces",
    "Quirks": "quirks",
    "SideBySide": "side_by_side",
    "Stages": "stages",
    "TokenizerInfo": "summary",
    "Trace": "trace",
    "byte_table": "alphabet",
    "compare_pieces": "side_by_side",
    "explain": "trace",
    "find_difference": "difference",
    "find_quirks": "quirks",
    "pieces_html": "pieces",
    "pieces_view": "pieces",
    "read_stages": "stages",
    "show_bytes": "bytes_view",
    "summarize": "summary",
    "summary_html": "summary",
}

__getattr__ = lazy_names(__name__, _HOMES)
