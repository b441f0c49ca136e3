"""The causes of what differs, by name, and what somebody should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._cost.reconcile.drift import find_drift
from piecework._cost.reconcile.fitting import CLOSER, IS_OWN
from piecework._cost.reconcile.reconciliation import Cause
from piecework._plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cost.reconcile.fitting import Fit
    from piecework._cost.reconcile.local_counts import Counting
    from piecework._cost.reconcile.reconciliation import GapLine
    from piecework._cost.reconcile.reconciling import Compared
    from piecework._cost.reconcile.usage_record import UsageRecord

__all__ = ["find_causes"]

# What remains under this share of what was billed needs no cause.
_NOTHING = 0.005
# With fewer requests a tokenizer may be closer by chance; with many, it may be so though the bills are noisy.
_MIN_DOUBT, _MANY = 6, 30


def find_causes(  # noqa: PLR0917 - all that is known of one model
    records: Sequence[UsageRecord],
    compared: Sequence[Compared],
    gap: Sequence[GapLine],
    fits: Sequence[Fit],
    counting: Counting | None,
    window: int | None,
    near_share: float,
) -> Iterator[Cause]:
    """Yields the causes of a model's gap, then the alarms."""
    layers = {line.name: line.n_tokens for line in gap}
    if layers.get("template"):
        yield Cause(
            "template",
            f"{layers['template']:,} tokens around the texts of {plural(len(compared), 'request')}",
        )
    if layers.get("tools"):
        yield Cause("tools", f"{layers['tools']:,} tokens of tool definitions")
    yield from _pictures(compared)
    yield from _cache(records)
    yield from _reasoning(records, counting)
    yield from _wrong_tokenizer(compared, fits, counting)
    yield from _unexplained(layers, sum(one.record.input_tokens for one in compared if one.local))
    yield from _drift(compared, fits, counting)
    yield from _limits(records, window, near_share)


def _pictures(compared: Sequence[Compared]) -> Iterator[Cause]:
    n = sum(one.request.n_pictures for one in compared if one.request)
    if n:
        yield Cause("pictures", f"{n:,} images, sounds or files, which are billed and not counted here")


def _cache(records: Sequence[UsageRecord]) -> Iterator[Cause]:
    read = sum(record.cached_tokens for record in records)
    written = sum(record.cache_write_tokens for record in records)
    if not read + written:
        return
    said = f"{read:,} input tokens were read from a cache"
    if written:
        said += f", {written:,} written to one"
    apart = sum(record.input_tokens - record.reported_input_tokens for record in records)
    if apart:
        said += f"; the provider's own field for input leaves {apart:,} of them out"
    yield Cause("cache", said)


def _reasoning(records: Sequence[UsageRecord], counting: Counting | None) -> Iterator[Cause]:
    """Reasoning that the provider names, and output that the reply does not show."""
    named = sum(record.reasoning_tokens or 0 for record in records)
    if named:
        total = sum(record.output_tokens for record in records)
        yield Cause("reasoning", f"{named:,} of {total:,} output tokens are reasoning that no reply shows")
        return
    if counting is None or counting.basis != "exact":
        # An estimate is off by more than a reply's end.
        return
    shown = [record for record in records if record.reply is not None and record.reasoning_tokens is None]
    billed = sum(record.output_tokens for record in shown)
    seen = sum(counting.text(record.reply or "") for record in shown)
    # A reply's end is a token or two that its text does not show.
    hidden = billed - seen - 3 * len(shown)
    if shown and hidden > _NOTHING * billed:
        yield Cause(
            "reasoning",
            f"{hidden:,} of {billed:,} output tokens are in no reply: reasoning that is not named",
        )


def _wrong_tokenizer(
    compared: Sequence[Compared], fits: Sequence[Fit], counting: Counting | None
) -> Iterator[Cause]:
    if len(fits) < 2 or counting is None:
        return
    best = fits[0]
    own = next((one for one in fits if one.tokenizer == counting.tokenizer), None)
    billed = [one.record.input_tokens for one in compared]
    if own is None or own is best or not billed:
        return
    mean = sum(billed) / len(billed)
    if best.n_samples < _MIN_DOUBT or (best.off > IS_OWN * mean and best.n_samples < _MANY):
        return
    if own.off > CLOSER * best.off and own.off > _NOTHING * mean:
        yield Cause(
            "wrong-tokenizer",
            f"{counting.tokenizer} is off by {own.off:,.1f} tokens a request, {best.tokenizer} by {best.off:,.1f}: "
            f"count this model with {best.tokenizer}",
            is_alarm=True,
        )


def _unexplained(layers: dict[str, int], billed: int) -> Iterator[Cause]:
    left = layers.get("unexplained", 0)
    if billed and abs(left) > _NOTHING * billed:
        yield Cause("unexplained", f"{left:+,} tokens, {left / billed:+.1%} of what was billed")


def _drift(compared: Sequence[Compared], fits: Sequence[Fit], counting: Counting | None) -> Iterator[Cause]:
    fit = next((one for one in fits if counting is not None and one.tokenizer == counting.tokenizer), None)
    rows = []
    for one in compared:
        local = _expected(one, fit)
        if local and not (one.request is not None and one.request.n_pictures):
            rows.append((one.record, one.record.input_tokens / local))
    found = find_drift([ratio for _, ratio in rows])
    if found is not None:
        record = rows[found.at][0]
        when = f"line {record.line}" + (f" ({record.time})" if record.time else "")
        yield Cause(
            "drift",
            f"from {when} on, {found.after:.3f} tokens are billed for each counted one, {found.before:.3f} before",
            is_alarm=True,
        )


def _expected(one: Compared, fit: Fit | None) -> float | None:
    """What a request should be billed; None where nothing says what its template or its tools add.

    Its texts alone do not do: where prompts get shorter the framing's share grows, and that is no drift.
    """
    if one.local is None:
        return None
    if one.local.total is not None:
        return one.local.total
    if fit is None or one.request is None or one.request.tools:
        return None
    return one.local.n_text + fit.per_request + fit.per_message * len(one.request.messages)


def _limits(records: Sequence[UsageRecord], window: int | None, near_share: float) -> Iterator[Cause]:
    if window is not None:
        near = [
            record
            for record in records
            if record.input_tokens + (record.max_output_tokens or 0) >= near_share * window
        ]
        if near:
            largest = max(record.input_tokens for record in near)
            yield Cause(
                "near-limit",
                f"{len(near):,} of {plural(len(records), 'request')} take {near_share:.0%} or more of the window of {window:,}; "
                f"the longest input has {largest:,}",
                is_alarm=True,
            )
    known = [record for record in records if record.is_cut is not None]
    cut = sum(bool(record.is_cut) for record in known)
    if cut:
        yield Cause(
            "cut-replies", f"{cut:,} of {len(known):,} replies were cut by their output limit", is_alarm=True
        )
