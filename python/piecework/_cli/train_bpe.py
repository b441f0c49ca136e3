"""`piecework train bpe`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import WholeNumber, printing_options
from piecework._cli.train_options import (
    TrainCommand,
    bpe_options,
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
    "piecework train bpe prompt.txt log.txt --vocab-size 32000 -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --base chars --pre-tokenizer whitespace --unk '<unk>' -o t.json",
    "piecework train bpe prompt.txt --vocab-size 300 --special-token '<|end|>' --id-layout bytes -o vocab.json",
    "piecework train bpe prompt.txt --merges 10 --steps --ties first-seen",
    "piecework train bpe prompt.txt --vocab-size 300 --held-out log.txt --rival gpt2 -o my-tokenizer",
    "cat prompt.txt log.txt | piecework train bpe - --vocab-size 8000 -o t.json --json",
)
_TIES = ("hf", "first-seen", "lexicographic", "smallest-ids")


@click.command(
    "bpe", cls=TrainCommand, examples=_EXAMPLES, output=("FOLDER|FILE", "A folder that AutoTokenizer loads, or a .json file; vocab.json gets its merges.txt."),
)  # fmt: skip
@source_argument
@entry_options("Pairs")
@click.option("--merges", "n_merges", type=WholeNumber(min=0), metavar="N", help="Merges to learn, in place of --vocab-size.")  # fmt: skip
@word_options("o200k_base")
@bpe_options
@click.option("--steps", is_flag=True, help="Print each merge with the counts before it; for small texts.")
@click.option("--ties", type=click.Choice(_TIES), help="Which of the most frequent pairs, with --steps. [hf]")
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
    """Train BPE on FILES, texts in UTF-8 or such texts packed as .gz, and save it to -o; - is standard input.

    It gives the merges and ids of BpeTrainer of tokenizers 0.23.3. A file is read a line at a time.
    """
    if (options["vocab_size"] is None) == (options["n_merges"] is None):
        raise click.UsageError("give one of --vocab-size and --merges")
    if printing.output is None and not options["steps"]:
        raise click.UsageError("where to? -o FOLDER, or -o NAME.json")
    measuring = Measuring(held_out, rivals, "replace" if options["errors"] == "replace" else "strict")
    measuring.check()
    given = given_arguments(options)
    source = sources(files, printing)
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    with told_in_flags(printing):
        if printing.output is not None:
            small = {name: value for name, value in given.items() if name not in ("vocab_size", "n_merges")}
            check_place(printing.output, lambda: train.bpe(texts=["a"], n_merges=0, **small))
        tok = train.bpe(**source, **given)
        print_trained(tok, printing.output, measuring, printing)
