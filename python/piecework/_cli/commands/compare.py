"""`piecework compare`: what tokenizers make of languages and kinds of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from piecework._cli.choice import choices
from piecework._cli.compare_checks import check_options, check_with_samples
from piecework._cli.compare_output import Shown, print_comparison
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import check_unicode, read_stdin
from piecework._cli.options import WholeNumber, model_options, once, printing_options
from piecework._cli.plot_option import plot_option, save_plot
from piecework._cli.progress import ByteProgress
from piecework._measure import (
    Resampling,
    SampleText,
    Settings,
    Subject,
    check_comparison,
    compare_tokenizers,
    named_subjects,
)
from piecework._measure.reading import read_samples
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.options import Printing
    from piecework._measure import Comparison
    from piecework._measure.table_formats import TableFormat
    from piecework._measure.words import Words
    from piecework._types import Errors

__all__ = ["command"]

_EXAMPLES = (
    "piecework compare -m qwen3 --samples fox",
    "piecework compare -m gpt-4o -m qwen3 -m gpt2",
    "piecework compare -m gpt-4o -m qwen3 --lang hi --lang th --words unicode --extrapolate 20000",
    "piecework compare -m qwen3 --lang hi --worst hi",
    "piecework compare -m qwen3 'data/flores.{lang}.txt' --reference eng_Latn --format csv -o figures.csv",
    "piecework compare -m qwen3 --samples kinds --window 32768",
    "piecework compare -m gpt-4o -m qwen3 --methods",
)


@click.command("compare", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@model_options(repeatable=True)
@once("--samples", metavar="SET", help="Built-in texts: parallel, kinds or fox. [default: parallel]")
@click.option(
    "--lang", "keys", metavar="KEY", multiple=True, help="Only this text, and the reference. Repeatable."
)
@click.option("--words", type=click.Choice(["whitespace", "unicode"]), default="whitespace", show_default=True,
              help="What a word is.")  # fmt: skip
@click.option(
    "--reference", metavar="KEY", default="en", show_default=True, help="What premiums are relative to."
)
@click.option(
    "--keep-suspect", is_flag=True, help="Also rows that are empty, untranslated, or in another script."
)
@click.option(
    "--extrapolate",
    type=WholeNumber(min=1, max=10**15),
    metavar="N",
    help="How long N tokens of the reference are.",
)
@click.option(
    "--worst", metavar="KEY", multiple=True, help="The words of this text that cost most. Repeatable."
)
@click.option(
    "--top", type=WholeNumber(min=1), metavar="N", default=10, show_default=True, help="How many of them."
)
@click.option("--window", type=WholeNumber(min=1), metavar="N", help="The share of a window of N tokens.")
@click.option(
    "--costs",
    is_flag=True,
    help="Window, price and KV cache of each model, and what each text takes of them.",
)
@click.option(
    "--config",
    "configs",
    metavar="MODEL=FILE",
    multiple=True,
    help="With --costs: a model's config.json. Repeatable.",
)
@click.option("--resamples", type=WholeNumber(min=0), metavar="N", default=1000, show_default=True,
              help="Draws for the intervals; 0 for none.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Where the drawing starts.")
@click.option("--format", "table_format", type=click.Choice(["table", "md", "csv", "latex", "json"]), default="table",
              show_default=True, help="How tables are written.")  # fmt: skip
@click.option("--methods", is_flag=True, help="The paragraph that says how the figures are made, alone.")
@click.option("--errors", type=click.Choice(["strict", "replace"]), default="strict", show_default=True,
              help="Text that is no Unicode: an error, or U+FFFD.")  # fmt: skip
@printing_options
@plot_option("heat-map", "premium", "bars")
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    assume: str | None,
    samples: str | None,
    keys: tuple[str, ...],
    words: Words,
    reference: str,
    keep_suspect: bool,
    extrapolate: int | None,
    worst: tuple[str, ...],
    top: int,
    window: int | None,
    costs: bool,
    configs: tuple[str, ...],
    resamples: int,
    seed: int,
    table_format: TableFormat | Literal["json"],
    methods: bool,
    errors: Errors,
    printing: Printing,
    plot: str | None,
    plot_kind: str | None,
) -> None:
    """Compare tokenizers over languages and kinds of text, with how sure the figures are.

    Without files, on built-in samples: demonstration, not evidence. A file with {lang} in its name stands for one file a
    language, aligned line by line; .tsv, .csv, .jsonl and .parquet have a column a language; other files, and - for
    standard input, are compared as they are.
    """
    check_options(
        {
            "files": files, "samples": samples, "methods": methods, "extrapolate": extrapolate, "worst": worst, "window": window,
            "resamples": resamples, "table_format": table_format, "plot": plot,
        },
        printing,
    )  # fmt: skip
    if configs and not costs:
        raise click.UsageError("--config goes with --costs")
    chosen = choices(models, assume, printing)
    try:
        found = read_samples(
            _named(files, printing, errors) or samples or "parallel",
            keys=keys,
            reference=reference,
            errors=errors,
        )
        check_with_samples(found, extrapolate=extrapolate, keep_suspect=keep_suspect, plot_kind=plot_kind)
        n_bytes = sum(len(row.encode("utf-8", "surrogatepass")) for text in found.texts for row in text.rows)
        progress = ByteProgress(n_bytes * len(chosen), doing="comparing", quiet=printing.quiet)
        settings = Settings(
            words, reference, Resampling(resamples, seed), keep_suspect, worst, top, errors, progress.add
        )
        subjects = named_subjects([_subject(choice) for choice in chosen])
        check_comparison(subjects, found, settings)
    except PieceworkError:
        # Some of them are a ValueError too, and say more.
        raise
    except ValueError as error:
        # What was asked for is not there. What goes wrong further down is no fault of the command line.
        raise click.UsageError(str(error)) from None
    for left_out in found.left_out:
        printing.note(f"note: the column {left_out.key} is left out: {left_out.reason}")
    with progress:
        result = compare_tokenizers(subjects, found, settings)
    if costs:
        result = _with_costs(result, subjects, chosen, configs)
    form = None if printing.json or table_format == "json" else table_format
    print_comparison(result, Shown(form, methods, window, extrapolate), printing)
    for choice in chosen:
        printing.note(choice.describe())
    save_plot(result, plot, printing, kind=plot_kind or result.chart_kinds[0])


def _with_costs(
    result: Comparison, subjects: Sequence[Subject], chosen: Sequence[Choice], configs: tuple[str, ...]
) -> Comparison:
    from piecework._api.model_columns import figures_of_models  # noqa: PLC0415 - loads the price tables
    from piecework._measure.model_figures import with_models  # noqa: PLC0415 - as above

    read = {}
    for one in configs:
        model, is_there, path = one.partition("=")
        if not (is_there and path):
            raise click.UsageError(f"--config is written MODEL=FILE, not {one!r}")
        read[model] = path
    names = [(subject.name, choice.model) for subject, choice in zip(subjects, chosen, strict=True)]
    try:
        return with_models(result, figures_of_models(names, read))
    except PieceworkError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _subject(choice: Choice) -> Subject:
    native = choice.tokenizer._native  # noqa: SLF001 - rooms below know no Tokenizer
    return Subject(choice.model, native, choice.tokenizer.name, choice.basis)


def _named(files: tuple[str, ...], printing: Printing, errors: Errors) -> list[str | SampleText]:
    """The files, standard input read where one is `-`."""
    if files.count("-") > 1:
        raise click.UsageError("standard input can be read once, and - is there twice")
    return [_stdin(printing, errors) if file == "-" else file for file in files]


def _stdin(printing: Printing, errors: Errors) -> SampleText:
    found = read_stdin(printing)
    return SampleText(found.name, found.name, (check_unicode(found, errors),), is_parallel=False)
