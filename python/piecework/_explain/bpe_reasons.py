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
        symbols: What the pretoken is before the first merge; of one with more merges than are recorded, the first 4,096.
        n_symbols: How many symbols that is.
        merges: The merges in the order in which they fire, as many as are recorded; of a pretoken taken whole, those that
            would have.
        n_merges: How many there are.
        stop: `no-pair`, `one-symbol`, or `whole-piece`: the pretoken is a token, and such are taken whole.
        whole_rule: The rule that took it whole: `ignore_merges` or `whole-piece`.
        by_merges: The ids that merges alone make.
        tokens: The tokens.
    """

    kind: ClassVar[Literal["bpe"]] = "bpe"
    symbols: tuple[Symbol, ...]
    n_symbols: int
    merges: tuple[Merge, ...]
    n_merges: int
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
            "n_symbols": self.n_symbols,
            "merges": [merge.to_dict() for merge in self.merges],
            "n_merges": self.n_merges,
            "stop": self.stop,
            "whole_rule": self.whole_rule,
            "by_merges": list(self.by_merges),
            "tokens": [token.to_dict() for token in self.tokens],
        }


def read_bpe(piece: str, record: Mapping[str, Any]) -> BpeReasons:
    """Makes the native record of one pretoken into objects."""
    symbols = tuple(Symbol(data, token_id) for token_id, data in record["symbols"])
    n_symbols = record["n_symbols"]
    # The state can be followed where all of it is there, and not too much.
    state = [symbol.piece for symbol in symbols] if len(symbols) == n_symbols <= _MAX_TRACKED else None
    return BpeReasons(
        symbols=symbols,
        n_symbols=n_symbols,
        merges=tuple(_merges(piece.encode(), state, record["steps"])),
        n_merges=record["n_steps"],
        stop=record["stop"],
        whole_rule=record["whole_rule"],
        by_merges=tuple(record["by_merges"]),
        tokens=made_tokens(piece, record),
    )


def _merges(data: bytes, state: list[bytes] | None, steps: Sequence[Any]) -> Iterator[Merge]:
    for joined, product_id, runner_up, lost in steps:
        pair = _pair(data, joined)
        product = Symbol(pair.left.piece + pair.right.piece, product_id)
        shown = None
        if state is not None:
            state[pair.at : pair.at + 2] = [product.piece]
            shown = tuple(state) if len(state) <= _MAX_STATE else None
        second = _pair(data, runner_up) if runner_up else None
        yield Merge(pair, product, second, tuple(_pair(data, row) for row in lost), shown)


def _pair(data: bytes, row: Sequence[Any]) -> Pair:
    rank, at, left_id, right_id, (start, middle, end) = row
    return Pair(rank, at, Symbol(data[start:middle], left_id), Symbol(data[middle:end], right_id))
