"""Conversations from files: JSON or JSON lines, bare messages or bodies of requests; tools and arguments beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piecework._cli.inputs import check_unicode, read_inputs
from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing

__all__ = ["NamedConversation", "read_arguments", "read_conversations", "read_json"]

# Arguments that have a flag of their own.
_FLAGS = {
    "add_generation_prompt": "--generation-prompt",
    "arguments": "--arguments",
    "bos_token": "--bos-token",
    "eos_token": "--eos-token",
    "documents": "--documents",
    "messages": "FILE",
    "parts": "--parts",
    "self": "FILE",
    "system": "--system",
    "template": "--template",
    "tools": "--tools",
}


class NamedConversation(NamedTuple):
    """One conversation.

    Attributes:
        name: The file's name, with the line of it where each line is a conversation.
        messages: A list of messages, or the body of a request, as it was read.
    """

    name: str
    messages: Any


def read_conversations(
    files: Sequence[str], printing: Printing, *, hint: str | None = None
) -> Iterator[NamedConversation]:
    """Reads conversations from files, or from standard input.

    Args:
        files: Names of files; `-` is standard input.
        printing: Where notes go.
        hint: What to do where a file is missing, or holds no JSON.

    Raises:
        InputError: A file cannot be read or is no JSON.
    """
    for source in read_inputs(files, None, printing, hint=hint):
        try:
            yield from _conversations(source)
        except InputError as error:
            raise InputError(error.message, hint=hint, **error.fields()) from None


def read_json(file: str, printing: Printing) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Reads a JSON file.

    Raises:
        InputError: It cannot be read or is no JSON.
    """
    (source,) = read_inputs((file,), None, printing, hint=None)
    return _parsed(_text(source), source.name)


def read_arguments(given: Sequence[str]) -> dict[str, Any]:
    """Reads `NAME=VALUE`: the value as JSON where it is some, else as text.

    Raises:
        click.UsageError: One has no name, or a name that has a flag of its own.
    """
    arguments: dict[str, Any] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise click.UsageError(
                f"--arg {item}: write --arg NAME=VALUE, such as --arg enable_thinking=false"
            )
        if name in _FLAGS:
            raise click.UsageError(f"--arg {name} is given by {_FLAGS[name]}")
        if name in arguments:
            raise click.UsageError(f"--arg {name} is given twice")
        try:
            arguments[name] = json.loads(value)
        except (ValueError, RecursionError):
            arguments[name] = value
    return arguments


def _conversations(source: TextInput) -> Iterator[NamedConversation]:
    text = _text(source)
    try:
        yield NamedConversation(source.name, json.loads(text))
    except RecursionError:
        raise _no_json(source.name, "nested too deeply") from None
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].lstrip().startswith("{"):
            raise _no_json(source.name, str(error)) from None
        yield from _lines(source.name, lines)


def _lines(name: str, lines: Sequence[tuple[int, str]]) -> Iterator[NamedConversation]:
    """JSON lines: each a message of one conversation, or each a conversation."""
    values = [(number, _parsed(line, f"{name}, line {number}")) for number, line in lines]
    if all(isinstance(value, dict) and not {"messages", "input"} & value.keys() for _, value in values):
        yield NamedConversation(name, [value for _, value in values])
        return
    for number, value in values:
        yield NamedConversation(f"{name}:{number}", value)


def _text(source: TextInput) -> str:
    return check_unicode(source, "strict").removeprefix("\ufeff")


def _parsed(text: str, name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return json.loads(text)
    except RecursionError:
        raise _no_json(name, "nested too deeply") from None
    except ValueError as error:
        raise _no_json(name, str(error)) from None


def _no_json(name: str, reason: str) -> InputError:
    return InputError(f"{name} is no JSON: {reason}", path=name, reason=reason)
