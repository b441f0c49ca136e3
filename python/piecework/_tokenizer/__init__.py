"""What users hold: the tokenizer, how to load one, and what it makes of a text.

Results load on first use: counting makes none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._lazy import lazy_names
from piecework._tokenizer.loading import load, load_or_assume
from piecework._tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from piecework._tokenizer.encoding import Encoding, Forged
    from piecework._tokenizer.rows import PaddedRows, Rows, Table
    from piecework._tokenizer.streams import DecodeStream, EncodeStream, StreamEnd

__all__ = [
    "DecodeStream",
    "EncodeStream",
    "Encoding",
    "Forged",
    "PaddedRows",
    "Rows",
    "StreamEnd",
    "Table",
    "Tokenizer",
    "load",
    "load_or_assume",
]

_HOMES = {
    "DecodeStream": "streams",
    "EncodeStream": "streams",
    "Encoding": "encoding",
    "Forged": "encoding",
    "PaddedRows": "rows",
    "Rows": "rows",
    "StreamEnd": "streams",
    "Table": "rows",
}

__getattr__ = lazy_names(__name__, _HOMES)
