"""An encoded text token by token: as a table to read, or as JSON."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from piecework._explain.columns import columns
from piecework._explain.glyphs import piece_glyphs, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cli.choice import Choice
    from piecework._tokenizer import Encoding, Forged

__all__ = ["encoding_json", "forged_json", "pieces_lines"]

# Tokens of a column that are made at once.
_PART = 1 << 14


def pieces_lines(encoding: Encoding, *, vocab: bool) -> list[str]:
    """One line for each token, under a heading.

    Args:
        encoding: The encoded text.
        vocab: Whether pieces stand in the vocabulary's form.
    """
    shown = encoding.vocab_pieces if vocab else [piece_glyphs(piece) for piece in encoding.piece_bytes]
    rows = [["", "id", "piece", "bytes", "byte span", "char span", "word"]]
    columns_of_tokens = zip(
        encoding.ids,
        shown,
        encoding.piece_bytes,
        encoding.byte_spans,
        encoding.char_spans,
        encoding.word_ids,
        strict=True,
    )
    for at, (token_id, piece, data, byte_span, char_span, word) in enumerate(columns_of_tokens):
        word_cell = "" if word is None else str(word)
        rows.append(
            [str(at), str(token_id), piece, data.hex(" "), _span(byte_span), _span(char_span), word_cell]
        )
    return columns(rows, right=frozenset({0, 1, 4, 5, 6}))


def encoding_json(encoding: Encoding, choice: Choice) -> dict[str, object]:
    """The encoded text as JSON can hold it: readable pieces, bytes as hex, every family of spans.

    Columns are iterators over parts: a text's whole columns take a hundred times its memory.
    """
    return {
        **choice.to_dict(),
        "n_tokens": len(encoding),
        "ids": _column(encoding, "ids"),
        "pieces": map(visible, _column(encoding, "pieces")),
        "bytes": map(bytes.hex, _column(encoding, "piece_bytes")),
        "byte_spans": _column(encoding, "byte_spans"),
        "char_spans": _column(encoding, "char_spans"),
        "utf16_spans": _column(encoding, "utf16_spans"),
        "word_ids": _column(encoding, "word_ids"),
        "forged": forged_json(encoding.forged),
    }


def _column(encoding: Encoding, name: str) -> Iterator[Any]:
    native = encoding._native  # noqa: SLF001 - parts of columns are the command line's own need
    return chain.from_iterable(
        native.part(name, start, start + _PART) for start in range(0, len(encoding), _PART)
    )


def forged_json(forged: Sequence[Forged]) -> list[dict[str, object]]:
    """Control strings that were read as text, as JSON can hold them."""
    return [
        {"token": item.token, "id": item.id, "byte_span": item.byte_span, "char_span": item.char_span}
        for item in forged
    ]


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}"
