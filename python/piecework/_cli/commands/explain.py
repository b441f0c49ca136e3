"""`piecework explain`: why a text became its tokens: the stages, and the model's own reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.explain_output import View, draw_trace, print_stages, print_trace
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import forged_note
from piecework._cli.options import (
    WholeNumber,
    files_argument,
    model_options,
    once,
    printing_options,
    reading_options,
)
from piecework._cli.output import open_output
from piecework._cli.plot_option import plot_option
from piecework._cli.quirks_output import quirks_options
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._cli.options import Printing, Reading
    from piecework._tokenizer import Forged

__all__ = ["command"]

_EXAMPLES = (
    'piecework explain --text " castanha" -m qwen3',
    'piecework explain --tree --text " castanha" -m qwen3',
    'piecework explain --table --text "unaffable" -m bert-base-uncased',
    'piecework explain --stages --text "I\'m <think>" -m qwen3 --special parse',
    'piecework explain --plot merges.svg --text " castanha" -m qwen3',
    "piecework explain --json prompt.txt",
    "piecework explain --quirks --letter r --text strawberry -m qwen3",
)


@click.command("explain", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=False)
@reading_options
@click.option(
    "--stages", "only_stages", is_flag=True, help="What each stage makes of the text, without reasons."
)
@click.option(
    "--table", is_flag=True, help="One table: a row for each merge, attempt or piece of the lattice."
)
@click.option(
    "--tree", is_flag=True, help="The merges as a tree, the lattice, or the attempts, as a picture."
)
@once("--word", metavar="TEXT", help="Only the pretokens that are TEXT, with or without a space before.")
@click.option("--pretoken", type=WholeNumber(min=0), metavar="N", help="Only pretoken N, from 0.")
@click.option(
    "--max-pretokens",
    type=WholeNumber(min=0),
    metavar="N",
    help="How many distinct pretokens are explained (20 without; all with --json).",
)
@click.option(
    "--all",
    "is_whole",
    is_flag=True,
    help="All of a long text: each pretoken, merge (also in --json, else 1,000 of a pretoken) and id.",
)
@plot_option()
@printing_options
@quirks_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    only_stages: bool,
    table: bool,
    tree: bool,
    word: str | None,
    pretoken: int | None,
    max_pretokens: int | None,
    is_whole: bool,
    plot: str | None,
    printing: Printing,
) -> None:
    """Say why a text became its tokens.

    First what each stage makes of it, then the reasons of the model for each pretoken that differs: of byte-pair encoding
    the merges as they fire, with the ones that lost; of WordPiece each attempt; of Unigram the lattice and the second best.
    """
    view = View(
        table=table, tree=tree, word=word, pretoken=pretoken, max_pretokens=max_pretokens, is_whole=is_whole
    )
    view.check(only_stages=only_stages, is_json=printing.json)
    if plot is not None and (only_stages or len(files) > 1):
        raise click.UsageError("--plot draws the merges or the lattice of one text")
    (choice,) = choices(models, assume, printing)
    special, errors = reading.special, reading.errors
    notes: list[tuple[list[Forged], int]] = []
    with open_output(printing.output) as output:
        for at, source in enumerate(read_inputs(files, text, printing)):
            if at and not printing.json:
                output.line("")
            try:
                if only_stages:
                    print_stages(source, choice, reading, printing, output, is_whole=is_whole)
                else:
                    print_trace(source, choice, reading, printing, output, view=view)
                    draw_trace(source, choice, reading, printing, view=view, path=plot)
            except EncodeError as error:
                raise named(error, source.name) from None
            if special == "text":
                forged = choice.tokenizer.find_controls(source.data, errors=errors)
                n_parsed = (
                    choice.tokenizer.count(source.data, special="parse", errors=errors) if forged else 0
                )
                notes.append((forged, n_parsed))
    printing.note(choice.describe())
    for forged, n_parsed in notes:
        forged_note(forged, n_parsed, printing)
