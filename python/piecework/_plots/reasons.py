"""The model's reasons for a pretoken as rows: the merges of BPE for the tree, the edges of Unigram for the lattice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from piecework._explain.glyphs import piece_glyphs

if TYPE_CHECKING:
    from piecework._plots.rows import Row

__all__ = ["edge_rows", "merge_rows"]


def merge_rows(reasons: Mapping[str, Any]) -> list[Row]:
    """The symbols and merges of BPE.

    Args:
        reasons: The native record of a pretoken: `symbols`, `steps`, `tokens`.

    Returns:
        A row for each symbol, then one for each merge, as the kind `merge-tree` reads them. The note of a merge is the best
        pair that it destroyed: the merge that lost.
    """
    rows: list[Row] = []
    pieces: list[bytes] = []
    ids: list[int | None] = []
    for symbol_id, symbol in reasons["symbols"]:
        rows.append(_node(symbol, symbol_id))
        pieces.append(symbol)
        ids.append(symbol_id)
    state = list(range(len(rows)))
    for rank, at, _, _, product_id, _, lost in reasons["steps"]:
        left, right = state[at], state[at + 1]
        note = _lost(lost, [pieces[node] for node in state])
        pieces.append(pieces[left] + pieces[right])
        ids.append(product_id)
        rows.append(
            {**_node(pieces[-1], product_id), "left": left, "right": right, "rank": rank, "note": note}
        )
        state[at : at + 2] = [len(rows) - 1]
    for node in state:
        rows[node]["is_token"] = True
    return rows


def edge_rows(piece: str, reasons: Mapping[str, Any]) -> list[Row]:
    """The edges of a Unigram lattice.

    Args:
        piece: The pretoken's text as the model sees it.
        reasons: The native record of it: `edges`, `path`, `runner_up`.

    Returns:
        A row for each edge, as the kind `lattice` reads them.
    """
    data = piece.encode()
    best = {_place(edge) for edge in reasons["path"]}
    second = {_place(edge) for edge in reasons["runner_up"][0]} if reasons["runner_up"] else set()
    # The paths come first, so that they are there even where the list of edges was cut short.
    paths = [*reasons["path"], *(reasons["runner_up"][0] if reasons["runner_up"] else ())]
    edges = {_place(edge): edge for edge in [*paths, *reasons["edges"]]}
    return [
        {
            "start": start, "end": end, "text": piece_glyphs(data[start:end]), "score": score, "id": token_id,
            "is_best": place in best, "is_runner_up": place in second,
        }
        for place, (start, end, token_id, score, *_) in sorted(edges.items())
    ]  # fmt: skip


def _node(piece: bytes, token_id: int | None) -> Row:
    return {
        "text": piece_glyphs(piece), "left": None, "right": None, "rank": None, "id": token_id, "is_token": False, "note": None,
    }  # fmt: skip


def _lost(lost: Sequence[Sequence[int]], state: Sequence[bytes]) -> str | None:
    """The best of the pairs that a merge destroyed, in words: the pair left of it, or the one right of it."""
    if not lost:
        return None
    rank, lost_at = min((pair[0], pair[1]) for pair in lost)
    pair = "+".join(piece_glyphs(symbol) for symbol in state[lost_at : lost_at + 2])
    return f"lost: {pair}, rank {rank:,}"


def _place(edge: Sequence[Any]) -> tuple[int, int, int]:
    start, end, token_id, *_ = edge
    return int(start), int(end), int(token_id)
