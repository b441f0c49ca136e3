"""`piecework train bpe`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.exits import FINE
from piecework._cli.options import WholeNumber, printing_options
from piecework._cli.train_checkpoint import checkpoint_options
from piecework._cli.train_options import (
    TrainCommand,
    bpe_options,
    entry_options,
    rare_words_option,
    running_options,
    source_options,
    word_options,
)
from piecework._cli.train_plan import print_plan
from piecework._cli.train_report import report_options
from piecework._cli.train_tokenizer import Wanted, train_tokenizer

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._cli.train_checkpoint import Keeping
    from piecework._cli.train_report import Measuring

__all__ = ["command"]

_EXAMPLES = (
    "piecework train bpe prompt.txt log.txt --vocab-size 32000 -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --base chars --pre-tokenizer whitespace --unk '<unk>' -o t.json",
    "piecework train bpe prompt.txt --vocab-size 300 --special-token '<|end|>' --id-layout bytes -o vocab.json",
    "piecework train bpe prompt.txt --merges 10 --steps --ties first-seen --cut lowest",
    "piecework train bpe prompt.txt --vocab-size 300 --held-out log.txt --rival gpt2 -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --max-memory 1GB --checkpoint kept --resume -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --plan",
    "piecework train words prompt.txt -o n.tsv && piecework train bpe --words n.tsv --vocab-size 300 -o t.json",
    "cat prompt.txt log.txt | piecework train bpe - --vocab-size 8000 -o t.json --json",
)
_TIES = ("hf", "first-seen", "lexicographic", "smallest-ids")


@click.command(
    "bpe", cls=TrainCommand, examples=_EXAMPLES, output=("FOLDER|FILE", "A folder that AutoTokenizer loads, or a .json file; vocab.json gets its merges.txt."),
)  # fmt: skip
@source_options
@entry_options("Pairs")
@click.option("--merges", "n_merges", type=WholeNumber(min=0), metavar="N", help="Merges to learn, in place of --vocab-size.")  # fmt: skip
@word_options("o200k_base")
@bpe_options
@click.option("--steps", is_flag=True, help="Print each merge with the counts before it; for small texts.")
@click.option("--ties", type=click.Choice(_TIES), help="Which of the most frequent pairs, with --steps. [hf]")
@click.option("--score", type=click.Choice(["count", "wordpiece"]), help="What is merged first: the most frequent pair, or that of the highest WordPiece score, with --steps. [count]")  # fmt: skip
@click.option("--cut", "cuts", multiple=True, metavar="WORD", help="Cut WORD by the merges, one after the other, with --steps. Repeatable.")  # fmt: skip
@click.option("--plan", is_flag=True, help="Print what FILES will take of time, memory and disk, and stop there; nothing is trained.")  # fmt: skip
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
    plan: bool,
    cuts: tuple[str, ...],
    **options: Any,  # noqa: ANN401
) -> int:
    """Train BPE on FILES and save it to -o; - is standard input.

    FILES are texts in UTF-8, read a line at a time, .jsonl with a text in each record, .parquet or .arrow with one in each
    row; .gz and .zst are unpacked. It gives the merges and ids of BpeTrainer of tokenizers 0.23.3.
    """
    if (options["vocab_size"] is None) == (options["n_merges"] is None):
        raise click.UsageError("give one of --vocab-size and --merges")
    if cuts and not options["steps"]:
        raise click.UsageError("--cut shows a word on the blackboard: it goes with --steps")
    wanted = Wanted("bpe", files, words, mix, options)
    if plan:
        return print_plan(wanted, printing)
    if printing.output is None and not options["steps"]:
        raise click.UsageError("where to? -o FOLDER, or -o NAME.json")
    train_tokenizer(wanted, keeping, measuring, printing, cuts=cuts)
    return FINE
