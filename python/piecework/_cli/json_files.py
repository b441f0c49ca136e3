"""Files of JSON, or of JSON Lines, as their values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._cli.inputs import TextInput

__all__ = ["read_json"]


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
    except ValueError:
        raise _bad(source, "a number in it has thousands of digits") from None


def _json_lines(text: str) -> list[Any] | None:
    """The values of a file with one on each line; None where it is something else."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        return None
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None


def _bad(source: TextInput, reason: str) -> InputError:
    return InputError(f"{source.name} cannot be read as JSON: {reason}", path=source.name, reason=reason)
