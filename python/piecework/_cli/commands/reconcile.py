"""`piecework reconcile`: why a bill says something else than the local count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli import exits
from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import read_inputs
from piecework._cli.options import WholeNumber, model_options, once, printing_options
from piecework._cli.output import open_output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._cli.options import Printing
    from piecework._cost.reconcile import Reconciliation

__all__ = ["command"]

_EXAMPLES = (
    "piecework reconcile usage.jsonl",
    "cat usage.jsonl | piecework reconcile - --json",
    "piecework reconcile usage.jsonl --save",
)


@click.command("reconcile", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("log", nargs=1, metavar="LOG", type=click.Path(allow_dash=True))
@model_options(repeatable=False)
@once("--for", "name", metavar="MODEL", help="The model of records that name none.")
@click.option(
    "--window", type=WholeNumber(min=1), metavar="N", help="The window, in place of each model's own."
)
@click.option(
    "--near",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="The share of the window from which on a request is near its limit.",
)
@click.option(
    "--save",
    is_flag=True,
    help="Keep a calibration for each model; count, budget and pack then use it and say so.",
)
@printing_options
def command(
    *,
    log: str,
    models: tuple[str, ...],
    assume: str | None,
    name: str | None,
    window: int | None,
    near: float,
    save: bool,
    printing: Printing,
) -> int:
    """Lay usage records beside local counts: what makes up the gap, which tokenizer explains the bills, what to look at.

    LOG is JSON Lines: answers of OpenAI, Anthropic or Gemini, alone or as `response` beside their `request`; spans with
    OpenTelemetry's GenAI attributes; rows of log_request. -m counts with one tokenizer in place of each model's own.
    Exits with 1 where there is an alarm.
    """
    import piecework as pw  # noqa: PLC0415 - the public function

    if assume is not None:
        raise click.UsageError("reconcile has no --assume: -m names the tokenizer")
    tokenizer = choices(models, None, printing)[0].tokenizer if models else None
    (source,) = read_inputs((log,), None, printing, hint=None)
    result = pw.reconcile(
        _rows(source.data),
        model=name,
        tokenizer=tokenizer,
        window=window,
        near_share=near,
    )
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.reconcile/1", {"log": source.name, **result.to_dict()})
        else:
            output.line(str(result))
    if save:
        _save(result, printing)
    return exits.FINDING if result.has_alarms else exits.FINE


def _rows(data: bytes) -> Iterable[Any]:
    """The lines of JSON Lines; the rows of one JSON value, which may stretch over many lines."""
    import json  # noqa: PLC0415 - only this command reads a log
    from io import BytesIO  # noqa: PLC0415 - as above

    first = data.lstrip()[:1_000_000].partition(b"\n")[0]
    try:
        # A whole value on the first line: so the others are lines too, and are not read at once.
        is_lines = isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        is_lines = False
    if is_lines:
        return BytesIO(data)
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return BytesIO(data)
    return whole if isinstance(whole, list) else [whole]


def _save(result: Reconciliation, printing: Printing) -> None:
    from piecework._chat.calibration import save_calibrations  # noqa: PLC0415 - only with --save

    made = {report.model: report.calibration for report in result.models if report.calibration is not None}
    for report in result.models:
        if report.calibration is None:
            printing.note(
                f"{report.model}: no calibration; it takes five requests of different lengths whose messages the log holds"
            )
    if not made:
        return
    path = save_calibrations(made)
    for calibration in made.values():
        printing.note(f"{calibration.model}: {calibration.says}")
    printing.note(f"kept in {path}")
