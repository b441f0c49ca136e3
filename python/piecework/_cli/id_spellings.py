"""Ids as people paste them: with spaces, commas, brackets, one on a line, or as this program's own JSON."""

from __future__ import annotations

import json
import re
from array import array
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["read_ids"]

_WORD = re.compile(r"[^\s,;\[\](){}]+")


def read_ids(text: str) -> Sequence[int]:
    r"""Reads ids.

    Args:
        text: Numbers with white space, commas, semicolons or brackets between them; or a JSON object with `ids`.

    Returns:
        The ids, in order. Whether a vocabulary has them is not asked here.

    Raises:
        click.UsageError: Something is no whole number; the message names it.

    Examples:
        >>> [list(read_ids(text)) for text in ("[9906, 11]", "9906 11\n1917", '{"ids": [1, 2]}')]
        [[9906, 11], [9906, 11, 1917], [1, 2]]
    """
    if text.lstrip().startswith("{"):
        return _collect(_ids_of(text))
    return _collect(_number(word.group()) for word in _WORD.finditer(text))


def _collect(numbers: Iterator[int]) -> Sequence[int]:
    """Puts numbers in an array, a tenth the size of a list; in a list where one of them can be no id, to be named later."""
    ids = array("I")
    for number in numbers:
        try:
            ids.append(number)
        except OverflowError:
            return [*ids, number, *numbers]
    return ids


def _ids_of(text: str) -> Iterator[int]:
    """Yields the ids of JSON objects, of which a file may hold several."""
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError as error:
            raise click.UsageError(f"this is no JSON: {error}") from None
        except RecursionError:
            raise click.UsageError("this is no JSON of ids: it is nested too deeply") from None
        ids = value.get("ids") if isinstance(value, dict) else None
        if not isinstance(ids, list):
            raise click.UsageError("the JSON object has no list named ids")
        for item in ids:
            if not isinstance(item, int) or isinstance(item, bool):
                raise click.UsageError(f"not an id: {item!r}")
            yield item
        rest = rest[end:].lstrip()


def _number(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        shown = word if len(word) <= 40 else f"{word[:40]}…"
        raise click.UsageError(f"not an id: {shown!r}") from None
