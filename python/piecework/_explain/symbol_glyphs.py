"""A symbol of a model as its vocabulary writes it, and as people read it: `Ã§` is ç."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from piecework import _core
from piecework._explain.glyphs import piece_glyphs, shortened

if TYPE_CHECKING:
    from piecework._explain.trace import Trace

__all__ = ["both_forms", "symbol_form"]


def symbol_form(trace: Trace, piece: bytes) -> str:
    """Bytes in the display alphabet under a byte-level model, else as they read."""
    if not _is_byte_level(trace):
        return piece_glyphs(piece)
    alphabet = _alphabet()
    return "".join(alphabet[byte] for byte in piece)


def both_forms(trace: Trace, piece: bytes) -> str:
    """The display form, and behind it in brackets the readable one where the two differ by more than a space's sign."""
    shown, read = symbol_form(trace, piece), piece_glyphs(piece)
    if shown.replace("Ġ", "·") == read:
        return shortened(shown)
    return f"{shortened(shown)} ({shortened(read)})"


def _is_byte_level(trace: Trace) -> bool:
    return str(trace.stages.model.get("algorithm", "")).startswith("byte-level")


@cache
def _alphabet() -> tuple[str, ...]:
    return tuple(_core.byte_alphabet())
