"""`piecework train wordlevel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import printing_options
from piecework._cli.train_options import (
    TrainCommand,
    entry_options,
    given_arguments,
    reading_options,
    source_argument,
    word_options,
)
from piecework._cli.train_output import check_place, print_trained
from piecework._cli.train_report import Measuring, report_options
from piecework._cli.train_run import sources, told_in_flags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._cli.options import Printing

__all__ = ["command"]

_EXAMPLES = (
    "piecework train wordlevel prompt.txt --vocab-size 5000 --unk '<unk>' -o words.json",
    "piecework train wordlevel prompt.txt log.txt --vocab-size 5000 --normalizer lowercase -o my-words --json",
)


@click.command(
    "wordlevel", cls=TrainCommand, examples=_EXAMPLES, output=("FOLDER|FILE", "A folder that AutoTokenizer loads, or a .json file."),
)  # fmt: skip
@source_argument
@entry_options("Words")
@word_options("whitespace")
@report_options
@reading_options
@printing_options
def command(
    *,
    files: tuple[str, ...],
    held_out: Mapping[str, str],
    rivals: tuple[str, ...],
    printing: Printing,
    **options: Any,  # noqa: ANN401
) -> None:
    """Keep the most frequent words of FILES as they are, and save that to -o; - is standard input.

    It gives the vocabulary of WordLevelTrainer of tokenizers 0.23.3.
    """
    if options["vocab_size"] is None:
        raise click.UsageError("how many words? --vocab-size N")
    if printing.output is None:
        raise click.UsageError("where to? -o FOLDER, or -o NAME.json")
    measuring = Measuring(held_out, rivals, "replace" if options["errors"] == "replace" else "strict")
    measuring.check()
    given = given_arguments(options)
    source = sources(files, printing)
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    with told_in_flags(printing):
        small = {name: value for name, value in given.items() if name != "min_frequency"}
        check_place(printing.output, lambda: train.wordlevel(texts=["a"], **small))
        tok = train.wordlevel(**source, **given)
        print_trained(tok, printing.output, measuring, printing)
