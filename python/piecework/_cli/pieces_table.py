"""An encoded text token by token: as a table to read, or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import piece_glyphs, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework._cli.choice import Choice
    from piecework._tokenizer import Encoding, Forged

__all__ = ["encoding_json", "forged_json", "pieces_lines"]


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

    Columns are iterators, each made when it is read: all of them as lists take a hundred times the text's memory.
    """
    return {
        **choice.to_dict(),
        "n_tokens": len(encoding),
        "ids": _column(lambda: encoding.ids),
        "pieces": _column(lambda: map(visible, encoding.pieces)),
        "bytes": _column(lambda: map(bytes.hex, encoding.piece_bytes)),
        "byte_spans": _column(lambda: encoding.byte_spans),
        "char_spans": _column(lambda: encoding.char_spans),
        "utf16_spans": _column(lambda: encoding.utf16_spans),
        "word_ids": _column(lambda: encoding.word_ids),
        "forged": forged_json(encoding.forged),
    }


def _column(make: Callable[[], Iterable[object]]) -> Iterator[object]:
    # Held by name: after Ctrl-C it then lives as long as the exception, and the process ends without freeing it.
    column = make()
    yield from column


def forged_json(forged: Sequence[Forged]) -> list[dict[str, object]]:
    """Control strings that were read as text, as JSON can hold them."""
    return [
        {"token": item.token, "id": item.id, "byte_span": item.byte_span, "char_span": item.char_span}
        for item in forged
    ]


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}"
