"""`piecework train wordlevel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import printing_options
from piecework._cli.train_checkpoint import checkpoint_options
from piecework._cli.train_options import (
    TrainCommand,
    entry_options,
    rare_words_option,
    running_options,
    source_options,
    word_options,
)
from piecework._cli.train_report import report_options
from piecework._cli.train_tokenizer import Wanted, train_tokenizer

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._cli.train_checkpoint import Keeping
    from piecework._cli.train_report import Measuring

__all__ = ["command"]

_EXAMPLES = (
    "piecework train wordlevel prompt.txt --vocab-size 5000 --unk '<unk>' -o words.json",
    "piecework train wordlevel prompt.txt log.txt --vocab-size 5000 --normalizer lowercase -o my-words --json",
)


@click.command(
    "wordlevel", cls=TrainCommand, examples=_EXAMPLES, output=("FOLDER|FILE", "A folder that AutoTokenizer loads, or a .json file."),
)  # fmt: skip
@source_options
@entry_options("Words")
@word_options("whitespace")
@report_options
@running_options
@rare_words_option
@checkpoint_options
@printing_options
def command(
    *,
    files: tuple[str, ...],
    words: tuple[str, ...],
    mix: str | None,
    keeping: Keeping,
    measuring: Measuring,
    printing: Printing,
    **options: Any,  # noqa: ANN401
) -> None:
    """Keep the most frequent words of FILES as they are, and save that to -o; - is standard input.

    FILES are read as `train bpe` reads them. It gives the vocabulary of WordLevelTrainer of tokenizers 0.23.3.
    """
    if options["vocab_size"] is None:
        raise click.UsageError("how many words? --vocab-size N")
    if printing.output is None:
        raise click.UsageError("where to? -o FOLDER, or -o NAME.json")
    train_tokenizer(Wanted("wordlevel", files, words, mix, options), keeping, measuring, printing)
