"""Views of what a tokenizer does to a text: the pieces, the stages, the bytes. Small files, to be read in an evening.

Each view is a frozen result object: `str()` gives plain text, a notebook shows it in colors, `to_dict()` is its JSON form.
"""

from piecework._explain.alphabet import ByteTable, byte_table
from piecework._explain.bytes_view import BytesView, CharacterRow, show_bytes
from piecework._explain.pieces import PiecesView, pieces_html, pieces_view
from piecework._explain.stages import AddedSection, Change, Pretoken, Stages, TextSection, read_stages

__all__ = [
    "AddedSection",
    "ByteTable",
    "BytesView",
    "Change",
    "CharacterRow",
    "PiecesView",
    "Pretoken",
    "Stages",
    "TextSection",
    "byte_table",
    "pieces_html",
    "pieces_view",
    "read_stages",
    "show_bytes",
]
