"""Why byte-pair encoding made its tokens of one pretoken: the merges as they fired, and the ones that lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from piecework._explain.made_tokens import MadeToken, made_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["BpeReasons", "Merge", "Pair", "Symbol", "read_bpe"]

# The state after each merge takes room in the square of the pretoken's length.
_MAX_STATE = 64
# To follow the state at all takes time in the square of it.
_MAX_TRACKED = 4096


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a merge joins: bytes, and their id where the vocabulary has one."""

    piece: bytes
    id: int | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbors that could join.

    Attributes:
        rank: The merge's rank: of all pairs, the lowest joins first, of equal ones the leftmost.
        at: The place of the left one in the state.
        left: The left one.
        right: The right one.
    """

    rank: int
    at: int
    left: Symbol
    right: Symbol

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {
            "rank": self.rank, "at": self.at, "left": self.left.piece.hex(), "right": self.right.piece.hex(),
            "left_id": self.left.id, "right_id": self.right.id,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge that fired.

    Attributes:
        pair: What joined.
        product: What it became.
        runner_up: The next best pair of the same state; None where there was no other.
        lost: Pairs that could have joined, and cannot since this merge took one of their symbols.
        state: The symbols after it; None where there are more than 64, or were more than 4,096 at first.
    """

    pair: Pair
    product: Symbol
    runner_up: Pair | None
    lost: tuple[Pair, ...]
    state: tuple[bytes, ...] | None

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {
            **self.pair.to_dict(),
            "product": self.product.piece.hex(),
            "product_id": self.product.id,
            "runner_up": self.runner_up.to_dict() if self.runner_up else None,
            "lost": [pair.to_dict() for pair in self.lost],
            "state": [piece.hex() for piece in self.state] if self.state is not None else None,
        }


@dataclass(frozen=True, slots=True)
class BpeReasons:
    """Why byte-pair encoding made its tokens of one pretoken.

    Attributes:
        symbols: What the pretoken is before the first merge.
        merges: The merges in the order in which they fire; of a pretoken taken whole, those that would have.
        stop: `no-pair`, `one-symbol`, or `whole-piece`: the pretoken is a token, and such are taken whole.
        whole_rule: The rule that took it whole: `ignore_merges` or `whole-piece`.
        by_merges: The ids that merges alone make.
        tokens: The tokens.
    """

    kind: ClassVar[Literal["bpe"]] = "bpe"
    symbols: tuple[Symbol, ...]
    merges: tuple[Merge, ...]
    stop: str
    whole_rule: str | None
    by_merges: tuple[int, ...]
    tokens: tuple[MadeToken, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids that the replay makes."""
        return tuple(token.id for token in self.tokens)

    @property
    def is_decided_by_rule(self) -> bool:
        """Whether merges alone would have made other tokens than the rule that takes tokens whole."""
        return self.whole_rule is not None and self.by_merges != self.ids

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it, bytes as hex."""
        return {
            "kind": self.kind,
            "symbols": [{"bytes": symbol.piece.hex(), "id": symbol.id} for symbol in self.symbols],
            "merges": [merge.to_dict() for merge in self.merges],
            "stop": self.stop,
            "whole_rule": self.whole_rule,
            "by_merges": list(self.by_merges),
            "tokens": [token.to_dict() for token in self.tokens],
        }


def read_bpe(piece: str, record: Mapping[str, Any]) -> BpeReasons:
    """Makes the native record of one pretoken into objects."""
    symbols = tuple(Symbol(data, token_id) for token_id, data in record["symbols"])
    return BpeReasons(
        symbols=symbols,
        merges=tuple(_merges(symbols, record["steps"])),
        stop=record["stop"],
        whole_rule=record["whole_rule"],
        by_merges=tuple(record["by_merges"]),
        tokens=made_tokens(piece, record),
    )


def _merges(symbols: Sequence[Symbol], steps: Sequence[Any]) -> Iterator[Merge]:
    # Where the state is not followed, an id has to tell the bytes: not so of characters without a token of their own.
    pieces = {symbol.id: symbol.piece for symbol in symbols}
    state = [symbol.piece for symbol in symbols] if len(symbols) <= _MAX_TRACKED else None
    for rank, at, left_id, right_id, product_id, runner_up, lost in steps:
        pair = _pair(state, pieces, (rank, at, left_id, right_id))
        product = Symbol(pair.left.piece + pair.right.piece, product_id)
        second = _pair(state, pieces, runner_up) if runner_up else None
        destroyed = tuple(_pair(state, pieces, row) for row in lost)
        pieces[product_id] = product.piece
        shown = None
        if state is not None:
            state[at : at + 2] = [product.piece]
            shown = tuple(state) if len(state) <= _MAX_STATE else None
        yield Merge(pair, product, second, destroyed, shown)


def _pair(state: Sequence[bytes] | None, pieces: Mapping[int | None, bytes], row: Sequence[Any]) -> Pair:
    rank, at, left_id, right_id = row
    left, right = state[at : at + 2] if state is not None else (pieces[left_id], pieces[right_id])
    return Pair(rank, at, Symbol(left, left_id), Symbol(right, right_id))
