"""`piecework train words`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import printing_options
from piecework._cli.output import open_output
from piecework._cli.train_checkpoint import checkpoint_options
from piecework._cli.train_options import (
    TrainCommand,
    given_arguments,
    running_options,
    source_options,
    word_options,
)
from piecework._cli.train_run import running, sources, told_in_flags

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._cli.train_checkpoint import Keeping

__all__ = ["command"]

_EXAMPLES = (
    "piecework train words prompt.txt log.txt -o counts.tsv.gz",
    "piecework train words prompt.txt log.txt --part 1/8 -o part-1.tsv",
    "piecework train words prompt.txt --pre-tokenizer whitespace --normalizer nfc -o counts.parquet --json",
)


def _part(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"\d+/\d+", value, re.ASCII):
        raise click.BadParameter(f"it is written I/N, such as 1/8, not {value!r}", ctx, param)
    return value


@click.command(
    "words", cls=TrainCommand, examples=_EXAMPLES, output=("FILE", "A .tsv, .tsv.gz, .tsv.zst or .parquet file."),
)  # fmt: skip
@source_options
@word_options("o200k_base")
@click.option("--part", callback=_part, metavar="I/N", help="Count the I-th of N parts only, on one of N machines.")  # fmt: skip
@running_options
@checkpoint_options
@printing_options
def command(
    *,
    files: tuple[str, ...],
    words: tuple[str, ...],
    mix: str | None,
    keeping: Keeping,
    printing: Printing,
    **options: Any,  # noqa: ANN401
) -> None:
    """Count the words of FILES, and write them with their counts to -o, for `train bpe --words`.

    The counts of all parts give the tokenizer that all texts at once would give.
    """
    if printing.output is None:
        raise click.UsageError("where to? -o counts.tsv.gz, or .tsv, .tsv.zst, .parquet")
    source = sources(files, words, mix, printing)
    given = given_arguments(options)
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    with told_in_flags(printing):
        folder = keeping.folder(printing.output, source)
        with running(folder, printing) as told:
            report = train.words(printing.output, **source, **given, **keeping.arguments(folder), **told)
    with open_output(None) as output:
        if printing.json:
            found = {name: value for name, value in report.to_dict().items() if name != "schema"}
            output.json("piecework.train-words/1", {**found, "path": printing.output})
        else:
            output.line(f"{report}")
