"""Two prompts as a command line names them, and their difference as it prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework._cli.chat_shape import looks_like_chat
from piecework._cli.inputs import check_unicode
from piecework._cli.output import open_output
from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.choice import Choice
    from piecework._cli.inputs import TextInput
    from piecework._cli.options import Printing, Reading

__all__ = ["print_differences"]


def print_differences(
    new: TextInput,
    old: TextInput,
    chosen: Sequence[Choice],
    reading: Reading,
    printing: Printing,
    *,
    block_size: int | None,
) -> None:
    """Prints where a prompt parts from an older one. Two files of chat messages are compared field by field."""
    is_chat = looks_like_chat(new.data) and looks_like_chat(old.data)
    before, after = (
        (_messages(old), _messages(new)) if is_chat else (_text(old, reading), _text(new, reading))
    )
    special, errors = reading.special, reading.errors
    with open_output(printing.output) as output:
        for at, choice in enumerate(chosen):
            found = choice.tokenizer.difference(
                before, after, block_size=block_size, special=special, errors=errors
            )
            if printing.json:
                names = {"name": new.name, "against": old.name, "is_chat": is_chat}
                output.json("piecework.difference/1", {**names, **choice.to_dict(), **found.to_dict()})
            else:
                output.line(f"\n{found}" if at else str(found))
    if is_chat:
        printing.note("messages compared field by field, each encoded by itself; no chat template is applied")
    for choice in chosen:
        printing.note(choice.describe())


def _text(source: TextInput, reading: Reading) -> bytes:
    check_unicode(source, reading.errors)
    return source.data


def _messages(source: TextInput) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return json.loads(source.data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: {error}", path=source.name, reason=str(error)) from None
