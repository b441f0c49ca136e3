"""The model's reasons for one pretoken, whichever model it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from piecework._explain.bpe_reasons import BpeReasons, read_bpe
from piecework._explain.made_tokens import MadeToken, made_tokens
from piecework._explain.unigram_reasons import UnigramReasons, read_unigram
from piecework._explain.wordpiece_reasons import WordPieceReasons, read_word_piece

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Reasons", "WordLevelReasons", "read_reasons"]


@dataclass(frozen=True, slots=True)
class WordLevelReasons:
    """Why WordLevel made its token: the pretoken is in the vocabulary, or it is unknown."""

    kind: ClassVar[Literal["wordlevel"]] = "wordlevel"
    tokens: tuple[MadeToken, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids that the replay makes."""
        return tuple(token.id for token in self.tokens)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {"kind": self.kind, "tokens": [token.to_dict() for token in self.tokens]}


Reasons: TypeAlias = BpeReasons | WordPieceReasons | UnigramReasons | WordLevelReasons


def read_reasons(piece: str, record: Mapping[str, Any]) -> Reasons:
    """Makes the native record of one pretoken into objects.

    Args:
        piece: The pretoken's text as the model sees it.
        record: The native record, by its `kind`.
    """
    kind = record["kind"]
    if kind == "bpe":
        return read_bpe(piece, record)
    if kind == "wordpiece":
        return read_word_piece(piece, record)
    if kind == "unigram":
        return read_unigram(piece, record)
    return WordLevelReasons(made_tokens(piece, record))
