"""A closing report as tables of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._chat.served.scripts import NO_SCRIPT, OTHER_SCRIPT
from piecework._explain.glyphs import joined, shortened, visible
from piecework._measure.table_formats import Table, render
from piecework._plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._measure.bootstrap import Interval
    from piecework.train.closing.closing_report import ClosingReport
    from piecework.train.closing.figures import Domain, Dropped, RivalFigures, WorstText

__all__ = ["report_text"]

_LONGEST = 44
_SCRIPTS = 8
_NAMES = {NO_SCRIPT: "shared by scripts", OTHER_SCRIPT: "other scripts"}


def report_text(report: ClosingReport) -> str:
    """The report as people read it: paragraphs and tables, with an empty line between them."""
    rows = [*report.domains, report.total] if len(report.domains) > 1 else list(report.domains)
    parts = [
        *([report.training] if report.training else []),
        _compression(report, rows),
        *([_ratios(report, rows)] if report.total.rivals else []),
        *([_losses(report)] if report.total.rivals else []),
        *([_worst(report.worst)] if report.worst else []),
        *([_longest(report)] if report.longest else []),
        _vocabulary(report),
        *([] if report.dropped is None else [_dropped(report.dropped)]),
        *(["\n".join(f"note: {note}" for note in report.notes)] if report.notes else []),
    ]
    return "\n\n".join(parts)


def _compression(report: ClosingReport, rows: Sequence[Domain]) -> str:
    sizes = [("ours", report.vocab_size), *((rival.name, rival.vocab_size) for rival in report.rivals)]
    names = [name for name, _ in sizes]
    cells = [
        [
            row.name,
            f"{row.n_bytes:,}",
            f"{row.n_units:,}",
            _number(row.bytes_per_token),
            *(_number(rival.bytes_per_token) for rival in row.rivals),
        ]
        for row in rows
    ]
    title = "Bytes per token on held-out text (exact)"
    entries = f"Entries: {', '.join(f'{name} {size:,}' for name, size in sizes)}."
    return render(Table(title, ["", "bytes", "units", *names], cells, entries), "table")


def _ratios(report: ClosingReport, rows: Sequence[Domain]) -> str:
    cells = [
        [
            row.name,
            rival.name,
            _number(None if rival.ratio is None else rival.ratio.value),
            _ends(rival.ratio),
            _verdict(row, rival),
        ]
        for row in rows
        for rival in row.rivals
    ]
    title = "Our bytes per token over the rival's: above 1, ours needs fewer tokens"
    note = f"The ratio is exact. Its interval is an estimate: {report.level:.4g} of {report.n_resamples:,} paired resamples."
    if any(cell[-1].endswith("*") for cell in cells):
        note = f"{note} * Text is lost to unknown tokens, which flatters whoever loses it."
    return render(Table(title, ["", "rival", "ratio", "interval", "verdict"], cells, note), "table")


def _verdict(row: Domain, rival: RivalFigures) -> str:
    return f"{rival.verdict}*" if row.n_unknown or rival.n_unknown else rival.verdict


def _losses(report: ClosingReport) -> str:
    if not report.losses:
        return "Where it loses: in no domain."
    return f"Where it loses: {'; '.join(f'{domain} to {rival}' for domain, rival in report.losses)}."


def _worst(worst: Sequence[WorstText]) -> str:
    cells = [
        [
            f"{one.domain} {one.place:,}",
            one.rival,
            f"{one.n_tokens:,}",
            f"{one.n_rival_tokens:,}",
            _cut(one.pieces),
            _cut(one.rival_pieces),
        ]
        for one in worst
    ]
    heads = ["unit", "rival", "ours", "rival's", "our cut where it differs most", "the rival's cut"]
    return render(Table("Texts on which ours needs most more tokens", heads, cells), "table")


def _longest(report: ClosingReport) -> str:
    cells = [
        [str(one.id), f"{one.n_bytes:,}", f"{one.n_chars:,}", f"{one.n_times:,}", _short(one.piece)]
        for one in report.longest
    ]
    return render(
        Table("Longest tokens", ["id", "bytes", "characters", "in held-out", "token"], cells), "table"
    )


def _vocabulary(report: ClosingReport) -> str:
    junk, alphabet = report.junk, report.alphabet
    scripts = [f"{_NAMES.get(name, name)} {n:,}" for name, n in alphabet.scripts.items()]
    more = f" and {len(scripts) - _SCRIPTS} more scripts" if len(scripts) > _SCRIPTS else ""
    own = "256 bytes" if alphabet.n_bytes == 256 else plural(alphabet.n_entries, "character")
    return (
        f"Vocabulary: {report.vocab_size:,} entries; {junk.n_unused:,} are not in the held-out text, "
        f"{junk.n_whitespace:,} are runs of white space, {junk.n_digits:,} runs of digits, "
        f"{junk.n_partial:,} parts of characters.\n"
        f"Alphabet: {own}, {alphabet.n_used:,} used in the held-out text. Single characters with a token: "
        f"{len(alphabet.characters):,} ({', '.join(scripts[:_SCRIPTS])}{more})."
    )


def _dropped(dropped: Dropped) -> str:
    parts = []
    if dropped.characters:
        n = plural(len(dropped.characters), "character")
        parts.append(f"{n} ({_short(''.join(dropped.characters))})")
    if dropped.n_left_out_words:
        n = plural(dropped.n_left_out_words, "rare word")
        parts.append(f"{n} ({plural(dropped.n_left_out, 'occurrence')})")
    if dropped.n_invalid:
        parts.append(f"{plural(dropped.n_invalid, 'byte sequence')} of no UTF-8")
    if dropped.n_merges_left_out:
        parts.append(f"{plural(dropped.n_merges_left_out, 'merge')} that made a special token")
    return f"Dropped in training: {'; '.join(parts) or 'nothing'}."


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _ends(ratio: Interval | None) -> str:
    if ratio is None or ratio.low is None or ratio.high is None:
        return "-"
    return f"{ratio.low:.3f} to {ratio.high:.3f}"


def _cut(pieces: Sequence[str]) -> str:
    return shortened(joined(map(visible, pieces)), max_chars=_LONGEST)


def _short(text: str) -> str:
    return shortened(visible(text), max_chars=_LONGEST)
