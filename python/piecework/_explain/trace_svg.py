"""The reasons of one pretoken as boxes in an inline SVG: each piece over the stretch of the pretoken that it takes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from piecework._explain.glyphs import cell_width, visible
from piecework._explain.symbol_glyphs import symbol_form
from piecework._explain.trace_text import tried

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._explain.bpe_reasons import BpeReasons
    from piecework._explain.reasons import Reasons
    from piecework._explain.trace import Trace
    from piecework._explain.unigram_reasons import UnigramReasons
    from piecework._explain.wordpiece_reasons import WordPieceReasons

__all__ = ["picture_svg"]

_MAX_BOXES = 200
_ROW = 26


class _Box(NamedTuple):
    start: int
    end: int
    row: int
    label: str
    is_token: bool


def picture_svg(trace: Trace, reasons: Reasons) -> str:
    """Returns the picture; "" where there is none, or where it would have more than 200 boxes."""
    if reasons.kind == "bpe":
        boxes = list(_merge_boxes(trace, reasons)) if reasons.n_symbols <= _MAX_BOXES else []
    elif reasons.kind == "wordpiece":
        boxes = list(_attempt_boxes(trace, reasons))
    elif reasons.kind == "unigram":
        boxes = list(_lattice_boxes(reasons)) if len(reasons.edges) <= _MAX_BOXES else []
    else:
        boxes = []
    return _svg(boxes) if 0 < len(boxes) <= _MAX_BOXES else ""


def _merge_boxes(trace: Trace, reasons: BpeReasons) -> Iterator[_Box]:
    state = [
        _Box(at, at + 1, 0, symbol_form(trace, symbol.piece), is_token=False)
        for at, symbol in enumerate(reasons.symbols)
    ]
    for number, merge in enumerate(reasons.merges, 1):
        at = merge.pair.at
        yield from state[at : at + 2]
        label = symbol_form(trace, merge.product.piece)
        state[at : at + 2] = [_Box(state[at].start, state[at + 1].end, number, label, is_token=False)]
    is_whole = len(reasons.merges) == reasons.n_merges
    yield from (box._replace(is_token=is_whole) for box in state)


def _attempt_boxes(trace: Trace, reasons: WordPieceReasons) -> Iterator[_Box]:
    row = 0
    for place in reasons.attempts:
        for attempt in place:
            yield _Box(*attempt.byte_span, row, tried(trace, attempt), is_token=attempt.id is not None)
            row += 1


def _lattice_boxes(reasons: UnigramReasons) -> Iterator[_Box]:
    best = {(edge.byte_span, edge.id) for edge in reasons.best.edges}
    ends: list[int] = []
    # The best path has the first row; every other piece the first row in which it has room.
    for edge in sorted(reasons.edges, key=lambda edge: (edge.byte_span, edge.id or 0)):
        start, end = edge.byte_span
        is_best = (edge.byte_span, edge.id) in best
        row = 0
        if not is_best:
            row = 1 + next((at for at, last in enumerate(ends) if last <= start), len(ends))
            ends[row - 1 : row] = [end]
        yield _Box(start, end, row, f"{visible(edge.text)} {edge.score:.2f}", is_token=is_best)


def _svg(boxes: Sequence[_Box]) -> str:
    unit = max(
        10.0, min(90.0, max((cell_width(box.label) * 7.5 + 8) / (box.end - box.start) for box in boxes))
    )
    width = max(box.end for box in boxes) * unit + 4
    height = (max(box.row for box in boxes) + 1) * _ROW + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height}" '
        f'font-family="monospace" font-size="12">{"".join(_box(box, unit) for box in boxes)}</svg>'
    )


def _box(box: _Box, unit: float) -> str:
    x, y = box.start * unit + 2, box.row * _ROW + 2
    width = (box.end - box.start) * unit - 3
    fill, ink = ("#0072b2", "#ffffff") if box.is_token else ("#f0f0f0", "#222222")
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 6}" rx="3" fill="{fill}" stroke="#888888"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 14}" text-anchor="middle" fill="{ink}">{escape(box.label)}</text>'
    )
