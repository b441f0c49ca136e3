"""`piecework decode`: ids to text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from piecework._cli.choice import choices
from piecework._cli.help_text import ExampleCommand
from piecework._cli.id_spellings import read_ids
from piecework._cli.inputs import is_utf8, read_stdin
from piecework._cli.options import model_options, printing_options
from piecework._cli.output import open_output
from piecework._cli.unknowns import unknown_ids_note
from piecework._explain.glyphs import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing
    from piecework._tokenizer import Tokenizer
    from piecework._types import Errors

__all__ = ["command"]

_NEGATIVE = re.compile(r"-\d+")
_EXAMPLES = (
    "piecework decode 13225 11 2375 0 -m gpt-4o",
    'piecework decode "[13225, 11, 2375, 0]" -m gpt-4o',
    "piecework encode prompt.txt | piecework decode",
    "piecework decode --skip-special 151644 872 151645 -m qwen3",
)


class _DecodeCommand(ExampleCommand):
    """A command that takes numbers: one below zero is no flag that is unknown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        negative = next((arg for arg in args if _NEGATIVE.fullmatch(arg)), None)
        if negative is not None:
            raise click.UsageError(f"not an id: {negative}; an id is not negative", ctx)
        return super().parse_args(ctx, args)


@click.command("decode", cls=_DecodeCommand, examples=_EXAMPLES)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@model_options(repeatable=False)
@click.option("--skip-special", is_flag=True, help="Leave special tokens out.")
@click.option(
    "--errors",
    type=click.Choice(["replace", "strict"]),
    default="replace",
    show_default=True,
    help="Bytes that are no character: U+FFFD, or an error.",
)
@click.option("--raw", is_flag=True, help="Write the bytes as they are, characters or not.")
@printing_options
def command(
    *,
    ids: tuple[str, ...],
    models: tuple[str, ...],
    assume: str | None,
    skip_special: bool,
    errors: Errors,
    raw: bool,
    printing: Printing,
) -> None:
    """Turn ids into text. Ids come from the command line, or from standard input.

    Between them may stand spaces, commas, brackets or line breaks; the JSON of encode is read, too. The text is written
    as it is: without a line break of its own, except on a terminal.
    """
    (choice,) = choices(models, assume, printing)
    text = " ".join(ids) if ids else read_stdin(printing).data.decode("utf-8", "replace")
    numbers = read_ids(text)
    tokenizer = choice.tokenizer
    data = tokenizer.decode_bytes(numbers, skip_special=skip_special)
    whole = is_utf8(data)
    if not whole and not raw:
        # The tokenizer says how: by an error, or with U+FFFD.
        shown = tokenizer.decode(numbers, errors=errors, skip_special=skip_special).encode()
    else:
        shown = data
    with open_output(printing.output) as output:
        if printing.json:
            texts = {"text": shown.decode("utf-8", "replace"), "bytes": data.hex()}
            output.json("piecework.decode/1", {**choice.to_dict(), "n_tokens": len(numbers), **texts})
        else:
            output.bytes(shown)
            if output.is_terminal and not shown.endswith(b"\n"):
                output.bytes(b"\n")
    printing.note(choice.describe())
    _doubled_note(tokenizer, numbers, printing)
    unknown_ids_note(tokenizer, numbers, printing)
    if not whole and not raw:
        printing.note("some bytes are no character and stand as U+FFFD (--raw writes them as they are)")


def _doubled_note(tokenizer: Tokenizer, ids: Sequence[int], printing: Printing) -> None:
    """Says that a begin token stands twice: a template wrote one, and an encoder added another."""
    begins, _ = tokenizer.added_around
    special = tokenizer.special_tokens.values()
    if len(ids) < 2 or ids[0] != ids[1] or (ids[0] not in begins and ids[0] not in special):
        return
    n = next((at for at, token_id in enumerate(ids) if token_id != ids[0]), len(ids))
    token = visible(tokenizer.piece(ids[0]))
    why = (
        "a template and an encoder may each have added one"
        if n == 2
        else "padding, or a begin token too many"
    )
    printing.note(f"begins with {token} ({ids[0]}) {'twice' if n == 2 else f'{n} times'}: {why}")
