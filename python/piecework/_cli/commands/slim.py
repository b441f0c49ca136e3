"""`piecework slim`: cheaper forms of the same content."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import read_inputs
from piecework._cli.options import WholeNumber, files_argument, model_options, once, printing_options
from piecework._cli.output import open_output
from piecework._slim import slim
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._slim import Form, Slimmed
    from piecework._slim.slimming import Source

__all__ = ["command"]

_EXAMPLES = (
    'piecework slim -m gpt-4o --text \'[{"name": "Ada", "age": 36}, {"name": "Bo", "age": 41}]\'',
    "piecework slim prompt.txt -m qwen3 --write white-space -o short.txt",
    'piecework slim --from json --decimals 2 --text "[1.5000, 2.12345]" --json',
)
_SOURCES: dict[str, Source] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
}


@click.command("slim", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=False)
@click.option(
    "--from",
    "source",
    type=click.Choice(["json", "jsonl", "csv", "yaml", "text"]),
    help="What the content is; else by the file's suffix, else by trying.",
)
@once("--write", metavar="FORM", help="Write the content in this form, in place of the list.")
@click.option(
    "--decimals",
    type=WholeNumber(min=0),
    metavar="N",
    help="Also offer numbers rounded to N decimals: lossy, and labelled so.",
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    source: Source | None,
    write: str | None,
    decimals: int | None,
    printing: Printing,
) -> None:
    """List cheaper forms of the same content, the cheapest first, each proven to parse back to the same data.

    Nothing is written unless --write names a form: then its text, to standard output or to -o FILE.
    """
    if len(files) > 1 or (files and text is not None):
        raise click.UsageError("slim takes one content: one file, or --text, or standard input")
    (choice,) = choices(models, assume, printing)
    (found,) = read_inputs(files, text, printing)
    kind = source or _SOURCES.get(PurePath(found.name).suffix.lower())
    try:
        slimmed = slim(found.data, choice.tokenizer, source=kind, decimals=decimals)
    except InputError as error:
        raise InputError(f"{found.name}: {error.message}", path=found.name, reason=error.reason) from None
    form = None if write is None else _form(slimmed, write)
    with open_output(printing.output) as output:
        if form is not None and not printing.json:
            output.bytes(form.text.encode("utf-8", "backslashreplace"))
            if output.is_terminal:
                output.line("")
        elif printing.json:
            shown = slimmed.to_dict() if form is None else {**slimmed.to_dict(), "forms": [form.to_dict()]}
            output.json("piecework.slim/1", {"name": found.name, **choice.to_dict(), **shown})
        else:
            output.line(str(slimmed))
    if form is not None:
        printing.note(f"{form.name}: {slimmed.n_tokens:,} → {form.n_tokens:,} tokens; {form.says}")
    printing.note(choice.describe())


def _form(slimmed: Slimmed, name: str) -> Form:
    try:
        return slimmed[name]
    except KeyError:
        why = f": {slimmed.left_out[name]}" if name in slimmed.left_out else ""
        offered = ", ".join(form.name for form in slimmed.forms)
        raise click.UsageError(f"--write {name} is not offered{why}; offered are {offered}") from None
