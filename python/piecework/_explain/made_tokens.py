"""The tokens that a model made of one pretoken, each with how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MadeToken", "made_tokens"]


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A token of a pretoken.

    Attributes:
        id: Its id.
        piece: The bytes of the pretoken that it stands for.
        how: `piece`; `byte`, a byte of a character that the vocabulary lacks (byte fallback); `unknown`; `user-defined`.
    """

    id: int
    piece: bytes
    how: str

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {"id": self.id, "bytes": self.piece.hex(), "how": self.how}


def made_tokens(piece: str, record: Mapping[str, Any]) -> tuple[MadeToken, ...]:
    """Makes the tokens of a native record into objects."""
    data, at = piece.encode(), 0
    found: list[MadeToken] = []
    for token_id, n_bytes, how in record["tokens"]:
        found.append(MadeToken(token_id, data[at : at + n_bytes], how))
        at += n_bytes
    return tuple(found)
