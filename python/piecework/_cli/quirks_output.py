"""Quirks of the texts that a command line names, as it prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import forged_note
from piecework._cli.output import open_output
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output

__all__ = ["print_quirks"]


def print_quirks(
    files: Sequence[str],
    text: str | None,
    choice: Choice,
    reading: Reading,
    printing: Printing,
    *,
    letter: str | None = None,
    more: str | None = None,
) -> None:
    """Prints the quirks of each text; the arguments are those of `Tokenizer.quirks`."""
    with open_output(printing.output) as output:
        for at, source in enumerate(read_inputs(files, text, printing)):
            if at and not printing.json:
                output.line("")
            try:
                _print(source, choice, reading, output, printing, letter=letter, more=more)
            except EncodeError as error:
                raise named(error, source.name) from None
    printing.note(choice.describe())


def _print(
    source: TextInput,
    choice: Choice,
    reading: Reading,
    output: Output,
    printing: Printing,
    *,
    letter: str | None,
    more: str | None,
) -> None:
    special, errors = reading.special, reading.errors
    found = choice.tokenizer.quirks(source.data, special=special, errors=errors, letter=letter, more=more)
    if printing.json:
        output.json("piecework.quirks/1", {"name": source.name, **choice.to_dict(), **found.to_dict()})
    else:
        output.line(str(found))
    if special == "text":
        forged = choice.tokenizer.find_controls(source.data, errors=errors)
        n_parsed = choice.tokenizer.count(source.data, special="parse", errors=errors) if forged else 0
        forged_note(forged, n_parsed, printing)
