"""`piecework info`: what a tokenizer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import model_options, printing_options
from piecework._cli.output import open_output

if TYPE_CHECKING:
    from piecework._cli.options import Printing

__all__ = ["command"]

_EXAMPLES = (
    "piecework info qwen3",
    "piecework info ./tokenizer.json",
    "piecework info --json gpt-4o",
)


@click.command("info", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("name", required=False)
@model_options(repeatable=False)
@printing_options
def command(*, name: str | None, models: tuple[str, ...], assume: str | None, printing: Printing) -> None:
    """Show what a tokenizer is: its numbers, its stages, its control tokens with the reason for each."""
    if name is not None and models:
        raise click.UsageError("name the tokenizer once: as an argument, or with -m")
    (choice,) = choices((name,) if name is not None else models, assume, printing)
    info = choice.tokenizer.info()
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.info/1", {**choice.to_dict(), **info.to_dict()})
        else:
            output.line(str(info))
