"""The flags that commands share, and the objects that carry them: one name and one help text for each."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from piecework._cli.messages import print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._types import Errors, Special

__all__ = [
    "Printing",
    "Reading",
    "WholeNumber",
    "files_argument",
    "model_options",
    "once",
    "printing_options",
    "reading_options",
    "with_options",
]

Command: TypeAlias = Callable[..., Any]


class WholeNumber(click.IntRange):
    """An integer with bounds, by a name that a person reads in the message about what is none."""

    name = "whole number"


class Reading(NamedTuple):
    """How texts are read as tokens.

    Attributes:
        special: What becomes of control tokens in the text.
        add_special_tokens: Whether begin and end tokens are in.
        errors: What becomes of broken Unicode.
    """

    special: Special
    add_special_tokens: bool
    errors: Errors


class Printing(NamedTuple):
    """How results are printed.

    Attributes:
        json: Whether as JSON.
        output: The file that they go to; None for standard output.
        plain: Whether without colors.
        quiet: Whether notes are left out.
        offline: Whether the network must not be asked.
    """

    json: bool
    output: str | None
    plain: bool
    quiet: bool
    offline: bool = False

    def note(self, text: str) -> None:
        """Prints a line to stderr, unless notes are unwanted."""
        if not self.quiet:
            print_note(text)


def once(*names: str, **attributes: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - those of click.option
    """An option of one value: a second one is an error, where click would let the last one win in silence."""

    def only(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
        if len(values) > 1:
            given = " and ".join(f"{param.opts[0]} {value}" for value in values)
            raise click.UsageError(f"{ctx.command.name} takes one {param.opts[-1]}, not {given}", ctx)
        return values[0] if values else None

    return click.option(*names, multiple=True, callback=only, **attributes)


def files_argument(command: Command) -> Command:
    """Adds FILE... and --text."""
    text = once("-t", "--text", metavar="TEXT", help="A text itself, in place of a file.")
    command = text(command)
    return click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(allow_dash=True))(command)


def model_options(*, repeatable: bool) -> Callable[[Command], Command]:
    """Adds -m and --assume; the command gets `models` (a tuple of names) and `assume`."""

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def run(*, model: str | tuple[str, ...] | None, **rest: Any) -> Any:  # noqa: ANN401 - whatever it returns
            models = (model,) if isinstance(model, str) else model or ()
            return command(models=models, **rest)

        more = " Repeatable." if repeatable else ""
        help_text = f"A model, an encoding, or a tokenizer file.{more}"
        option: Callable[[Command], Command]
        if repeatable:
            option = click.option("-m", "--model", metavar="NAME", multiple=True, help=help_text)
        else:
            option = once("-m", "--model", metavar="NAME", help=help_text)
        assume = once(
            "--assume",
            metavar="NAME",
            help="Use this tokenizer where -m is unknown; the result is labelled an estimate.",
        )
        return option(assume(run))

    return add


def reading_options(command: Command) -> Command:
    """Adds --special, --add-special-tokens, --errors; the command gets `reading`."""

    @functools.wraps(command)
    def run(*, special: Special, add_special_tokens: bool, errors: Errors, **rest: Any) -> Any:  # noqa: ANN401
        return command(reading=Reading(special, add_special_tokens, errors), **rest)

    options = (
        click.option(
            "--special",
            type=click.Choice(["text", "parse", "raise"]),
            default="text",
            show_default=True,
            help="Control tokens in the text: ordinary text, control tokens, or an error.",
        ),
        click.option(
            "--add-special-tokens",
            is_flag=True,
            help="With the begin and end tokens that the tokenizer adds.",
        ),
        click.option(
            "--errors",
            type=click.Choice(["strict", "replace"]),
            default="strict",
            show_default=True,
            help="Bytes that are not UTF-8: an error, or U+FFFD.",
        ),
    )
    return with_options(options, run)


def printing_options(command: Command) -> Command:
    """Adds --json, -o, --plain, -q, --offline; the command gets `printing`."""

    @functools.wraps(command)
    def run(
        *,
        json: bool,
        output: str | None,
        plain: bool,
        quiet: bool,
        offline: bool,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        no_color = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        return command(printing=Printing(json, output, plain or no_color, quiet, offline), **rest)

    options = (
        click.option("--json", is_flag=True, help="As JSON, with its schema's name."),
        once("-o", "--output", metavar="FILE", help="Write to FILE; it appears when it is whole."),
        click.option("--plain", is_flag=True, help="Without colors (NO_COLOR and TERM=dumb do the same)."),
        click.option("-q", "--quiet", is_flag=True, help="No notes on stderr."),
        click.option("--offline", is_flag=True, help="Never ask the network (only `models add` does)."),
    )
    return with_options(options, run)


def with_options(options: Sequence[Callable[[Command], Command]], command: Command) -> Command:
    """Adds options in the order in which help lists them."""
    # Click lists options in the reverse order of their decorators.
    for option in reversed(options):
        command = option(command)
    return command
