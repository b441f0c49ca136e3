"""Why Unigram made its tokens of one pretoken: every piece that fits, the path of the highest sum, and the second."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piecework._explain.made_tokens import MadeToken, made_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Edge", "Path", "UnigramReasons", "read_unigram"]


@dataclass(frozen=True, slots=True)
class Edge:
    """A piece that fits into the pretoken.

    Attributes:
        byte_span: Where it stands, in bytes of the pretoken.
        text: Its text.
        id: Its id; None where only bytes can stand for it.
        score: Its score, the logarithm of its probability.
        how: `piece`, `unknown` or `user-defined`.
    """

    byte_span: tuple[int, int]
    text: str
    id: int | None
    score: float
    how: str


@dataclass(frozen=True, slots=True)
class Path:
    """Edges from one end of the pretoken to the other, and the sum of their scores."""

    edges: tuple[Edge, ...]
    score: float


@dataclass(frozen=True, slots=True)
class UnigramReasons:
    """Why Unigram made its tokens of one pretoken.

    Attributes:
        edges: Every piece that fits.
        best: The path that won.
        runner_up: The path that came second; None where there is no other.
        margin: How far it lies behind.
        is_capped: Whether there are more edges than are kept.
        tokens: The tokens.
    """

    kind: ClassVar[Literal["unigram"]] = "unigram"
    edges: tuple[Edge, ...]
    best: Path
    runner_up: Path | None
    margin: float | None
    is_capped: bool
    tokens: tuple[MadeToken, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids that the replay makes."""
        return tuple(token.id for token in self.tokens)

    @property
    def contested(self) -> tuple[int, int] | None:
        """The bytes of the pretoken in which the best path and the second differ; None where there is no other path."""
        if self.runner_up is None:
            return None
        best = {(edge.byte_span, edge.id) for edge in self.best.edges}
        second = {(edge.byte_span, edge.id) for edge in self.runner_up.edges}
        spans = [span for span, _ in best ^ second]
        return (min(spans)[0], max(end for _, end in spans)) if spans else None

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {
            "kind": self.kind,
            "edges": [asdict(edge) for edge in self.edges],
            "best": asdict(self.best),
            "runner_up": asdict(self.runner_up) if self.runner_up else None,
            "margin": self.margin,
            "is_capped": self.is_capped,
            "tokens": [token.to_dict() for token in self.tokens],
        }


def read_unigram(piece: str, record: Mapping[str, Any]) -> UnigramReasons:
    """Makes the native record of one pretoken into objects."""
    data = piece.encode()
    runner_up = record["runner_up"]
    return UnigramReasons(
        edges=_edges(data, record["edges"]),
        best=Path(_edges(data, record["path"]), record["score"]),
        runner_up=Path(_edges(data, runner_up[0]), runner_up[1]) if runner_up else None,
        margin=record["margin"],
        is_capped=record["is_capped"],
        tokens=made_tokens(piece, record),
    )


def _edges(data: bytes, rows: Sequence[Any]) -> tuple[Edge, ...]:
    return tuple(
        Edge((start, end), data[start:end].decode("utf-8", "replace"), token_id, score, how)
        for start, end, token_id, score, how in rows
    )
