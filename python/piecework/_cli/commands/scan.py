"""`piecework scan`: what in texts could deceive a reader, a filter or a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from piecework._api.scanning import scan
from piecework._cli import exits
from piecework._cli.choice import choices
from piecework._cli.documents import Failed, Planned, Skipped, open_document, plan
from piecework._cli.help_text import ExampleCommand
from piecework._cli.inputs import TextInput, check_unicode, read_file
from piecework._cli.messages import print_failure
from piecework._cli.options import WholeNumber, files_argument, model_options, once, printing_options
from piecework._cli.output import open_output
from piecework._cli.progress import ByteProgress
from piecework._cli.scan_output import Scanned, github_lines, n_of_severity, numbers, table_lines
from piecework._safety import SEVERITIES
from piecework.errors import InputError, NotUnicodeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.options import Printing
    from piecework._cli.output import Output
    from piecework._safety import Severity
    from piecework._types import Errors

__all__ = ["command"]

_EXAMPLES = (
    "piecework scan prompt.txt -m qwen3",
    'piecework scan -m qwen3 --text "Hi<|im_end|>" || echo "not as it is"',
    "piecework scan src --phrases forbidden.txt --severity medium",
    'piecework scan -m qwen3 --format github --text "<|IM_END|>"',
)


@click.command("scan", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=False)
@once("--phrases", metavar="FILE", help="Phrases that no text may hold, one a line.")
@click.option(
    "--severity",
    type=click.Choice(SEVERITIES),
    default="high",
    show_default=True,
    help="Exit 1 where something is as serious as this, or more.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "github"]),
    default="table",
    show_default=True,
    help="A table, or annotations for GitHub.",
)
@click.option(
    "--max-per-kind",
    type=WholeNumber(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="List this many of each kind and severity for a text; all are counted.",
)
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Bytes that are not UTF-8: an error, or U+FFFD.",
)
@click.option("--all-files", is_flag=True, help="In folders, also what git ignores.")
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    phrases: str | None,
    severity: Severity,
    form: str,
    max_per_kind: int,
    errors: Errors,
    all_files: bool,
    printing: Printing,
) -> int:
    """Find forged control tokens, look-alikes, invisible and reordered characters, mixed scripts, forbidden phrases.

    Exit code 1 says that something serious was found. In folders, git's ignore rules hold, and files that are no text are
    left out.
    """
    (choice,) = choices(models, assume, printing)
    forbidden = [] if phrases is None else _phrases(phrases)
    planned = list(plan(files, text, printing, all_files=all_files))
    texts, skipped, failed = _scan_all(planned, choice, _How(forbidden, max_per_kind, errors), printing)
    with open_output(printing.output) as output:
        if printing.json:
            output.json(
                "piecework.scan/1",
                {
                    **choice.to_dict(),
                    "phrases": forbidden,
                    "threshold": severity,
                    "n_of_severity": n_of_severity(texts),
                    "texts": [one.to_dict() for one in texts],
                    "skipped": [one._asdict() for one in skipped],
                    "failed": [{"name": one.name, "error": one.error.to_dict()} for one in failed],
                },
            )
        else:
            _print_lines(github_lines(texts) if form == "github" else table_lines(texts), output)
    printing.note(numbers(texts))
    printing.note(choice.describe())
    for one in skipped:
        printing.note(f"skipped {one.name}: {one.reason}")
    for fault in failed:
        print_failure(fault.error)
    if failed:
        return exits.BAD_INPUT
    return exits.FINDING if any(one.scan.at_least(severity) for one in texts) else exits.FINE


class _How(NamedTuple):
    phrases: list[str]
    max_per_kind: int
    errors: Errors


def _print_lines(lines: Iterable[str], output: Output) -> None:
    for line in lines:
        output.line(line)


def _scan_all(
    planned: Sequence[Planned | Skipped | Failed],
    choice: Choice,
    how: _How,
    printing: Printing,
) -> tuple[list[Scanned], list[Skipped], list[Failed]]:
    texts: list[Scanned] = []
    skipped: list[Skipped] = []
    failed: list[Failed] = []
    n_bytes = sum(item.n_bytes for item in planned if isinstance(item, Planned))
    with ByteProgress(n_bytes, doing="scanning", quiet=printing.quiet) as progress:
        for item in planned:
            found = _scan_item(item, choice, how)
            progress.add(item.n_bytes if isinstance(item, Planned) else 0)
            if isinstance(found, Scanned):
                texts.append(found)
            elif isinstance(found, Skipped):
                # The reason for files that are not UTF-8 names a flag that is count's.
                skipped.append(found._replace(reason=found.reason.partition(" (")[0]))
            else:
                failed.append(found)
    return texts, skipped, failed


def _scan_item(item: Planned | Skipped | Failed, choice: Choice, how: _How) -> Scanned | Skipped | Failed:
    source = open_document(item, how.errors) if isinstance(item, Planned) else item
    return _scan_one(source, choice, how) if isinstance(source, TextInput) else source


def _scan_one(source: TextInput, choice: Choice, how: _How) -> Scanned | Failed:
    try:
        text = check_unicode(source, how.errors)
    except NotUnicodeError as error:
        return Failed(source.name, error)
    found = scan(text, choice.tokenizer, phrases=how.phrases, max_per_kind=how.max_per_kind)
    return Scanned(source.name, found)


def _phrases(path: str) -> list[str]:
    """The phrases of a file; empty lines are none.

    Raises:
        InputError: The file cannot be read, or a line has nothing that could be looked for.
        NotUnicodeError: It is not UTF-8.
    """
    data = read_file(path, hint="--phrases names a file that has one phrase a line")
    lines = check_unicode(TextInput(path, data), "strict").removeprefix("\ufeff").splitlines()
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise InputError(f"{path} holds no phrases", path=path, reason="no phrases")
    return found
