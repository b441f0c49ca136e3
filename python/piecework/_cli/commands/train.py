"""`piecework train`: a group whose commands are listed in a table, each in a file of its own that is imported on use."""

from __future__ import annotations

import click

from piecework._cli.help_text import write_examples
from piecework._cli.table_group import TableGroup
from piecework._cli.train_table import TRAINERS

__all__ = ["TrainGroup", "command"]

_EXAMPLES = (
    "piecework train bpe prompt.txt log.txt --vocab-size 32000 -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --base chars --pre-tokenizer whitespace --unk '<unk>' -o t.json",
    "piecework train wordlevel prompt.txt --vocab-size 5000 --unk '<unk>' -o words.json",
    "piecework train curve prompt.txt --held-out log.txt --vocab-size 300",
)


# Models that are read and explained, and not trained.
_OTHERS = {
    "unigram": "; tokenizers are trained by bpe and wordlevel",
    "wordpiece": "; tokenizers are trained by bpe and wordlevel, and bpe --score wordpiece --steps shows WordPiece's score",
}


class TrainGroup(TableGroup):
    """The trainers.

    Attributes:
        examples: Command lines, as typed in a shell.
    """

    examples: tuple[str, ...] = _EXAMPLES

    rows = TRAINERS
    modules = "piecework._cli.train_"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the trainer that is meant; where there is none, names those that there are."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            known = ", ".join(self.list_commands(ctx))
            message = f"what to train comes first, one of {known}; {args[0]} is none of them"
            message += _OTHERS.get(args[0].lower(), "")
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the trainers, without importing them."""
        del ctx
        with formatter.section("What to train"):
            formatter.write_dl([(row.name, row.help) for row in TRAINERS])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        del ctx
        write_examples(formatter, self.examples)


@click.group("train", cls=TrainGroup)
def command() -> None:
    """Train a tokenizer of files of text, or do one step of it.

    The same words give the same bytes, in any order of the files and with any number of threads. `piecework train bpe
    --help` has the options of BPE, and so with the others.
    """
