"""What `piecework budget` is given for a line: a number, the file behind an `@`, or the text itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.inputs import TextInput, check_unicode, read_file, read_stdin
from piecework._cli.json_files import read_json
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._cli.options import Printing

__all__ = ["read_line", "read_named_line", "read_ratio", "read_value"]


# Names that are no line of one's own, and what to write in their place.
_TAKEN = {
    **{name: f"write --{name}" for name in ("window", "tools", "framing", "answer", "margin", "template")},
    "model": "write -m",
    "max_output": "write --max-output",
    "max_output_tokens": "write --max-output",
    "template_framing": "write --framing",
    **dict.fromkeys(("planned", "left", "over"), "that is a sum of the table; take another name"),
}
# No text takes so many times the tokens; and a fraction of 1e999999999 takes all the memory there is.
_RATIO = re.compile(r"\d{1,12}(\.\d{0,12})?(\s*/\s*\d{1,12})?|\.\d{1,12}", re.ASCII)


def read_value(value: str, printing: Printing, *, as_json: bool = False) -> Any:  # noqa: ANN401 - what a file holds
    """Reads the value of a line.

    Args:
        value: `400`, `20*205`, `@file`, `@-`, or a text.
        printing: Where to say that standard input is read.
        as_json: Whether a file is JSON whatever its name, as tools are.

    Returns:
        A number, a text, or what a JSON file holds.

    Raises:
        InputError: The file cannot be read.
        NotUnicodeError: It is no text.
    """
    from piecework._budget.planning import amount_of  # noqa: PLC0415 - only this command needs it

    if not value.startswith("@"):
        try:
            return amount_of(value)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    name = value[1:]
    source = read_stdin(printing) if name == "-" else TextInput(name, read_file(name))
    is_json = as_json or name.lower().endswith((".json", ".jsonl"))
    if not is_json:
        return check_unicode(source, "strict")
    held = read_json(source)
    if isinstance(held, bool | float) or held is None:
        reason = f"it holds {json.dumps(held)}, neither a number of tokens nor messages"
        raise InputError(f"{source.name}: {reason}", path=source.name, reason=reason)
    return held


def read_line(values: tuple[str, ...], printing: Printing) -> Any:  # noqa: ANN401 - as above
    """Reads a line that may be given several times: numbers add up, texts and messages make a list; None for nothing."""
    read = [read_value(value, printing) for value in values]
    if not read:
        return None
    if all(isinstance(one, int) for one in read):
        return sum(read)
    if any(isinstance(one, int) for one in read):
        raise click.UsageError("a line is given as numbers, or as texts and files, not as both")
    if len(read) == 1:
        return _messages(read[0])
    listed: list[Any] = []
    for one in read:
        listed += one if isinstance(one, list) else [one]
    return listed


def _messages(value: Any) -> Any:  # noqa: ANN401 - as above
    """The messages of a request's body; anything else as it is."""
    return value["messages"] if isinstance(value, dict) and isinstance(value.get("messages"), list) else value


def read_named_line(value: str, printing: Printing) -> tuple[str, Any]:
    """Reads NAME=AMOUNT."""
    name, is_there, amount = value.partition("=")
    if not (is_there and name.strip()):
        raise click.UsageError(f"a line of your own is written NAME=AMOUNT, not {value!r}")
    line = name.strip().replace(" ", "_").replace("-", "_")
    if line in _TAKEN:
        raise click.UsageError(f"--line {name.strip()}: {_TAKEN[line]}")
    return line, read_value(amount, printing)


def read_ratio(value: str) -> Any:  # noqa: ANN401 - a Fraction, loaded only here
    """Reads a ratio: `25/14`, or `1.79`."""
    from fractions import Fraction  # noqa: PLC0415 - only this option needs it

    written = value.strip().lstrip("x×").strip()
    try:
        return Fraction(written if _RATIO.fullmatch(written) else "")
    except (ValueError, ZeroDivisionError):
        raise click.UsageError(f"a ratio is written 25/14 or 1.79, not {value!r:.60}") from None
