"""`piecework count`: the tokens of texts, files and folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from piecework._cli import exits
from piecework._cli.chat_shape import looks_like_chat
from piecework._cli.choice import choices, chosen_names
from piecework._cli.count_output import count_json, table_lines
from piecework._cli.counting import count_documents
from piecework._cli.documents import Planned, plan
from piecework._cli.help_text import ExampleCommand
from piecework._cli.messages import print_failure
from piecework._cli.notes import around_note, chat_note, controls_note
from piecework._cli.options import (
    WholeNumber,
    files_argument,
    model_options,
    once,
    printing_options,
    reading_options,
)
from piecework._cli.output import open_output
from piecework._cli.progress import ByteProgress
from piecework._cli.unknowns import unknown_note
from piecework.errors import UnknownTokenizerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.counting import Tally
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output

__all__ = ["command"]

_EXAMPLES = (
    "piecework count prompt.txt",
    "cat prompt.txt | piecework count -m gpt-4o",
    'piecework count --text "Hello, world!" -m gpt-4o -m qwen3',
    "piecework count --top 5 src",
    'piecework count --up-to 4096 prompt.txt || echo "too long"',
    "piecework count --json prompt.txt",
    "piecework count -m my-model --assume o200k_base prompt.txt",
    "piecework count --chat messages.json -m gpt-4o",
    "piecework count prompt.txt -m claude-opus-4-7",
)

_SHOWN_SKIPS = 5
# What the names of Claude and Gemini begin with, where they are bought: told apart before anything is imported.
_SERVED_STARTS = ("claude-", "anthropic", "us.", "eu.", "apac.", "global.", "gemini-", "google/", "models/")
_TOP_OF_FOLDER = 20


@click.command("count", cls=ExampleCommand, examples=_EXAMPLES)
@files_argument
@model_options(repeatable=True)
@reading_options
@click.option(
    "--up-to",
    type=WholeNumber(min=0),
    metavar="N",
    help="Stop counting a text at N; exit 1 if it has more.",
)
@click.option(
    "--top", type=WholeNumber(min=0), metavar="N", help="Only the N largest rows; 0 for all. [folders: 20]"
)
@click.option("--all-files", is_flag=True, help="In folders, also what git ignores.")
@click.option("--chat", is_flag=True, help="FILE holds messages as JSON: count what the model reads of them.")
@once("--tools", metavar="FILE", help="With --chat: tools as JSON, in OpenAI's, Anthropic's or MCP's form.")
@once(
    "--template", metavar="NAME|FILE", help="With --chat: a template, or chatml (ours); else the model's own."
)
@click.option(
    "--remote", is_flag=True, help="Ask the provider's endpoint: Anthropic's or Gemini's, with your key."
)
@printing_options
def command(
    *,
    files: tuple[str, ...],
    text: str | None,
    models: tuple[str, ...],
    assume: str | None,
    reading: Reading,
    up_to: int | None,
    top: int | None,
    all_files: bool,
    chat: bool,
    tools: str | None,
    template: str | None,
    remote: bool,
    printing: Printing,
) -> int:
    """Count the tokens of texts, files and folders.

    For one text, standard output is the number alone; what it is worth goes to stderr. For more, it is a table. In
    folders, git's ignore rules hold, and files that are no text are named and left out.

    Claude and Gemini, whose tokenizers are not published, are estimated, and the band says how surely.
    """
    if top is not None and printing.json:
        raise click.UsageError("--top is for the table; --json lists every text")
    names = chosen_names(models, printing)
    has_no_tokenizer = assume is None and any(_is_served(name) or _is_calibrated(name) for name in names)
    if chat or remote or tools or template or has_no_tokenizer:
        from piecework._cli.requests import (  # noqa: PLC0415 - most counts are of texts
            RequestOptions,
            count_requests,
            read_requests,
            said_own_models,
        )

        options = RequestOptions(chat, tools, template, remote, assume, all_files)
        options.check(printing, reading, up_to=up_to, top=top)
        requests = read_requests(files, text, options, printing, errors=reading.errors)
        if not models:
            requests = said_own_models(requests, names, printing)
        return count_requests(requests, names, options, printing, errors=reading.errors)
    chosen = choices(names, assume, printing)
    planned = list(plan(files, text, printing, all_files=all_files))
    n_bytes = sum(item.n_bytes for item in planned if isinstance(item, Planned))
    with ByteProgress(n_bytes, doing="counting", quiet=printing.quiet) as progress:
        tally = count_documents(
            planned, chosen, reading, up_to=up_to, looks_like_chat=looks_like_chat, on_bytes=progress.add
        )
    in_folders = any(isinstance(item, Planned) and item.in_folder for item in planned)
    is_one = len(planned) == 1 and not in_folders and len(chosen) == 1
    with open_output(printing.output) as output:
        if printing.json:
            output.json("piecework.count/1", count_json(tally, chosen, reading, up_to=up_to))
        elif not is_one:
            limit = top if top is not None else _TOP_OF_FOLDER if in_folders else 0
            _print_table(tally, chosen, output, top=limit, up_to=up_to)
        elif tally.rows:
            n = tally.rows[0].n_tokens[0]
            output.line(f">{up_to}" if n is None else str(n))
    _print_notes(tally, chosen, reading, printing, files=files, is_one=is_one)
    if tally.failed:
        return exits.BAD_INPUT
    return exits.FINDING if any(None in row.n_tokens for row in tally.rows) else exits.FINE


def _is_served(name: str) -> bool:
    if not name.startswith(_SERVED_STARTS):
        return False
    from piecework._chat.served.models import served_model  # noqa: PLC0415 - most models are no such ones

    return served_model(name) is not None


def _is_calibrated(name: str) -> bool:
    """Whether a model has no tokenizer here, and a calibration of the user's own."""
    from piecework._chat.calibration_file import calibrations_path  # noqa: PLC0415 - light, and only a look

    if not calibrations_path().exists():
        return False
    from piecework._chat.calibration import read_calibrations  # noqa: PLC0415 - most users have none
    from piecework._tokenizer import load  # noqa: PLC0415 - as above

    if name not in read_calibrations():
        return False
    try:
        load(name)
    except UnknownTokenizerError:
        return True
    return False


def _print_table(
    tally: Tally, chosen: Sequence[Choice], output: Output, *, top: int, up_to: int | None
) -> None:
    for line in table_lines(tally, chosen, top=top, up_to=up_to):
        output.line(line)


def _print_notes(
    tally: Tally,
    chosen: Sequence[Choice],
    reading: Reading,
    printing: Printing,
    *,
    files: Sequence[str],
    is_one: bool,
) -> None:
    # What a count is worth is of no interest where nothing was counted, or nobody reads it: a fingerprint takes time.
    is_read = tally.rows and not printing.quiet
    worth = zip(chosen, tally.controls, strict=True) if is_read else ()
    for at, (choice, controls) in enumerate(worth):
        printing.note(choice.describe())
        label = "" if is_one else f"{choice.label}: "
        controls_note(controls, tally.total_if_parsed(at), printing, label=label)
        n_texts = len(tally.rows)
        unknown_note(choice.tokenizer, tally.n_unknown[at], printing, n_texts=n_texts, label=label)
        around_note(choice, reading, printing)
    chat_note(tally.chats, printing)
    for skipped in tally.skipped[:_SHOWN_SKIPS]:
        printing.note(f"skipped {skipped.name}: {skipped.reason}")
    n_more = len(tally.skipped) - _SHOWN_SKIPS
    if n_more > 0:
        printing.note(f"skipped {n_more:,} more (--json names all)")
    if not tally.rows and not tally.failed:
        printing.note(f"no text files in {', '.join(files)}")
    for failed in tally.failed:
        print_failure(failed.error)
