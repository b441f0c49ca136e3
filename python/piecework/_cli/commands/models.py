"""`piecework models`: the names that are known, and the encodings they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import printing_options
from piecework._cli.output import open_output
from piecework._explain.columns import columns
from piecework._files.registry import ENCODINGS, model_rows, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing

__all__ = ["command"]

_EXAMPLES = (
    "piecework models",
    "piecework models gpt-4o-2024-08-06 o1",
    "piecework models | grep qwen3",
    "piecework models --json",
)
_FIELDS = ("name", "encoding", "source", "checked")


@click.command("models", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@printing_options
def command(*, names: tuple[str, ...], printing: Printing) -> None:
    """List the models and encodings that are known by name, or look names up.

    Each row says where it is written that the model reads with the encoding, and when that was checked. An OpenAI model
    is also known with a snapshot's date (gpt-4o-2024-08-06). All of these are bundled; nothing is fetched.
    """
    rows = [_look_up(name) for name in names] if names else _all_rows()
    with open_output(printing.output) as output:
        if printing.json:
            output.json(
                "piecework.models/1", {"models": [dict(zip(_FIELDS, row, strict=True)) for row in rows]}
            )
        elif names:
            for line in columns([row[:2] for row in rows]):
                output.line(line)
        else:
            for line in columns([["name", "encoding", "where that is said", "checked"], *rows]):
                output.line(line)


def _all_rows() -> list[Sequence[str]]:
    encodings = [(name, name, "an encoding", "") for name in ENCODINGS]
    return [*encodings, *((row.name, row.encoding, row.source, row.checked) for row in model_rows())]


def _look_up(name: str) -> Sequence[str]:
    """The row of a name; one that only follows from another (a snapshot, a fine-tuned model) says so."""
    encoding = resolve(name)
    for row in _all_rows():
        if row[0] == name:
            return row
    return (name, encoding, "a snapshot or a fine-tuned model of a row", "")
