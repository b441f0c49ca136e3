"""The model's reasons for a pretoken as rows: the merges of BPE for the tree, the edges of Unigram for the lattice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.bpe_reasons import BpeReasons
from piecework._explain.glyphs import piece_glyphs, visible
from piecework._explain.unigram_reasons import UnigramReasons

if TYPE_CHECKING:
    from piecework._explain.bpe_reasons import Pair, Symbol
    from piecework._explain.trace import Trace
    from piecework._plots.kinds import KindName
    from piecework._plots.rows import Row

__all__ = ["edge_rows", "merge_rows", "reason_rows"]

# SentencePiece's sign for a space, which few fonts have.
_SPACE = str.maketrans("\u2581", "·")


def reason_rows(trace: Trace, pretoken: int | None) -> tuple[KindName, list[Row]]:
    """The kind and the rows of one pretoken of a trace.

    Args:
        trace: The trace.
        pretoken: The pretoken's place; None for the first of more than one symbol or piece.

    Raises:
        ValueError: There is no such pretoken, or none that can be drawn: only BPE merges and Unigram weighs paths.
    """
    n_pretokens = len(trace.pretokens)
    if pretoken is not None and not 0 <= pretoken < n_pretokens:
        raise ValueError(f"there is no pretoken {pretoken}: the text has {n_pretokens}, from 0")
    for at in range(n_pretokens) if pretoken is None else (pretoken,):
        reasons = trace.why[at]
        if isinstance(reasons, BpeReasons) and (reasons.n_merges or pretoken is not None):
            return "merge-tree", merge_rows(reasons)
        if isinstance(reasons, UnigramReasons) and (len(reasons.edges) > 1 or pretoken is not None):
            return "lattice", edge_rows(reasons)
    raise ValueError("there is nothing to draw: no merge of BPE and no lattice of Unigram")


def merge_rows(reasons: BpeReasons) -> list[Row]:
    """The symbols and merges of BPE.

    Returns:
        A row for each symbol, then one for each merge, as the kind `merge-tree` reads them. The note of a merge is the best
        pair that it destroyed: the merge that lost.

    Raises:
        ValueError: The pretoken was taken whole, and no merge is known of it.
    """
    if reasons.whole_rule and not reasons.n_merges and reasons.n_symbols > 1:
        raise ValueError("this pretoken is a token that was taken whole: no merges made it")
    if reasons.n_merges > len(reasons.merges):
        n, n_all = len(reasons.merges), reasons.n_merges
        raise ValueError(
            f"only {n:,} of the pretoken's {n_all:,} merges are recorded: explain(max_merges=None) records all"
        )
    rows = [_node(symbol) for symbol in reasons.symbols]
    state = list(range(len(rows)))
    for merge in reasons.merges:
        at = merge.pair.at
        left, right = state[at : at + 2]
        note = _lost(min(merge.lost, key=lambda pair: (pair.rank, pair.at))) if merge.lost else None
        rows.append(
            {**_node(merge.product), "left": left, "right": right, "rank": merge.pair.rank, "note": note}
        )
        state[at : at + 2] = [len(rows) - 1]
    # Where a rule took the pretoken whole, what merges alone would have made are no tokens.
    if [rows[node]["id"] for node in state] == list(reasons.ids):
        for node in state:
            rows[node]["is_token"] = True
    return rows


def edge_rows(reasons: UnigramReasons) -> list[Row]:
    """The edges of a Unigram lattice: a row for each, as the kind `lattice` reads them."""
    best = {edge.byte_span for edge in reasons.best.edges}
    second = {edge.byte_span for edge in reasons.runner_up.edges} if reasons.runner_up else set()
    # The paths come too, so that they are there even where the list of edges was cut short.
    paths = [*reasons.best.edges, *(reasons.runner_up.edges if reasons.runner_up else ())]
    edges = {edge.byte_span: edge for edge in [*reasons.edges, *paths]}
    return [
        {
            "start": span[0],
            "end": span[1],
            "text": visible(edge.text).translate(_SPACE),
            "score": edge.score,
            "id": edge.id,
            "is_best": span in best,
            "is_runner_up": span in second,
        }
        for span, edge in sorted(edges.items())
    ]


def _node(symbol: Symbol) -> Row:
    return {
        "text": _shown(symbol.piece), "left": None, "right": None, "rank": None, "id": symbol.id, "is_token": False,
        "note": None,
    }  # fmt: skip


def _lost(pair: Pair) -> str:
    return f"lost: {_shown(pair.left.piece)}+{_shown(pair.right.piece)}, rank {pair.rank:,}"


def _shown(piece: bytes) -> str:
    return piece_glyphs(piece).translate(_SPACE)
