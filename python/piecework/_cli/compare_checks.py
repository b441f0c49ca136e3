"""Options of `compare` that say nothing together: refused, where one of them would be left out in silence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from piecework._cli.compare_output import words_path
from piecework._measure import SETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._cli.options import Printing
    from piecework._measure import Samples

__all__ = ["check_options", "check_with_samples"]


def check_options(options: Mapping[str, object], printing: Printing) -> None:
    """Checks the options by themselves, before anything is loaded.

    Args:
        options: What the command got, by the names of its parameters.
        printing: How it prints.

    Raises:
        click.UsageError: Two of them do not go together, or one asks for what another rules out.
    """
    samples = options["samples"]
    rules = (
        (samples is not None and options["files"],
         "--samples names built-in texts; FILE your own: name one of them"),
        (samples is not None and samples not in SETS, f"--samples is one of {', '.join(SETS)}, not {samples}"),
        (options["methods"] and (options["extrapolate"] or options["worst"] or options["window"]),
         "--methods prints the paragraph alone"),
        (options["methods"] and (printing.json or _is_given("table_format")),
         "--methods prints the paragraph alone, as text; JSON has it as its member methods"),
        (printing.json and _is_given("table_format") and options["table_format"] != "json",
         f"--json and --format {options['table_format']} name two forms: name one of them"),
        (_is_given("top") and not options["worst"], "--top says how many words; --worst KEY says of which text"),
        (_is_given("seed") and options["resamples"] == 0, "--seed starts a drawing, and --resamples 0 draws nothing"),
        (options["worst"] and options["table_format"] == "csv" and not _has_place_beside(printing.output),
         "a CSV holds one table: with -o FILE, the words of --worst go into a file beside it"),
    )  # fmt: skip
    for is_wrong, message in rules:
        if is_wrong:
            raise click.UsageError(message)
    _check_paths(options, printing)


def check_with_samples(
    samples: Samples, *, extrapolate: int | None, keep_suspect: bool, plot_kind: str | None
) -> None:
    """Checks the options that texts must be aligned for.

    Raises:
        click.UsageError: They are not.
    """
    rules = (
        (plot_kind not in {None, "bars"}, f"--plot-kind {plot_kind} draws premiums"),
        (_is_given("reference"), "--reference is what premiums are relative to"),
        (extrapolate is not None, "--extrapolate starts from the reference"),
    )
    for is_given, what in rules:
        if is_given and not samples.is_aligned:
            raise click.UsageError(f"{what}, and {samples.source} has no texts that say the same")
    if keep_suspect and not any(text.is_parallel for text in samples.texts):
        raise click.UsageError("--keep-suspect keeps rows of aligned texts; here each text stands by itself")


def _check_paths(options: Mapping[str, object], printing: Printing) -> None:
    plot, output = options["plot"], printing.output
    if plot is None or output in {None, "-"}:
        return
    written = [str(output)]
    written += [words_path(str(output))] if options["worst"] and options["table_format"] == "csv" else []
    for path in written:
        if os.path.realpath(path) == os.path.realpath(str(plot)):
            raise click.UsageError(f"--plot and -o both write {plot}: one of them would be lost")


def _has_place_beside(output: str | None) -> bool:
    # Beside a device or a pipe, a file would stand where nobody looks for it.
    return output not in {None, "-"} and (os.path.isfile(str(output)) or not os.path.exists(str(output)))  # noqa: PTH110, PTH113


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source not in {None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}
