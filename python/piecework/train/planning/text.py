"""A plan as a table of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._measure.table_formats import Table, render
from piecework.memory.sizes import decimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.train.planning.figures import Planned
    from piecework.train.planning.training_plan import Plan

__all__ = ["plan_text"]

_LEAST_S = 0.1
_MINUTE_S = 60
_HOUR_S = 3600


def plan_text(plan: Plan) -> str:
    """The plan as people read it."""
    rows = [
        _row("files", plan.n_files, _count),
        _row("bytes of files", plan.file_bytes, _bytes),
        _row("bytes of text", plan.text_bytes, _bytes),
        *(
            [_row("bytes counted", plan.counted_bytes, _bytes)]
            if plan.counted_bytes != plan.text_bytes
            else []
        ),
        _row("words", plan.n_words, _count),
        _row("distinct words", plan.n_distinct_words, _count),
        *(
            [_row("words kept", plan.n_kept_words, _count)]
            if plan.n_kept_words != plan.n_distinct_words
            else []
        ),
        _row("time to count", plan.counting_s, _time),
        _row("time to learn", plan.learning_s, _time),
        _row("memory to count", plan.table_bytes, _bytes),
        _row("memory to learn", plan.learning_bytes, _bytes),
        _row("memory at its peak", plan.memory_bytes, _bytes),
        _row("disk for runs", plan.run_bytes, _bytes),
        _row("disk for the result", plan.result_bytes, _bytes),
    ]
    return "\n".join([render(Table("", ["", "", "", ""], rows), "table").lstrip("\n"), *_verdict(plan)])


def _row(name: str, planned: Planned, write: Callable[[float], str]) -> list[str]:
    return [name, write(planned.value), planned.basis, planned.how]


def _verdict(plan: Plan) -> list[str]:
    known = [
        f"{decimal(round(plan.memory_bytes.value))} of memory"
        + (f" of the {decimal(plan.max_bytes)} that it may take" if plan.max_bytes is not None else ""),
        f"{decimal(round(plan.run_bytes.value + plan.result_bytes.value))} of disk"
        + (
            f" of the {decimal(plan.free_disk_bytes)} that are left"
            if plan.free_disk_bytes is not None
            else ""
        ),
    ]
    return [f"{'It fits' if plan.fits else 'It does not fit'}: {', '.join(known)}.", *plan.advice]


def _count(value: float) -> str:
    return f"{value:,}"


def _bytes(value: float) -> str:
    return decimal(round(value))


def _time(value: float) -> str:
    if value < _LEAST_S:
        return f"{value:.2g} s"
    if value < _MINUTE_S:
        return f"{value:.1f} s"
    if value < _HOUR_S:
        return f"{value / _MINUTE_S:.1f} min"
    return f"{value / _HOUR_S:.1f} h"
