"""Files of messages: a list, a request's body with its tools, or a line for each message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._cli.inputs import TextInput

__all__ = ["RequestFile", "read_json", "read_request_file"]


class RequestFile(NamedTuple):
    """What a file of messages holds.

    Attributes:
        messages: The messages, as they stand there.
        tools: The tools of the request; None where there are none.
        system: The system text that stands beside the messages, as Anthropic has it; None where there is none.
        rest: The other members of a request's body, such as `model` and `max_tokens`.
    """

    messages: list[Any]
    tools: Any
    system: Any
    rest: dict[str, Any]


def read_request_file(source: TextInput) -> RequestFile:
    """Reads messages.

    Raises:
        InputError: It is no JSON, or holds no messages; the error names the line.
    """
    value = read_json(source)
    if isinstance(value, list):
        return RequestFile(value, None, None, {})
    if isinstance(value, dict):
        body = dict(value)
        for key in ("messages", "input", "contents"):
            if isinstance(body.get(key), list):
                messages = body.pop(key)
                system = body.pop("system", None) or body.pop("instructions", None)
                return RequestFile(messages, body.pop("tools", None), system, body)
        if "role" in value:
            return RequestFile([value], None, None, {})
    reason = "it holds no messages: a list of them, or an object with messages"
    raise InputError(f"{source.name}: {reason}", path=source.name, reason=reason)


def read_json(source: TextInput) -> Any:  # noqa: ANN401 - whatever it holds
    """Reads JSON, or JSON Lines as a list.

    Raises:
        InputError: It is neither; the error names the line.
    """
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(source, f"not UTF-8 at byte {error.start}") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = _json_lines(text)
        if lines is None:
            raise _bad(source, f"line {error.lineno}: {error.msg}") from None
        return lines
    except RecursionError:
        raise _bad(source, "it is nested too deeply") from None


def _json_lines(text: str) -> list[Any] | None:
    """The values of a file with one on each line; None where it is something else."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        return None
    try:
        return [json.loads(line) for line in lines]
    except (json.JSONDecodeError, RecursionError):
        return None


def _bad(source: TextInput, reason: str) -> InputError:
    return InputError(f"{source.name} cannot be read as JSON: {reason}", path=source.name, reason=reason)
