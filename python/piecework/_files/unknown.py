"""The token that stands for what a vocabulary lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework import _core

__all__ = ["unknown_id"]


def unknown_id(native: _core.Tokenizer) -> int | None:
    """The id of the unknown token; None where there is none, or every byte has a token, so that none is needed."""
    model = native.info()["model"]
    unknown: int | None = model.get("unk")
    if unknown is None or not model.get("byte_fallback"):
        return unknown
    is_whole = all(native.id(f"<0x{byte:02X}>") is not None for byte in range(256))
    return None if is_whole else unknown
