"""`piecework show`: the pieces of a text under one tokenizer or several, its bytes, or where it parts from another."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.difference_output import print_differences
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import around_note, forged_note
from piecework._cli.options import (
    WholeNumber,
    files_argument,
    model_options,
    once,
    printing_options,
    reading_options,
)
from piecework._cli.output import open_output
from piecework._cli.pieces_table import encoding_json, pieces_lines
from piecework._cli.progress import ByteProgress
from piecework._explain import byte_table, compare_pieces, show_bytes
from piecework._explain.glyphs import harmless
from piecework._plural import plural
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output
    from piecework._explain import SideBySide

__all__ = ["command"]

_EXAMPLES = (
    'piecework show --text "Hello, world!"',
    'piecework show --text "Olá, mundo!" -m gpt-4o -m qwen3',
    'piecework show --list --text "A raposa preguiçosa" -m qwen3',
    "piecework show --plain prompt.txt",
    'piecework show --bytes --text "café"',
    "piecework show --byte-table",
    "piecework show prompt.txt --against log.txt -m gpt-4o",
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
@once(
    "--against",
    metavar="OLD",
    help="Where the text parts from OLD in tokens, and what a cached prefix loses.",
)
@click.option(
    "--block-size",
    type=WholeNumber(min=1),
    metavar="N",
    help="With --against: tokens of a block of the cache (16 and 128 without).",
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
    against: str | None,
    block_size: int | None,
    printing: Printing,
) -> None:
    r"""Show the pieces of a text.

    On a terminal in colors, one for each token; otherwise with | between them (a | of the text as \|). Space, newline and tab show as · ⏎ ⇥,
    bytes that are no whole character as \xf0, characters without a glyph as <U+200B>. Several -m stand in columns on a
    terminal, otherwise one under the other; what they cut differently is ringed: inverse, or [ ]. --json prints one object
    for each text, and with --list for each text and model.
    """
    if as_byte_table:
        with open_output(printing.output) as output:
            _print_byte_table(output, printing)
        return
    is_list = as_list or vocab
    if as_bytes and (models or assume or is_list):
        raise click.UsageError("--bytes asks no tokenizer: it takes no -m, --assume, --list or --vocab")
    if block_size is not None and against is None:
        raise click.UsageError("--block-size says how --against counts: it needs --against OLD")
    if against is not None:
        _check_compared(files, text, against, is_other_view=as_bytes or is_list)
        (old,) = read_inputs((against,), None, printing, hint="--against names a file with the old text")
        (new,) = read_inputs(files, text, printing)
        print_differences(
            new, old, choices(models, assume, printing), reading, printing, block_size=block_size
        )
        return
    chosen = [] if as_bytes else choices(models, assume, printing)
    with open_output(printing.output) as output:
        for source in read_inputs(files, text, printing):
            if len(files) > 1 and not printing.json:
                output.line(f"== {harmless(source.name)} ==")
            if as_bytes:
                _print_bytes(source, output, printing)
            else:
                _print_text(source, chosen, reading, output, printing, is_list=is_list, vocab=vocab)


def _check_compared(files: tuple[str, ...], text: str | None, against: str, *, is_other_view: bool) -> None:
    if is_other_view or len(files) > 1:
        raise click.UsageError(
            "--against compares one text: it takes no second file, no --bytes, --list or --vocab"
        )
    if against == "-" and text is None and files in {(), ("-",)}:
        raise click.UsageError("standard input is one text: name a file, or give --text, for the new one")


def _print_text(
    source: TextInput,
    chosen: list[Choice],
    reading: Reading,
    output: Output,
    printing: Printing,
    *,
    is_list: bool,
    vocab: bool,
) -> None:
    try:
        if len(chosen) > 1 and not is_list:
            _print_side_by_side(source, chosen, reading, output, printing)
            return
        for choice in chosen:
            _print_pieces(source, choice, reading, output, printing, as_list=is_list, vocab=vocab)
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


def _print_side_by_side(
    source: TextInput, chosen: list[Choice], reading: Reading, output: Output, printing: Printing
) -> None:
    special, add, errors = reading.special, reading.add_special_tokens, reading.errors
    with ByteProgress(len(source.data), doing="showing", quiet=printing.quiet):
        encodings = [
            choice.tokenizer.encode(source.data, special=special, add_special_tokens=add, errors=errors)
            for choice in chosen
        ]
        view = compare_pieces([choice.label for choice in chosen], encodings, source.data)
        shown = "" if printing.json else _side_by_side_text(view, output, printing)
    if printing.json:
        models = [choice.to_dict() for choice in chosen]
        output.json("piecework.side-by-side/1", {"name": source.name, "models": models, **view.to_dict()})
    else:
        output.line(shown)
    for choice, encoding in zip(chosen, encodings, strict=True):
        if encoding.forged:
            n_parsed = choice.tokenizer.count(
                source.data, special="parse", add_special_tokens=add, errors=errors
            )
            forged_note(encoding.forged, n_parsed, printing)
        around_note(choice, reading, printing)


def _side_by_side_text(view: SideBySide, output: Output, printing: Printing) -> str:
    if output.is_terminal and not printing.plain:
        return view.ansi(shutil.get_terminal_size().columns)
    return str(view)
