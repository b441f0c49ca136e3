"""`piecework check`: limits, budgets and scan of a project's prompts, for CI and commit hooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from piecework._cli import exits
from piecework._cli.annotations import annotation
from piecework._cli.help_text import ExampleCommand
from piecework._cli.name_progress import NameProgress
from piecework._cli.options import once, printing_options
from piecework._cli.output import open_output
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._check import Check
    from piecework._cli.options import Printing

__all__ = ["command"]

_FILE = "piecework.toml"
_EXAMPLES = (
    "piecework check",
    "piecework check --config prompts/piecework.toml --json",
    "piecework check --format github",
)


@click.command("check", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("files", nargs=-1, metavar="", type=click.Path())
@once("--config", metavar="FILE", help="The configuration; else the nearest piecework.toml.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github"]),
    default="text",
    show_default=True,
    help="github: annotations that mark the lines of a change.",
)
@click.option("--strict", is_flag=True, help="Warnings fail the check too.")
@printing_options
def command(
    *, files: tuple[str, ...], config: str | None, form: str, strict: bool, printing: Printing
) -> int:
    """Check a project's prompts as its piecework.toml asks: token limits, windows, output limits, what a text hides.

    Exits with 1 where something is wrong, with 4 where the configuration is.
    """
    if files:
        raise click.UsageError(
            f"check takes no {files[0]}: piecework.toml names what is checked, and --config FILE another configuration"
        )
    if form == "github" and printing.json:
        raise click.UsageError("--format github and --json are two forms: choose one")
    from piecework._check import check  # noqa: PLC0415 - loads what counts and scans

    path = _nearest() if config is None else Path(config)
    with NameProgress("checking", quiet=printing.quiet) as progress:
        result = check(path, on_file=progress.show)
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.check/1", result.to_dict())
        elif form == "github":
            for line in _annotations(result):
                output.line(line)
        else:
            output.line(str(result))
    if form == "github":
        printing.note(str(result).splitlines()[-1])
    return exits.FINE if result.passed and not (strict and result.n_warnings) else exits.FINDING


def _nearest() -> Path:
    """The piecework.toml of this folder or of the nearest one above."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / _FILE).is_file():
            return folder / _FILE
    raise InputError(
        f"there is no {_FILE} here or above",
        path=_FILE,
        reason="missing",
        hint='write one: [[check.files]], then paths = ["prompts/*.md"] and max_tokens = 2000',
    )


def _annotations(result: Check) -> list[str]:
    """The problems, with paths from this folder, where the repository's root is."""
    here = Path.cwd()
    shown = []
    for problem in result.all_problems:
        path = Path(problem.path)
        whole = path if path.is_absolute() else here / path
        file = whole.relative_to(here).as_posix() if whole.is_relative_to(here) else str(path)
        title = f"piecework {problem.kind}"
        shown.append(annotation(problem.level, problem.says, file=file, title=title, line=problem.line))
    return shown
