"""`piecework truncate`: the first or last tokens of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import check_unicode, named, read_inputs
from piecework._cli.notes import around_note
from piecework._cli.options import (
    WholeNumber,
    files_argument,
    model_options,
    printing_options,
    reading_options,
)
from piecework._cli.output import open_output
from piecework._plural import plural
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._cli.options import Printing, Reading
    from piecework._types import Side

__all__ = ["command"]

_EXAMPLES = (
    "piecework truncate -n 100 prompt.txt",
    "piecework truncate -n 100 --side left log.txt -m gpt-4o",
    "cat prompt.txt | piecework truncate -n 4096 -o short.txt",
)


@click.command("truncate", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@click.option(
    "-n",
    "--max-tokens",
    type=WholeNumber(min=0),
    required=True,
    metavar="N",
    help="The most tokens to keep.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right"]),
    default="right",
    show_default=True,
    help="The end that is cut off: right keeps the first N tokens, left the last N.",
)
@model_options(repeatable=False)
@reading_options
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    max_tokens: int,
    side: Side,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    printing: Printing,
) -> None:
    """Cut a text so that it really has at most N tokens. Whole characters; the rest as it was."""
    (choice,) = choices(models, assume, printing)
    special, add, errors = reading.special, reading.add_special_tokens, reading.errors
    sources = list(read_inputs(files, text, printing))
    if len(sources) != 1:
        raise click.UsageError("truncate takes one text")
    source = sources[0]
    whole = check_unicode(source, errors)
    tokenizer = choice.tokenizer
    try:
        kept = tokenizer.truncate(
            whole, max_tokens=max_tokens, side=side, special=special, add_special_tokens=add
        )
        n_whole = tokenizer.count(whole, special=special, add_special_tokens=add)
        n_kept = tokenizer.count(kept, special=special, add_special_tokens=add)
    except EncodeError as error:
        raise named(error, source.name) from None
    with open_output(printing.output) as output:
        if printing.json:
            counts = {"n_tokens": n_kept, "n_tokens_before": n_whole, "max_tokens": max_tokens, "side": side}
            output.json(
                "piecework.truncate/1", {"name": source.name, **choice.to_dict(), **counts, "text": kept}
            )
        else:
            output.bytes(kept.encode())
            if output.is_terminal and not kept.endswith("\n"):
                output.bytes(b"\n")
    printing.note(choice.describe())
    cut = "nothing cut" if kept == whole else f"cut on the {side}"
    printing.note(f"kept {n_kept:,} of {plural(n_whole, 'token')}; {cut}")
    around_note(choice, reading, printing)
