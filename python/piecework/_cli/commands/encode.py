"""`piecework encode`: text to ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import around_note, forged_note
from piecework._cli.options import files_argument, model_options, printing_options, reading_options
from piecework._cli.output import open_output
from piecework._cli.pieces_table import encoding_json
from piecework._cli.unknowns import n_unknown, unknown_note
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output
    from piecework._core import Ids
    from piecework._tokenizer import Forged

__all__ = ["command"]

_EXAMPLES = (
    'piecework encode --text "Hello, world!" -m gpt-4o',
    "piecework encode prompt.txt -o ids.txt",
    "piecework encode --format lines prompt.txt | sort -n | uniq -c",
    'piecework encode --json --text "Olá" -m qwen3',
    'piecework encode --text "<|im_start|>user" -m qwen3 --special parse',
)

# Ids are printed in slices: as Python numbers they take ten times the memory.
_SLICE = 1 << 16


@click.command("encode", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=False)
@reading_options
@click.option(
    "--format",
    "layout",
    type=click.Choice(["spaces", "lines"]),
    default="spaces",
    show_default=True,
    help="Ids of a text on one line, or one id on a line.",
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    layout: str,
    printing: Printing,
) -> None:
    """Turn text into ids. One line for each text; --json adds pieces and spans."""
    (choice,) = choices(models, assume, printing)
    separator = b"\n" if layout == "lines" else b" "
    controls: list[tuple[Sequence[Forged], int]] = []
    unknown: list[int] = []
    with open_output(printing.output) as output:
        for source in read_inputs(files, text, printing):
            try:
                _encode(source, choice, reading, output, as_json=printing.json, separator=separator)
                controls.append(_controls(source, choice, reading))
                unknown.append(0 if printing.quiet else n_unknown(choice.tokenizer, source.data, reading))
            except EncodeError as error:
                raise named(error, source.name) from None
    printing.note(choice.describe())
    for forged, n_parsed in controls:
        forged_note(forged, n_parsed, printing)
    unknown_note(choice.tokenizer, sum(unknown), printing, n_texts=len(unknown))
    around_note(choice, reading, printing)


def _encode(
    source: TextInput,
    choice: Choice,
    reading: Reading,
    output: Output,
    *,
    as_json: bool,
    separator: bytes,
) -> None:
    tokenizer, special, errors = choice.tokenizer, reading.special, reading.errors
    add = reading.add_special_tokens
    if as_json:
        encoding = tokenizer.encode(source.data, special=special, add_special_tokens=add, errors=errors)
        output.json("piecework.encode/1", {"name": source.name, **encoding_json(encoding, choice)})
    else:
        ids = tokenizer.ids(source.data, special=special, add_special_tokens=add, errors=errors)
        _write_ids(ids, output, separator)


def _controls(source: TextInput, choice: Choice, reading: Reading) -> tuple[Sequence[Forged], int]:
    """The control strings that were read as text, and the count if they are parsed."""
    if reading.special != "text":
        return (), 0
    tokenizer, add, errors = choice.tokenizer, reading.add_special_tokens, reading.errors
    forged = tokenizer.find_controls(source.data, errors=errors)
    if not forged:
        return (), 0
    return forged, tokenizer.count(source.data, special="parse", add_special_tokens=add, errors=errors)


def _write_ids(ids: Ids, output: Output, separator: bytes) -> None:
    for start in range(0, len(ids), _SLICE):
        if start:
            output.bytes(separator)
        output.bytes(separator.join(b"%d" % token_id for token_id in ids[start : start + _SLICE]))
    output.bytes(b"\n")
