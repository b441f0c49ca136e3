"""Unknown tokens: where a vocabulary lacks a text, its id says only that, and the text cannot be got back."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible
from piecework._files.unknown import unknown_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing, Reading
    from piecework._tokenizer import Tokenizer

__all__ = ["n_unknown", "unknown_ids_note", "unknown_note"]


def n_unknown(tokenizer: Tokenizer, data: bytes, reading: Reading) -> int:
    """Returns how many tokens of a text are the unknown one, without such as the text itself writes and `parse` reads."""
    unknown = unknown_id(tokenizer._native)  # noqa: SLF001 - an info() of all stages takes time
    if unknown is None:
        return 0
    special, errors = reading.special, reading.errors
    ids = tokenizer.ids(data, special=special, errors=errors)
    n = array("I", ids.tobytes()).count(unknown)
    if n and special == "parse":
        n -= sum(found.id == unknown for found in tokenizer.find_controls(data, errors=errors))
    return max(n, 0)


def unknown_note(
    tokenizer: Tokenizer, n: int, printing: Printing, *, n_texts: int = 1, label: str = ""
) -> None:
    """Says how many tokens are the unknown one, where there are any."""
    if n:
        lost = "this text" if n_texts == 1 else "their texts"
        its = "its" if n_texts == 1 else "the"
        printing.note(f"{label}{_are(tokenizer, n, 'token')}: {lost} cannot be got back from {its} ids")


def unknown_ids_note(tokenizer: Tokenizer, ids: Sequence[int], printing: Printing) -> None:
    """Says that ids that were decoded had lost their text."""
    unknown = unknown_id(tokenizer._native)  # noqa: SLF001
    n = 0 if unknown is None else list(ids).count(unknown)
    if n:
        printing.note(f"{_are(tokenizer, n, 'id')}: the text that was there cannot be got back")


def _are(tokenizer: Tokenizer, n: int, noun: str) -> str:
    unknown = unknown_id(tokenizer._native)  # noqa: SLF001
    piece = "" if unknown is None else visible(tokenizer.piece(unknown))
    return f"1 {noun} is {piece}" if n == 1 else f"{n:,} {noun}s are {piece}"
