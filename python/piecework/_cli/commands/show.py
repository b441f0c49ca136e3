"""`piecework show`: the pieces of a text, or its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import around_note, forged_note, plural
from piecework._cli.options import files_argument, model_options, printing_options, reading_options
from piecework._cli.output import open_output
from piecework._cli.pieces_table import encoding_json, pieces_lines
from piecework._cli.progress import ByteProgress
from piecework._explain import byte_table, show_bytes
from piecework._explain.glyphs import harmless
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output

__all__ = ["command"]

_EXAMPLES = (
    'piecework show --text "Hello, world!"',
    'piecework show --text "Olá, mundo!" -m gpt-4o -m qwen3',
    'piecework show --list --text "A raposa preguiçosa" -m qwen3',
    "piecework show --plain prompt.txt",
    'piecework show --bytes --text "café"',
    "piecework show --byte-table",
)


@click.command("show", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=True)
@reading_options
@click.option(
    "--list", "as_list", is_flag=True, help="One token on a line: id, piece, bytes, where it stands."
)
@click.option("--vocab", is_flag=True, help="As --list, pieces as the vocabulary writes them (a space as Ġ).")
@click.option("--bytes", "as_bytes", is_flag=True, help="The characters and bytes of the text; no tokenizer.")
@click.option(
    "--byte-table", "as_byte_table", is_flag=True, help="The 256 bytes and their display characters; no text."
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    as_list: bool,
    vocab: bool,
    as_bytes: bool,
    as_byte_table: bool,
    printing: Printing,
) -> None:
    r"""Show the pieces of a text.

    On a terminal in colors, one for each token; otherwise with | between them (a | of the text as \|). Space, newline and tab show as · ⏎ ⇥,
    bytes that are no whole character as \xf0, characters without a glyph as <U+200B>. --json prints one object for each
    text and model.
    """
    if as_byte_table:
        with open_output(printing.output) as output:
            _print_byte_table(output, printing)
        return
    if as_bytes and (models or assume or as_list or vocab):
        raise click.UsageError("--bytes asks no tokenizer: it takes no -m, --assume, --list or --vocab")
    chosen = [] if as_bytes else choices(models, assume, printing)
    with open_output(printing.output) as output:
        for source in read_inputs(files, text, printing):
            if len(files) > 1 and not printing.json:
                output.line(f"== {harmless(source.name)} ==")
            if as_bytes:
                _print_bytes(source, output, printing)
            for choice in chosen:
                try:
                    _print_pieces(
                        source, choice, reading, output, printing, as_list=as_list or vocab, vocab=vocab
                    )
                except EncodeError as error:
                    raise named(error, source.name) from None


def _print_byte_table(output: Output, printing: Printing) -> None:
    table = byte_table()
    if printing.json:
        output.json("piecework.byte-table/1", table.to_dict())
    else:
        output.line(str(table))


def _print_bytes(source: TextInput, output: Output, printing: Printing) -> None:
    view = show_bytes(source.data)
    if printing.json:
        output.json("piecework.bytes/1", {"name": source.name, **view.to_dict()})
    else:
        output.line(str(view))


def _print_pieces(
    source: TextInput,
    choice: Choice,
    reading: Reading,
    output: Output,
    printing: Printing,
    *,
    as_list: bool,
    vocab: bool,
) -> None:
    tokenizer, special, errors = choice.tokenizer, reading.special, reading.errors
    add = reading.add_special_tokens
    members: dict[str, object] = {}
    lines: list[str] = []
    # What is shown is made before any of it is written, so that bar and result do not mix on a terminal.
    with ByteProgress(len(source.data), doing="showing", quiet=printing.quiet):
        encoding = tokenizer.encode(source.data, special=special, add_special_tokens=add, errors=errors)
        heading = f"{choice.label}: {plural(len(encoding), 'token')}"
        if printing.json:
            members = encoding_json(encoding, choice)
        elif as_list:
            lines = pieces_lines(encoding, vocab=vocab)
        else:
            view = tokenizer.show(source.data, special=special, add_special_tokens=add, errors=errors)
            is_colored = output.is_terminal and not printing.plain
            lines = [(view.ansi() if is_colored else str(view)).rstrip("\n")]
    if printing.json:
        output.json("piecework.encode/1", {"name": source.name, **members})
    else:
        for line in (heading, *lines):
            output.line(line)
    if encoding.forged:
        n_parsed = tokenizer.count(source.data, special="parse", add_special_tokens=add, errors=errors)
        forged_note(encoding.forged, n_parsed, printing)
    around_note(choice, reading, printing)
