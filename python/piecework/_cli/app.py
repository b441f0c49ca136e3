"""The group of all commands: loads only the one that runs, and turns every error into one line and an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

import piecework
from piecework._cli import exits
from piecework._cli.help_text import write_examples
from piecework._cli.messages import print_error, print_failure
from piecework._cli.output import OutputClosed, abandon_stdout
from piecework._cli.table import COMMANDS
from piecework._cli.table_group import TableGroup
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["App", "app"]

_EXAMPLES = (
    "piecework count prompt.txt -m gpt-4o",
    'piecework show --text "Hello, world!"',
    "piecework models",
)


class App(TableGroup):
    """A click group whose commands are listed in a table and imported on use."""

    rows = COMMANDS
    modules = "piecework._cli.commands."

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that is meant; where there is none, names one that is like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not close:
                raise
            message = f"{error.format_message().rstrip('.')}; did you mean {close[0]}?"
            raise click.UsageError(message, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands under their headings, without importing them."""
        del ctx
        for section in dict.fromkeys(row.section for row in COMMANDS):
            with formatter.section(section):
                formatter.write_dl([(row.name, row.help) for row in COMMANDS if row.section == section])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes examples and exit codes."""
        del ctx
        write_examples(formatter, _EXAMPLES)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in exits.MEANINGS.items()])

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 - click's signature
        on_interrupt: Callable[[], None] | None = None,
        **extra: Any,  # noqa: ANN401 - click's signature
    ) -> int:
        """Runs a command line.

        Args:
            args: The words of it, as click has them.
            prog_name: The program's name.
            complete_var: The variable by which a shell asks for completions.
            standalone_mode: Whether to exit with the code.
            on_interrupt: Called after Ctrl-C, while what the command held is still held.
            extra: What else click knows.

        Returns:
            The exit code, if not `standalone_mode`; otherwise exits with it.
        """
        try:
            code = self._run(args, prog_name or "piecework", complete_var, on_interrupt, extra)
        except Exception as error:
            # A traceback would end with 1, the code of a finding.
            if os.environ.get("PIECEWORK_DEBUG") == "1":
                raise
            code = _internal_error(error)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(
        self,
        args: Sequence[str] | None,
        prog_name: str,
        complete_var: str | None,
        on_interrupt: Callable[[], None] | None,
        extra: dict[str, Any],
    ) -> int:
        try:
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            return exits.USAGE
        except click.ClickException as error:
            return _usage_error(error)
        except PieceworkError as error:
            print_failure(error)
            return exits.exit_code(error)
        except OutputClosed:
            # Whoever read the output had enough of it, as `head` does: no error.
            abandon_stdout()
            return exits.FINE
        except (click.Abort, KeyboardInterrupt):
            if on_interrupt is not None:
                on_interrupt()
            return exits.INTERRUPTED
        return result if isinstance(result, int) else exits.FINE


def _usage_error(error: click.ClickException) -> int:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    print_error("usage", error.format_message(), f"{ctx.command_path} --help" if ctx else None)
    return exits.USAGE


def _internal_error(error: Exception) -> int:
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    print_error(
        "internal", what, "this is a bug in Piecework; PIECEWORK_DEBUG=1 shows where, for a report of it"
    )
    return exits.INTERNAL


@click.group(cls=App, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(piecework.__version__, prog_name="piecework", message="%(prog)s %(version)s")
def app() -> None:
    """See, count and check the pieces that language models read. Works offline.

    Text comes from files, from standard input, or from --text. Without -m, the model is that of PIECEWORK_MODEL, else
    that of the nearest piecework.toml ([default] model = "..."), else o200k_base.
    """
