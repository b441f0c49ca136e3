"""`piecework explain`: what each stage of a tokenizer makes of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import forged_note
from piecework._cli.options import files_argument, model_options, printing_options, reading_options
from piecework._cli.output import open_output
from piecework._cli.quirks_output import quirks_options
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._cli.options import Printing, Reading
    from piecework._tokenizer import Forged

__all__ = ["command"]

_EXAMPLES = (
    'piecework explain --text " castanha" -m qwen3',
    'piecework explain --text "I\'m <think>" -m qwen3 --special parse',
    "piecework explain --json prompt.txt",
    "piecework explain --quirks --letter r --text strawberry -m qwen3",
)


@click.command("explain", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=False)
@reading_options
@printing_options
@quirks_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    printing: Printing,
) -> None:
    """Show what each stage makes of a text: added tokens, normalizer, pre-tokenizer, model."""
    (choice,) = choices(models, assume, printing)
    special, errors = reading.special, reading.errors
    notes: list[tuple[list[Forged], int]] = []
    with open_output(printing.output) as output:
        for at, source in enumerate(read_inputs(files, text, printing)):
            try:
                stages = choice.tokenizer.stages(source.data, special=special, errors=errors)
            except EncodeError as error:
                raise named(error, source.name) from None
            if printing.json:
                output.json(
                    "piecework.stages/1", {"name": source.name, **choice.to_dict(), **stages.to_dict()}
                )
            else:
                output.line(f"\n{stages}" if at else str(stages))
            if special == "text":
                forged = choice.tokenizer.find_controls(source.data, errors=errors)
                n_parsed = (
                    choice.tokenizer.count(source.data, special="parse", errors=errors) if forged else 0
                )
                notes.append((forged, n_parsed))
    printing.note(choice.describe())
    for forged, n_parsed in notes:
        forged_note(forged, n_parsed, printing)
