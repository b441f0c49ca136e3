"""Reconciling: each model's bills beside local counts, layer by layer, and the causes of what differs by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING

from piecework._budget.line import weakest
from piecework._chat.calibration import Calibration
from piecework._cost.reconcile.causes import find_causes
from piecework._cost.reconcile.fitting import (
    CLOSER,
    IS_OWN,
    Fit,
    Sample,
    best_fits,
    fit_with_ratio,
    shares_of_unseen,
    varies,
)
from piecework._cost.reconcile.local_counts import (
    LocalCount,
    Request,
    count_locally,
    count_texts,
    read_request,
)
from piecework._cost.reconcile.reconciliation import GapLine, ModelReport, Reconciliation
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from piecework._cost.reconcile.local_counts import Counting
    from piecework._cost.reconcile.usage_log import UnreadLine
    from piecework._cost.reconcile.usage_record import UsageRecord

__all__ = ["MIN_FIT", "Compared", "reconcile_records"]

# With fewer requests, two numbers of framing fit anything.
MIN_FIT = 5
_MIN_PERCENTILE = 40


@dataclass(frozen=True, slots=True)
class Compared:
    """A record with what it counts here.

    Attributes:
        record: The record.
        request: What was sent; None for a row that has a local count only.
        local: The local count; None where nothing here counts for the model.
    """

    record: UsageRecord
    request: Request | None
    local: LocalCount | None


def reconcile_records(
    records: Sequence[UsageRecord],
    *,
    counting_of: Callable[[str], Counting | None],
    candidates: Mapping[str, Callable[[str], int]],
    fingerprints: Mapping[str, str],
    window_of: Callable[[str], int | None],
    near_share: float,
    date: str,
    unread: Sequence[UnreadLine] = (),
) -> Reconciliation:
    """Explains bills.

    Args:
        records: The usage records, in the order of time.
        counting_of: What counts for a model; None where nothing here does.
        candidates: Known tokenizers: counts of a text, by name.
        fingerprints: Their fingerprints.
        window_of: A model's window; None where it is not known.
        near_share: The share of the window from which on a prompt is near its limit.
        date: Today, for calibrations.
        unread: Lines of the log that are no records.

    Complexity: As counting each text once for each candidate.
    """
    by_model: dict[str, list[UsageRecord]] = {}
    for record in records:
        by_model.setdefault(record.model, []).append(record)
    reasons: Counter[str] = Counter()
    reports = []
    for model, rows in by_model.items():
        counting = counting_of(model)
        compared = [one for one in (_compare(row, counting, reasons) for row in rows) if one is not None]
        own = None if counting is None else counting.tokenizer
        fits, calibration = _fits(model, own, compared, candidates, fingerprints, date)
        gap = _gap(compared, fits)
        reports.append(
            ModelReport(
                model=model,
                n_requests=len(rows),
                n_compared=len(compared),
                tokenizer=None if counting is None else counting.tokenizer,
                input_tokens=sum(row.input_tokens for row in rows),
                output_tokens=sum(row.output_tokens for row in rows),
                gap=tuple(gap),
                causes=tuple(find_causes(rows, compared, gap, fits, counting, window_of(model), near_share)),
                fits=tuple(fits),
                calibration=calibration,
            )
        )
    reports.sort(key=lambda one: -one.input_tokens)
    return Reconciliation(tuple(reports), tuple(unread), tuple(reasons.most_common()))


def _compare(record: UsageRecord, counting: Counting | None, reasons: Counter[str]) -> Compared | None:
    """A record beside its local count; None where there is nothing to compare with."""
    request = read_request(record)
    if isinstance(request, str):
        reasons[request] += 1
        return None
    if request is None:
        if record.logged_tokens is None:
            reasons["the record does not hold what was sent"] += 1
            return None
        return Compared(record, None, LocalCount(record.logged_tokens, 0, 0))
    try:
        local = None if counting is None else count_locally(request, counting)
    except EncodeError as error:
        reasons[error.message] += 1
        return None
    return Compared(record, request, local)


def _gap(compared: Sequence[Compared], fits: Sequence[Fit]) -> list[GapLine]:
    """The layers of what was billed; the last is what none of them explains."""
    read = [(one.request, one.local) for one in compared if one.request and one.local]
    logged = [one.record for one in compared if one.request is None]
    billed = sum(one.record.input_tokens for one in compared if one.request is None or one.local)
    lines = _layers(read, fits)
    lines += _logged_layers(logged)
    if not lines:
        return []
    return [*lines, GapLine("unexplained", billed - sum(line.n_tokens for line in lines), "billed")]


def _logged_layers(records: Sequence[UsageRecord]) -> list[GapLine]:
    """The counts of rows of `log_request`, by the names of their parts; a message's own framing is in its part."""
    sums: Counter[str] = Counter()
    for record in records:
        for name, n_tokens in record.logged_parts:
            sums[_layer(name)] += n_tokens
        rest = (record.logged_tokens or 0) - sum(n for _, n in record.logged_parts)
        if rest:
            sums["logged counts"] += rest
    return [GapLine(name, n_tokens, "as logged") for name, n_tokens in sums.items() if n_tokens]


def _layer(part: str) -> str:
    if part.startswith("messages[") or part == "text":
        return "logged messages"
    return "logged tools" if "tool" in part else "logged framing"


def _layers(read: Sequence[tuple[Request, LocalCount]], fits: Sequence[Fit]) -> list[GapLine]:
    """The texts, the template and the tools of requests that were counted here."""
    if not read:
        return []
    locals_ = [local for _, local in read]
    basis = weakest([local.basis for local in locals_])
    lines = [
        GapLine("texts", sum(one.n_text for one in locals_), weakest([one.text_basis for one in locals_]))
    ]
    template = [one.n_template for one in locals_ if one.n_template is not None]
    if len(template) == len(locals_):
        lines.append(GapLine("template", sum(template), basis))
    elif fits:
        best = fits[0]
        added = sum(best.per_request + best.per_message * len(request.messages) for request, _ in read)
        lines.append(GapLine("template", round(added), "fitted"))
    n_tools = sum(one.n_tools or 0 for one in locals_)
    return [*lines, GapLine("tools", n_tools, basis)] if n_tools else lines


def _fits(  # noqa: PLR0917 - all that is known of one model
    model: str,
    own: str | None,
    compared: Sequence[Compared],
    candidates: Mapping[str, Callable[[str], int]],
    fingerprints: Mapping[str, str],
    date: str,
) -> tuple[list[Fit], Calibration | None]:
    """How well each known tokenizer explains the bills, and the calibration by the best."""
    usable = [one for one in compared if one.request is not None and not one.request.n_pictures]
    plain = [one for one in usable if one.request is not None and not one.request.tools]
    chosen = plain if len(plain) >= MIN_FIT else usable
    if len(chosen) < MIN_FIT:
        return [], None
    samples: dict[str, list[Sample]] = {}
    for name, count_text in candidates.items():
        try:
            samples[name] = [
                Sample(
                    one.record.input_tokens, len(one.request.messages), count_texts(one.request, count_text)
                )
                for one in chosen
                if one.request is not None
            ]
        except EncodeError:
            # A vocabulary that lacks the text is not the model's.
            continue
    fits = best_fits(samples)
    return fits, _calibration(model, own, fits, samples, fingerprints, date)


def _calibration(  # noqa: PLR0917 - as above
    model: str,
    own: str | None,
    fits: Sequence[Fit],
    samples: Mapping[str, Sequence[Sample]],
    fingerprints: Mapping[str, str],
    date: str,
) -> Calibration | None:
    if not fits:
        return None
    best = fits[0]
    known = next((one for one in fits if one.tokenizer == own and one.off <= CLOSER * best.off), None)
    best = known or best
    mean = sum(sample.billed for sample in samples[best.tokenizer]) / len(samples[best.tokenizer])
    if known is None and not varies(samples[best.tokenizer]):
        # Requests of one length do not say what a token costs.
        return None
    if best.off > IS_OWN * mean:
        # No tokenizer here is the model's own, or the bills are noisy: then the one whose counts follow them most closely
        # stands for it, and where the model's own is known, that one.
        names = [best.tokenizer] if known is not None else list(samples)
        scaled = [fit_with_ratio(name, samples[name]) for name in names]
        best = min(scaled, key=lambda one: (one.off, one.tokenizer))
    shares = shares_of_unseen(best, samples[best.tokenizer])
    if not shares or best.ratio <= 0:
        return None
    # The 2.5th and the 97.5th percentile; of a few shares neither can be known: then their extremes.
    ends = quantiles(shares, n=40, method="inclusive") if len(shares) >= _MIN_PERCENTILE else shares
    return Calibration(
        model=model,
        tokenizer=best.tokenizer,
        fingerprint=fingerprints.get(best.tokenizer, ""),
        ratio=best.ratio,
        per_request=best.per_request,
        per_message=best.per_message,
        n_requests=best.n_samples,
        date=date,
        band=(min(ends), max(ends)),
    )
