"""The reasons as a picture in text: the merges of BPE as a tree, the lattice of Unigram, the attempts of WordPiece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.glyphs import visible
from piecework._explain.symbol_glyphs import both_forms, symbol_form
from piecework._explain.trace_text import heading, left_out, stop_text, token_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._explain.bpe_reasons import BpeReasons
    from piecework._explain.reasons import Reasons
    from piecework._explain.trace import Trace
    from piecework._explain.unigram_reasons import UnigramReasons
    from piecework._explain.wordpiece_reasons import WordPieceReasons

__all__ = ["picture_lines", "render_tree"]

_MAX_SYMBOLS = 200


def render_tree(trace: Trace, chosen: Sequence[int]) -> str:
    """Returns the picture of each chosen pretoken as lines of text."""
    lines: list[str] = []
    for at in chosen:
        reasons = trace.why[at]
        lines += [*heading(trace, at), *picture_lines(trace, reasons)]
        lines += [*stop_text(reasons), token_line(trace, reasons.tokens), ""]
    return "\n".join([*lines, *left_out(trace, chosen)]).rstrip("\n")


def picture_lines(trace: Trace, reasons: Reasons) -> Iterator[str]:
    """Yields the lines of one pretoken's picture."""
    if reasons.kind == "bpe":
        yield from _tree(trace, reasons)
    elif reasons.kind == "wordpiece":
        yield from _attempts(reasons)
    elif reasons.kind == "unigram":
        yield from _lattice(reasons)


def _tree(trace: Trace, reasons: BpeReasons) -> Iterator[str]:
    if len(reasons.symbols) > _MAX_SYMBOLS:
        yield f"(a tree of {len(reasons.symbols):,} symbols is not drawn; at most {_MAX_SYMBOLS} are)"
        return
    # A node is its line, and the nodes that it was made of.
    state: list[tuple[str, tuple[object, ...]]] = [
        (symbol_form(trace, symbol.piece), ()) for symbol in reasons.symbols
    ]
    for number, merge in enumerate(reasons.merges, 1):
        at = merge.pair.at
        label = f"{both_forms(trace, merge.product.piece)}  merge {number}, rank {merge.pair.rank}"
        state[at : at + 2] = [(label, (state[at], state[at + 1]))]
    for node in state:
        yield from _node_lines(node)


def _node_lines(root: tuple[str, tuple[object, ...]]) -> Iterator[str]:
    # A stack of its own: a chain of merges is as deep as the pretoken is long.
    stack: list[tuple[object, str, str]] = [(root, "", "")]
    while stack:
        node, before, below = stack.pop()
        assert isinstance(node, tuple)
        label, parts = node
        yield f"{before}{label}"
        if parts:
            left, right = parts
            stack.append((right, f"{below}└─ ", f"{below}   "))
            stack.append((left, f"{below}├─ ", f"{below}│  "))


def _attempts(reasons: WordPieceReasons) -> Iterator[str]:
    for number, place in enumerate(reasons.attempts, 1):
        yield f"place {number}, byte {place[0].byte_span[0] if place else reasons.failed_at}"
        for attempt in place:
            mark = "✗" if attempt.id is None else f"✓ {attempt.id}"
            yield f"  {visible(attempt.text)} {mark}"


def _lattice(reasons: UnigramReasons) -> Iterator[str]:
    best = {(edge.byte_span, edge.id) for edge in reasons.best.edges}
    second = {(edge.byte_span, edge.id) for edge in reasons.runner_up.edges} if reasons.runner_up else set()
    edges = reasons.edges[:_MAX_SYMBOLS]
    width = max((edge.byte_span[1] for edge in edges), default=0)
    yield "★ best path, ○ runner-up; each piece from its first byte to its last"
    for edge in edges:
        key = (edge.byte_span, edge.id)
        mark = ("★" if key in best else " ") + ("○" if key in second else " ")
        start, end = edge.byte_span
        bar = (" " * start + "━" * (end - start)).ljust(width)
        yield f"{mark} {bar}  {visible(edge.text)}  {edge.score:.4f}"
    if len(reasons.edges) > len(edges):
        yield f"… {len(reasons.edges) - len(edges):,} more pieces"
