"""A trace for reading: the stages, then each pretoken with the model's reasons, in words or as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._explain.columns import columns
from piecework._explain.glyphs import piece_glyphs, shortened, visible
from piecework._explain.palette import color_numbers
from piecework._explain.stages_text import render_stages
from piecework._explain.symbol_glyphs import both_forms, symbol_form
from piecework._explain.trace_style import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._explain.bpe_reasons import BpeReasons, Pair
    from piecework._explain.made_tokens import MadeToken
    from piecework._explain.reasons import Reasons
    from piecework._explain.trace import Trace
    from piecework._explain.trace_style import Style
    from piecework._explain.unigram_reasons import Edge, Path, UnigramReasons
    from piecework._explain.wordpiece_reasons import Attempt, WordPieceReasons

__all__ = [
    "heading",
    "left_out",
    "reason_lines",
    "render_table",
    "render_trace",
    "stop_text",
    "token_line",
    "tried",
    "unrecorded",
]

# What of one pretoken a page can hold; `is_whole` has all.
_MAX_ROWS = 60
_MAX_TOKENS = 100
# Pieces of a path of which all are written; of a longer one, those where the two paths differ.
_MAX_PATH = 30
_HOW = {"byte": " (byte fallback)", "unknown": " (unknown)", "user-defined": " (user-defined)"}


def render_trace(trace: Trace, chosen: Sequence[int], style: Style = PLAIN, *, is_whole: bool = False) -> str:
    """Returns the stages and the reasons of the chosen pretokens as lines of text; all rows of each if `is_whole`."""
    max_pretokens = None if is_whole else max(20, len(chosen))
    lines = [render_stages(trace.stages, max_pretokens=max_pretokens, is_whole=is_whole)]
    trace.look_up_cuts(chosen)
    for at in chosen:
        reasons = trace.why[at]
        lines += ["", *heading(trace, at, style)]
        shown = (*reason_lines(trace, reasons, is_whole=is_whole), *stop_text(reasons, is_whole=is_whole))
        lines += [f"  {line}" for line in shown]
        lines.append(f"  {token_line(trace, reasons.tokens, style, is_whole=is_whole)}")
    return "\n".join([*lines, *left_out(trace, chosen)])


def reason_lines(trace: Trace, reasons: Reasons, *, is_whole: bool = False) -> Iterator[str]:
    """Yields the rows of one pretoken as a table, as many as a page holds or all; nothing where there are none."""
    rows = reason_rows(trace, reasons)
    n_shown = len(rows) if is_whole else _MAX_ROWS + 1
    if len(rows) > 1:
        yield from columns(rows[:n_shown])
    n_more = len(rows[n_shown:]) + n_unrecorded(reasons)
    if n_more:
        yield f"… {n_more:,} more (--all has all)"


def n_unrecorded(reasons: Reasons) -> int:
    """Returns how many merges, or places of a word, a pretoken has beyond those that are recorded of it."""
    if reasons.kind == "bpe":
        return reasons.n_merges - len(reasons.merges)
    if reasons.kind == "wordpiece":
        return reasons.n_found - sum(place[-1].id is not None for place in reasons.attempts if place)
    return 0


def unrecorded(at: int, reasons: Reasons) -> Iterator[str]:
    """Yields a line that says how many merges of a pretoken are not there."""
    n_more = n_unrecorded(reasons)
    if n_more and reasons.kind == "bpe":
        yield f"pretoken {at}: first {len(reasons.merges):,} of {reasons.n_merges:,} merges shown; --all for the rest"
    elif n_more:
        yield f"pretoken {at}: {n_more:,} more places of the word; --all for the rest"


def render_table(trace: Trace, chosen: Sequence[int]) -> str:
    """Returns one table: a row for each merge, attempt or edge of the chosen pretokens."""
    rows: list[list[str]] = []
    notes: list[str] = []
    for at in chosen:
        reasons = trace.why[at]
        head, *body = reason_rows(trace, reasons)
        if not rows:
            rows.append(["pretoken", *head])
        rows += [[str(at), *row] for row in body]
        notes += unrecorded(at, reasons)
    return "\n".join([*columns(rows), *notes, *left_out(trace, chosen)])


def left_out(trace: Trace, chosen: Sequence[int]) -> Iterator[str]:
    """Yields a line that says how many distinct pretokens are not there."""
    rest = trace.n_distinct() - len(chosen)
    if rest > 0:
        yield f"{rest:,} more distinct {'pretoken' if rest == 1 else 'pretokens'} not explained here"


def heading(trace: Trace, at: int, style: Style = PLAIN) -> Iterator[str]:
    """Yields the lines that name a pretoken and what cut it."""
    pretoken = trace.pretokens[at]
    yield style.strong(f"pretoken {at}  {both_forms(trace, pretoken.text.encode())}")
    cut = trace.cuts[at]
    if cut.stage is not None:
        stage = f"pre-tokenizer {cut.stage + 1}, " if len(trace.stages.pre_tokenizers) > 1 else ""
        which = "" if cut.alternative is None else f"alternative {cut.alternative + 1} "
        yield f"  cut by {stage}{which}{visible(cut.rule)}"


def token_line(
    trace: Trace, tokens: Sequence[MadeToken], style: Style = PLAIN, *, is_whole: bool = False
) -> str:
    """Returns the tokens of a pretoken in a line, in both forms where they differ; of many the first."""
    n_more = 0 if is_whole else max(0, len(tokens) - _MAX_TOKENS)
    tokens = tokens[: len(tokens) - n_more]
    numbers = color_numbers(token.id for token in tokens)
    shown = (
        f"{style.token(both_forms(trace, token.piece), number)} {token.id}{_HOW.get(token.how, '')}"
        for token, number in zip(tokens, numbers, strict=True)
    )
    return f"tokens: {' | '.join(shown)}{f' … {n_more:,} more (--all has all)' if n_more else ''}"


def stop_text(reasons: Reasons, *, is_whole: bool = False) -> Iterator[str]:
    """Yields why it ends, in words."""
    if reasons.kind == "bpe":
        yield from _bpe_stop(reasons, is_whole=is_whole)
    elif reasons.kind == "wordpiece":
        yield _word_piece_stop(reasons)
    elif reasons.kind == "unigram":
        yield from _unigram_stop(reasons)


def reason_rows(trace: Trace, reasons: Reasons) -> list[list[str]]:
    """Returns a row for each merge, attempt or edge, under a row of headings."""
    if reasons.kind == "bpe":
        return _bpe_rows(trace, reasons)
    if reasons.kind == "wordpiece":
        return _word_piece_rows(trace, reasons)
    if reasons.kind == "unigram":
        return _unigram_rows(reasons)
    found = [[str(token.id), "unknown" if token.how == "unknown" else "found"] for token in reasons.tokens]
    return [["id", "whole word"], *found]


def _bpe_rows(trace: Trace, reasons: BpeReasons) -> list[list[str]]:
    def pair(found: Pair) -> str:
        return f"{symbol_form(trace, found.left.piece)}+{symbol_form(trace, found.right.piece)}"

    def named(found: Pair) -> str:
        return f"{pair(found)} {found.rank}"

    rows = [["merge", "rank", "at", "pair", "runner-up", "lost", "state after"]]
    for number, merge in enumerate(reasons.merges, 1):
        state = [symbol_form(trace, piece) for piece in merge.state or ()]
        rows.append([
            str(number), str(merge.pair.rank), str(merge.pair.at), pair(merge.pair),
            named(merge.runner_up) if merge.runner_up else "none",
            ", ".join(map(named, merge.lost)) or "none",
            " ".join(state) if merge.state is not None else "(over 64 symbols)",
        ])  # fmt: skip
    return rows


def _bpe_stop(reasons: BpeReasons, *, is_whole: bool) -> Iterator[str]:
    if reasons.stop == "whole-piece":
        n_more = 0 if is_whole else max(0, len(reasons.by_merges) - _MAX_TOKENS)
        made = " ".join(map(str, reasons.by_merges[: len(reasons.by_merges) - n_more]))
        made += f" … {n_more:,} more" if n_more else ""
        decided = f"merges alone make {made}" if made else "merges alone cannot make it"
        same = "" if reasons.is_decided_by_rule else ", the same"
        yield f"ends: the whole pretoken is a token, taken whole by {reasons.whole_rule}; {decided}{same}"
    elif reasons.stop == "one-symbol":
        yield "ends: one symbol is left" if reasons.n_merges else "one symbol: nothing to merge"
    else:
        yield "ends: no two neighbors have a merge"


def tried(trace: Trace, attempt: Attempt) -> str:
    """Returns what was looked up, as the vocabulary has it: with `##` where it continues a word."""
    start, _ = attempt.byte_span
    prefix = trace.stages.model.get("continuing_subword_prefix") or ""
    return shortened(visible(f"{prefix if start else ''}{attempt.text}"))


def _word_piece_rows(trace: Trace, reasons: WordPieceReasons) -> list[list[str]]:
    rows = [["token", "bytes", "tried", "id"]]
    for number, place in enumerate(reasons.attempts, 1):
        for attempt in place:
            start, end = attempt.byte_span
            found = "no" if attempt.id is None else str(attempt.id)
            rows.append([str(number), f"{start}-{end}", tried(trace, attempt), found])
    return rows


def _word_piece_stop(reasons: WordPieceReasons) -> str:
    if reasons.stop == "too-long":
        return (
            f"ends: {reasons.n_chars:,} characters, more than {reasons.max_chars}: the whole word is unknown"
        )
    if reasons.stop == "no-match":
        return f"ends: nothing fits at byte {reasons.failed_at}: the whole word is unknown"
    return "ends: the word is used up"


def _unigram_rows(reasons: UnigramReasons) -> list[list[str]]:
    best = {(edge.byte_span, edge.id) for edge in reasons.best.edges}
    second = {(edge.byte_span, edge.id) for edge in reasons.runner_up.edges} if reasons.runner_up else set()
    rows = [["bytes", "piece", "id", "score", "on"]]
    for edge in reasons.edges:
        key = (edge.byte_span, edge.id)
        paths = [name for name, path in (("best", best), ("runner-up", second)) if key in path]
        start, end = edge.byte_span
        token = "none" if edge.id is None else str(edge.id)
        text = f"{shortened(visible(edge.text))}{_HOW.get(edge.how, '')}"
        rows.append([f"{start}-{end}", text, token, f"{edge.score:.4f}", ", ".join(paths)])
    return rows


def _unigram_stop(reasons: UnigramReasons) -> Iterator[str]:
    yield f"best path: {_path(reasons.best, reasons.contested)}"
    if reasons.is_capped:
        yield f"runner-up: not looked for, the lattice has more than {len(reasons.edges):,} pieces; no more are kept"
    elif reasons.runner_up is None:
        yield "runner-up: none, there is no other path"
    else:
        yield f"runner-up: {_path(reasons.runner_up, reasons.contested)}; margin {reasons.margin:.4f}"


def _path(path: Path, contested: tuple[int, int] | None) -> str:
    """Returns the pieces of a path; of a long one those where the best and the second differ."""
    edges: Sequence[Edge] = path.edges
    before = after = ""
    if len(edges) > _MAX_PATH and contested is not None:
        start, end = contested
        edges = [edge for edge in edges if start <= edge.byte_span[0] and edge.byte_span[1] <= end]
        before, after = "… | " if start else "", " | …" if end < path.edges[-1].byte_span[1] else ""
    if len(edges) > _MAX_PATH:
        after = f" | … {len(edges) - _MAX_PATH:,} more{after}"
    pieces = " | ".join(shortened(piece_glyphs(edge.text.encode())) for edge in edges[:_MAX_PATH])
    return f"{before}{pieces}{after}, score {path.score:.4f}"
