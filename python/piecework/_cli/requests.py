"""`count` of messages, and of models whose tokenizer is not published: numbers with their parts, bands and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

import piecework
from piecework._chat.served.sums import worst
from piecework._cli import exits
from piecework._cli.chat_shape import looks_like_chat
from piecework._cli.documents import Failed, Planned, Skipped, open_document, plan
from piecework._cli.messages import print_failure, print_note
from piecework._cli.notes import chat_note
from piecework._cli.output import open_output
from piecework._explain.columns import columns
from piecework._explain.glyphs import harmless
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._chat.counting import Messages, Tools
    from piecework._cli.options import Printing, Reading
    from piecework._cli.output import Output
    from piecework._counts import Count
    from piecework._types import Errors, Text

__all__ = ["Request", "RequestOptions", "count_requests", "read_requests", "said_own_models"]


class RequestOptions(NamedTuple):
    """What the command line says about requests.

    Attributes:
        chat: Whether files hold messages, and not text.
        tools: A file of tools; None for none.
        template: A template's name or file; None for the model's own.
        remote: Whether to ask the provider's endpoint.
        assume: A tokenizer to count with where a model has none; None for none.
        all_files: Whether what git ignores counts in folders.
    """

    chat: bool
    tools: str | None
    template: str | None
    remote: bool
    assume: str | None
    all_files: bool

    def check(self, printing: Printing, reading: Reading, *, up_to: int | None, top: int | None) -> None:
        """Refuses options that do not go together.

        Raises:
            click.UsageError: Some do not.
        """
        if (self.tools or self.template) and not self.chat:
            raise click.UsageError("--tools and --template go with messages: --chat")
        if self.remote and printing.offline:
            raise click.UsageError("--remote asks the provider, which --offline forbids")
        if self.remote and self.template:
            raise click.UsageError("--remote counts with the provider's template, not with --template")
        if up_to is not None or top is not None:
            raise click.UsageError("--up-to and --top need texts and a tokenizer that is here")
        if reading.special != "text" or reading.add_special_tokens:
            raise click.UsageError(
                "--special and --add-special-tokens need a text and a tokenizer that is here"
            )


class Request(NamedTuple):
    """What is counted: a name, and a text or messages."""

    name: str
    content: Text | Messages


class _Row(NamedTuple):
    name: str
    model: str
    counted: Count


def read_requests(
    files: Sequence[str], text: str | None, options: RequestOptions, printing: Printing, *, errors: Errors
) -> Iterator[Request | PieceworkError]:
    """Reads what the command line names: messages with --chat, else texts.

    Yields:
        Requests, and the errors of files that cannot be read.

    Raises:
        InputError: A file of messages cannot be read or is no JSON.
        click.UsageError: Messages come from --text.
    """
    if options.chat:
        if text is not None:
            raise click.UsageError("--chat reads messages from files or from standard input, not --text")
        from piecework._cli.conversations import read_conversations  # noqa: PLC0415 - only messages need it

        hint = "--chat reads messages as JSON; without it a file counts as the text that it is"
        for conversation in read_conversations(files, printing, hint=hint):
            yield Request(conversation.name, conversation.messages)
        return
    chats = []
    for item in plan(files, text, printing, all_files=options.all_files):
        opened = open_document(item, errors) if isinstance(item, Planned) else item
        if isinstance(opened, Skipped):
            printing.note(f"skipped {opened.name}: {opened.reason}")
        elif isinstance(opened, Failed):
            yield opened.error
        else:
            if looks_like_chat(opened.data):
                chats.append(opened.name)
            yield Request(opened.name, opened.data)
    chat_note(chats, printing)


def said_own_models(
    requests: Iterable[Request | PieceworkError], models: Sequence[str], printing: Printing
) -> Iterator[Request | PieceworkError]:
    """Passes requests on, and says which name another model than these: for where no `-m` chose them."""
    for request in requests:
        content = None if isinstance(request, PieceworkError) else request.content
        own = content.get("model") if isinstance(content, dict) else None
        if isinstance(own, str) and not isinstance(request, PieceworkError) and own not in models:
            printing.note(
                f"{harmless(request.name)} names the model {harmless(own)}: -m {harmless(own)} counts for it"
            )
        yield request


def count_requests(
    requests: Iterable[Request | PieceworkError],
    models: Sequence[str],
    options: RequestOptions,
    printing: Printing,
    *,
    errors: Errors,
) -> int:
    """Counts requests under models and prints the result.

    Returns:
        The exit code: of bad input where something cannot be counted.

    Raises:
        UnknownTokenizerError: A model is not known and nothing is assumed.
    """
    tools = _tools(options, printing)
    rows: list[_Row] = []
    failures: list[PieceworkError] = []
    for request in requests:
        if isinstance(request, PieceworkError):
            failures.append(request)
            continue
        for model in models:
            try:
                rows.append(_Row(request.name, model, _count(request, model, tools, options, errors)))
            except PieceworkError as error:
                if exits.exit_code(error) != exits.BAD_INPUT:
                    raise
                failures.append(error)
    with open_output(printing.output) as output:
        if printing.json:
            failed = [failure.to_dict() for failure in failures]
            output.json(
                "piecework.count-requests/1", {"counts": [_json(row) for row in rows], "failed": failed}
            )
        elif len(rows) == 1 and not failures:
            _print_number(output, rows[0], printing)
        else:
            for line in _table(rows):
                output.line(line)
    _print_notes(rows, printing)
    for failure in failures:
        print_failure(failure)
    return exits.BAD_INPUT if failures else exits.FINE


def _tools(options: RequestOptions, printing: Printing) -> Tools:
    if options.tools is None:
        return None
    from piecework._cli.conversations import read_json  # noqa: PLC0415 - only tools need it

    tools: Tools = read_json(options.tools, printing)
    return tools


def _count(request: Request, model: str, tools: Tools, options: RequestOptions, errors: Errors) -> Count:
    content = request.content
    if options.chat and not isinstance(content, list | dict):
        # JSON can be a string or a number, too; as messages that is refused with its path.
        content = [content]
    return piecework.count(
        content,
        model=model,
        tools=tools,
        template=options.template,
        remote=options.remote,
        assume=options.assume,
        errors=errors,
    )


def _print_number(output: Output, row: _Row, printing: Printing) -> None:
    output.line(str(row.counted.n))
    if printing.quiet and row.counted.basis != "exact":
        # A bare number is exact: another says what it is, however quiet the rest.
        print_note(_worth(row))


def _json(row: _Row) -> dict[str, object]:
    return {"name": row.name, "model": row.model, **row.counted.to_dict()}


def _table(rows: Sequence[_Row]) -> list[str]:
    cells = [_cells(row) for row in rows]
    if len({row.model for row in rows}) == 1 and len(rows) > 1:
        basis = worst(*(row.counted.basis for row in rows))
        cells.append(
            [f"{sum(row.counted.n for row in rows):,}", basis, rows[0].model, f"total of {len(rows):,}"]
        )
    return columns(cells, right=frozenset({0}))


def _cells(row: _Row) -> list[str]:
    return [f"{row.counted.n:,}", row.counted.basis, row.model, harmless(row.name)]


def _print_notes(rows: Sequence[_Row], printing: Printing) -> None:
    said: set[str] = set()
    for row in rows:
        label = "" if len(rows) == 1 else f"{row.model}, {harmless(row.name)}: "
        printing.note(f"{label}{_worth(row)}")
        parts = row.counted.parts
        if len(parts) > 1 and len(rows) == 1:
            cells = [[f"{part.n_tokens:,}", harmless(part.name)] for part in parts]
            for line in columns(cells, right=frozenset({0})):
                printing.note(f"  {line}")
        for note in row.counted.notes:
            if note not in said:
                said.add(note)
                printing.note(harmless(note))


def _worth(row: _Row) -> str:
    """Basis, band, what counted, and its fingerprint, in one line."""
    count = row.counted
    band = "" if count.band in (None, (count.n, count.n)) else f" · {count.band[0]:,} to {count.band[1]:,}"
    model = "" if row.model == count.tokenizer else f" for {row.model}"
    fingerprint = f" · fingerprint {count.fingerprint[:12]}" if count.fingerprint else ""
    return f"{count.basis}{band} · {count.tokenizer}{model}{fingerprint}"
