"""`--plot FILE`: the picture of what a command found. Two lines in a command: the decorator, and `save_plot` at its end."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import once
from piecework._optional import optional_module
from piecework.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework._cli.options import Command, Printing

__all__ = ["plot_option", "save_plot"]


def plot_option(*names: str) -> Callable[[Command], Command]:
    """Adds --plot, and --plot-kind where there are kinds to choose from; the command gets `plot`, and then `plot_kind`.

    What cannot be drawn is said before the work begins: a suffix that no picture has, or an extra that is not installed.

    Args:
        names: The kinds that a user may choose from. `plot_kind` is None where the user does not: the result then decides.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def run(*, plot: str | None, plot_kind: str | None = None, **rest: Any) -> Any:  # noqa: ANN401
            if plot_kind is not None and plot is None:
                raise click.UsageError("--plot-kind says how to draw; --plot FILE says where to")
            if plot is not None:
                _check(plot)
            chosen = {"plot_kind": plot_kind} if names else {}
            return command(plot=plot, **chosen, **rest)

        help_text = "Draw it into FILE: .svg, .png, .html, or .json (Vega-Lite). Needs the extra plots."
        option = once("--plot", metavar="FILE", help=help_text)(run)
        if not names:
            return option
        kinds = click.Choice(names)
        return click.option("--plot-kind", type=kinds, help="What is drawn; without it, the result decides.")(
            option
        )

    return add


def save_plot(result: object, path: str | None, printing: Printing, **options: Any) -> None:  # noqa: ANN401
    """Draws a result into a file, if one is wanted, and notes what was drawn.

    Args:
        result: What `piecework.plot` draws.
        path: The file; None draws nothing.
        printing: Where the note goes.
        options: What else `piecework.plot` takes.

    Raises:
        OutputError: The result cannot be drawn (a tree too large to read, more tokenizers than colors), or the file cannot
            be written.
    """
    if path is None:
        return
    from piecework._plots import plot  # noqa: PLC0415 - most runs draw nothing

    try:
        chart = plot(result, **options)
    except ValueError as error:
        raise OutputError(f"this cannot be drawn: {error}", path=path, reason=str(error)) from error
    chart.save(path)
    printing.note(f"{path}: {chart}")


def _check(path: str) -> None:
    from piecework._plots import picture_format  # noqa: PLC0415

    try:
        wanted = picture_format(path)
    except ValueError as error:
        raise click.UsageError(f"--plot: {error}") from None
    optional_module("altair", extra="plots")
    if wanted != "json":
        optional_module("vl_convert", extra="plots")
