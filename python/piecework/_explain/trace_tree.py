"""The reasons as a picture in text: the merges of BPE as a tree, the lattice of Unigram, the attempts of WordPiece."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from piecework._explain.glyphs import shortened, visible
from piecework._explain.symbol_glyphs import both_forms, symbol_form
from piecework._explain.trace_style import PLAIN
from piecework._explain.trace_text import heading, left_out, stop_text, token_line, tried, unrecorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._explain.bpe_reasons import BpeReasons
    from piecework._explain.reasons import Reasons
    from piecework._explain.trace import Trace
    from piecework._explain.trace_style import Style
    from piecework._explain.unigram_reasons import Edge, UnigramReasons
    from piecework._explain.wordpiece_reasons import WordPieceReasons

__all__ = ["picture_lines", "render_tree"]

_MAX_SYMBOLS = 200
# Columns of a terminal for the bars of a lattice.
_MAX_WIDTH = 100


class _Node(NamedTuple):
    label: str
    parts: tuple[_Node, ...]


def render_tree(trace: Trace, chosen: Sequence[int], style: Style = PLAIN, *, is_whole: bool = False) -> str:
    """Returns the picture of each chosen pretoken as lines of text, with all of its tokens if `is_whole`."""
    lines: list[str] = []
    trace.look_up_cuts(chosen)
    for at in chosen:
        reasons = trace.why[at]
        lines += [*heading(trace, at, style), *picture_lines(trace, reasons, style), *unrecorded(at, reasons)]
        lines += stop_text(reasons, is_whole=is_whole)
        lines += [token_line(trace, reasons.tokens, style, is_whole=is_whole), ""]
    return "\n".join([*lines, *left_out(trace, chosen)]).rstrip("\n")


def picture_lines(trace: Trace, reasons: Reasons, style: Style = PLAIN) -> Iterator[str]:
    """Yields the lines of one pretoken's picture."""
    if reasons.kind == "bpe":
        yield from _tree(trace, reasons)
    elif reasons.kind == "wordpiece":
        yield from _attempts(trace, reasons)
    elif reasons.kind == "unigram":
        yield from _lattice(reasons, style)


def _tree(trace: Trace, reasons: BpeReasons) -> Iterator[str]:
    if reasons.n_symbols > _MAX_SYMBOLS:
        yield f"(a tree of {reasons.n_symbols:,} symbols is not drawn; at most {_MAX_SYMBOLS} are)"
        return
    state = [_Node(symbol_form(trace, symbol.piece), ()) for symbol in reasons.symbols]
    for number, merge in enumerate(reasons.merges, 1):
        at = merge.pair.at
        label = f"{both_forms(trace, merge.product.piece)}  merge {number}, rank {merge.pair.rank}"
        state[at : at + 2] = [_Node(label, (state[at], state[at + 1]))]
    for node in state:
        yield from _node_lines(node)


def _node_lines(root: _Node) -> Iterator[str]:
    # A stack of its own: a chain of merges is as deep as the pretoken is long.
    stack = [(root, "", "")]
    while stack:
        node, before, below = stack.pop()
        yield f"{before}{node.label}"
        if node.parts:
            left, right = node.parts
            stack.append((right, f"{below}└─ ", f"{below}   "))
            stack.append((left, f"{below}├─ ", f"{below}│  "))


def _attempts(trace: Trace, reasons: WordPieceReasons) -> Iterator[str]:
    for number, place in enumerate(reasons.attempts, 1):
        yield f"place {number}, byte {place[0].byte_span[0] if place else reasons.failed_at}"
        for attempt in place:
            mark = "✗" if attempt.id is None else f"✓ {attempt.id}"
            yield f"  {tried(trace, attempt)} {mark}"


def _lattice(reasons: UnigramReasons, style: Style) -> Iterator[str]:
    best = {(edge.byte_span, edge.id) for edge in reasons.best.edges}
    second = {(edge.byte_span, edge.id) for edge in reasons.runner_up.edges} if reasons.runner_up else set()
    yield "★ best path, ○ runner-up; each piece from its first byte to its last"
    edges, first = _shown_edges(reasons)
    width = max((edge.byte_span[1] - first for edge in edges), default=0)
    for edge in edges:
        key = (edge.byte_span, edge.id)
        mark = ("★" if key in best else " ") + ("○" if key in second else " ")
        start, end = edge.byte_span
        bar = (" " * (start - first) + "━" * (end - start)).ljust(width)
        line = f"{mark} {bar}  {shortened(visible(edge.text))}  {edge.score:.4f}"
        yield style.strong(line) if key in best else line
    if len(reasons.edges) > len(edges):
        where = f"bytes {first} to {first + width}" if first or width else "nothing"
        yield f"({where} drawn; {len(reasons.edges) - len(edges):,} pieces elsewhere, --table has all)"


def _shown_edges(reasons: UnigramReasons) -> tuple[Sequence[Edge], int]:
    """Returns all edges and 0; of a lattice too large to look at, those where the two best paths differ, and the first byte."""
    edges = reasons.edges
    if len(edges) <= _MAX_SYMBOLS and all(edge.byte_span[1] <= _MAX_WIDTH for edge in edges):
        return edges, 0
    first, last = reasons.contested or (0, _MAX_WIDTH)
    last = min(last, first + _MAX_WIDTH)
    within = [edge for edge in edges if first <= edge.byte_span[0] and edge.byte_span[1] <= last]
    return within[:_MAX_SYMBOLS], first
