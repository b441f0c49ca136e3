"""How far a training is: its phase, how much of it is done, the distinct words so far, and the time that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._cli.progress import PatientBar
from piecework.memory.sizes import decimal

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID

    from piecework.train.progress import TrainingProgress

__all__ = ["PhaseBar", "amount"]

_DOING = {
    "weigh": "weighing",
    "count": "counting",
    "merge": "merging runs",
    "learn": "learning",
}


class PhaseBar(PatientBar):
    """A bar on stderr that begins anew with each phase; called with each report of a trainer."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._last: TrainingProgress | None = None

    def __call__(self, report: TrainingProgress) -> None:
        """Takes a report of how far the training is."""
        with self._lock:
            is_new = self._last is None or self._last.phase != report.phase
            self._last = report
            if self._bar is None:
                return
            bar, task = self._bar
            if is_new:
                # The speed of another phase says nothing about this one; and a total, once set, cannot be unset.
                bar.remove_task(task)
                self._bar = bar, _add_task(bar, report)
            else:
                bar.update(task, total=report.total, completed=report.done, amount=amount(report))

    def _draw(self) -> tuple[Progress, TaskID]:
        from rich import progress  # noqa: PLC0415 - most runs never draw a bar
        from rich.console import Console  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        # What has no known end has neither a share that is done nor a time that is left.
        class Share(progress.BarColumn):
            def render(self, task: Task) -> Any:  # noqa: ANN401 - a bar or nothing
                return Text() if task.total is None else super().render(task)

        class Left(progress.TimeRemainingColumn):
            def render(self, task: Task) -> Text:
                # Nor has what has just begun, or is at its end and is being put together.
                return super().render(task).append(" left") if task.time_remaining else Text()

        bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.fields[phase]}"),
            Share(bar_width=12),
            progress.TextColumn("{task.fields[amount]}"),
            Left(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, _add_task(bar, self._last)


def _add_task(bar: Progress, report: TrainingProgress | None) -> TaskID:
    if report is None:
        return bar.add_task("", total=None, phase="reading", amount="")
    doing = _DOING[report.phase]
    return bar.add_task("", total=report.total, completed=report.done, phase=doing, amount=amount(report))


def amount(report: TrainingProgress) -> str:
    """How much of it is done, for a line of 80 characters.

    Examples:
        >>> from piecework.train.progress import TrainingProgress
        >>> amount(TrainingProgress(phase="count", done=12 * 10**8, total=34 * 10**8, unit="bytes", n_distinct_words=812_004))
        '1.20 of 3.40 GB, 812,004 distinct'
    """
    if not report.done and report.total is None:
        return ""
    shown = [
        decimal(value) if report.unit == "bytes" else f"{value:,} {report.unit}"
        for value in (report.done, report.total)
        if value is not None
    ]
    if len(shown) == 2:
        done, unit = shown[0].split()
        shown[0] = done if shown[1].endswith(f" {unit}") else shown[0]
    words = f", {report.n_distinct_words:,} distinct" if report.n_distinct_words else ""
    return " of ".join(shown) + words
