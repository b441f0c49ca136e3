"""`--quirks`: its flags, and quirks of the texts that a command line names, as it prints them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from piecework._cli.choice import choices
from piecework._cli.inputs import named, read_inputs
from piecework._cli.notes import forged_note
from piecework._cli.options import once
from piecework._cli.output import open_output
from piecework.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output

__all__ = ["print_quirks", "quirks_options"]

Command: TypeAlias = Callable[..., Any]

# What --quirks goes together with; another view's flag beside it would be left out in silence.
_SHARED = frozenset({
    "files", "text", "model", "assume", "special", "add_special_tokens", "errors", "json", "output", "plain", "quiet",
    "offline", "quirks", "letter", "more",
})  # fmt: skip


def quirks_options(command: Command) -> Command:
    """Adds --quirks, --letter and --more; with --quirks, the command itself is not run. Stands next to the command."""

    @functools.wraps(command)
    def run(*, quirks: bool, letter: str | None, more: str | None, **rest: Any) -> Any:  # noqa: ANN401
        if not quirks:
            if letter is not None or more is not None:
                raise click.UsageError("--letter and --more ask about quirks: they need --quirks")
            return command(**rest)
        ctx = click.get_current_context()
        for param in ctx.command.params:
            name = param.name or ""
            if name not in _SHARED and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--quirks is a view of its own: it takes no {param.opts[-1]}")
        (choice,) = choices(rest["models"], rest["assume"], rest["printing"])
        print_quirks(
            rest["files"], rest["text"], choice, rest["reading"], rest["printing"], letter=letter, more=more
        )
        return None

    options = (
        click.option(
            "--quirks",
            is_flag=True,
            help="What tokens make of the text that nobody sees: costs, and what to do.",
        ),
        once("--letter", metavar="R", help="With --quirks: which tokens of each word hold R."),
        once("--more", metavar="TEXT", help="With --quirks: which tokens TEXT, put after it, makes anew."),
    )
    made: Command = run
    for option in reversed(options):
        made = option(made)
    return made


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
