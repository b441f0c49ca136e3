"""What users hold: the tokenizer, how to load one, and what it makes of a text."""

from piecework._tokenizer.encoding import Encoding, Forged
from piecework._tokenizer.loading import load, load_or_assume
from piecework._tokenizer.rows import PaddedRows, Rows, Table
from piecework._tokenizer.streams import DecodeStream, EncodeStream, StreamEnd
from piecework._tokenizer.tokenizer import Tokenizer

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
