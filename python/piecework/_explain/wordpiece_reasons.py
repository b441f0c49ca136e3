"""Why WordPiece made its tokens of one pretoken: from each place on, what it tried, the longest first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piecework._explain.made_tokens import MadeToken, made_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Attempt", "WordPieceReasons", "read_word_piece"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A stretch of the pretoken that was looked up.

    Attributes:
        byte_span: Where it stands, in bytes of the pretoken.
        text: Its text, without the prefix that it is looked up with.
        id: The id that was found; None where there is none.
    """

    byte_span: tuple[int, int]
    text: str
    id: int | None


@dataclass(frozen=True, slots=True)
class WordPieceReasons:
    """Why WordPiece made its tokens of one pretoken.

    Attributes:
        n_chars: Characters of the pretoken.
        max_chars: The most that a word may have; a longer one is unknown.
        stop: `matched`, `too-long`, or `no-match`: a place where nothing of the vocabulary fits makes the whole word unknown.
        attempts: For each place the lookups, the longest first; of a place with more than 100, the last 100; of as many
            places as are recorded, and of the one where nothing fits.
        n_found: How many places have a token that fits.
        failed_at: The byte at which nothing fits.
        tokens: The tokens.
    """

    kind: ClassVar[Literal["wordpiece"]] = "wordpiece"
    n_chars: int
    max_chars: int | None
    stop: str
    attempts: tuple[tuple[Attempt, ...], ...]
    n_found: int
    failed_at: int | None
    tokens: tuple[MadeToken, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids that the replay makes."""
        return tuple(token.id for token in self.tokens)

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {
            "kind": self.kind,
            "n_chars": self.n_chars,
            "max_chars": self.max_chars,
            "stop": self.stop,
            "attempts": [[asdict(attempt) for attempt in place] for place in self.attempts],
            "n_found": self.n_found,
            "failed_at": self.failed_at,
            "tokens": [token.to_dict() for token in self.tokens],
        }


def read_word_piece(piece: str, record: Mapping[str, Any]) -> WordPieceReasons:
    """Makes the native record of one pretoken into objects."""
    data = piece.encode()
    return WordPieceReasons(
        n_chars=record["n_chars"],
        max_chars=record["max_chars"],
        stop=record["stop"],
        attempts=tuple(
            tuple(
                Attempt((start, end), data[start:end].decode("utf-8", "replace"), token_id)
                for start, end, token_id in place
            )
            for place in record["attempts"]
        ),
        n_found=record["n_found"],
        failed_at=record["failed_at"],
        tokens=made_tokens(piece, record),
    )
