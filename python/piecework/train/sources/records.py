"""Records of JSON, one a line: the text of each is a field of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from piecework.errors import InputError
from piecework.train.sources.batch import Batch, Reading, Unit
from piecework.train.sources.lines import line_blocks
from piecework.train.sources.packed import opened
from piecework.train.sources.repairing import line_number, lines_of, mended, not_unicode, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_records"]


def read_records(unit: Unit, reading: Reading) -> Iterator[Batch]:
    """The texts of the records of a unit, each as it is; empty lines are no records, and null is no text.

    Raises:
        InputError: A line is no JSON object, has no such field, or no text in it; the message names the line.
        NotUnicodeError: A line is not UTF-8, and errors are strict.
    """
    with opened(unit.path, unit.format.packed) as (stream, n_read):
        blocks = line_blocks(
            stream,
            unit.path,
            start=unit.start,
            end=unit.end,
            max_line_bytes=reading.max_line_bytes,
            whole="a record is read whole",
        )
        for at, block in blocks:
            place = at
            for part in parts_of(block):
                texts, places, n_invalid = _texts(unit, reading, place, part)
                place += len(part)
                n_done = n_read() if unit.format.packed else min(place - unit.start, unit.n_bytes)
                yield Batch(texts=texts, places=places, n_done=n_done, n_invalid=n_invalid)


def _texts(unit: Unit, reading: Reading, at: int, block: bytes) -> tuple[list[str], list[int], int]:
    texts: list[str] = []
    places: list[int] = []
    n_all = 0
    for line in lines_of(block):
        place = at
        at += len(line)
        valid, n_invalid = mended(line)
        n_all += n_invalid
        if n_invalid and reading.errors == "strict":
            raise not_unicode(unit, Batch(texts=line, places=(place,), n_done=0))
        if not valid.strip() or (n_invalid and reading.errors == "skip"):
            continue
        text = _field(unit, valid, place)
        if text is not None:
            texts.append(text)
            places.append(place)
    return texts, places, n_all


def _field(unit: Unit, line: str | bytes, place: int) -> str | None:
    """The text of a record."""
    try:
        # The standard library's own reading of bytes would guess at UTF-16.
        text = line if isinstance(line, str) else line.decode("utf-8-sig" if place == 0 else "utf-8")
        # Numbers are no texts, and Python refuses those of very many digits.
        value = json.loads(text.rstrip("\r\n"), parse_int=_no_number)
    except json.JSONDecodeError as error:
        raise _problem(unit, place, f"no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        reason = "nests too deeply" if isinstance(error, RecursionError) else str(error)
        raise _problem(unit, place, f"JSON that cannot be read: {reason}") from None
    if isinstance(value, dict) and unit.field in value:
        value = value[unit.field]
    else:
        for name in unit.field.split("."):
            if not isinstance(value, dict):
                raise _problem(unit, place, f"the record is no object with the field {unit.field!r}")
            if name not in value:
                names = ", ".join(map(repr, list(value)[:8])) or "none"
                raise _problem(unit, place, f"there is no field {unit.field!r}; there are {names}")
            value = value[name]
    if value is not None and not isinstance(value, str):
        raise _problem(unit, place, f"the field {unit.field!r} is no text: {type(value).__name__}")
    return value


def _no_number(_digits: str) -> int:
    return 0


def _problem(unit: Unit, place: int, reason: str) -> InputError:
    reason = f"line {line_number(unit, place):,}: {reason}"
    hint = "field= names the field of the text" if "field" in reason else None
    return InputError(f"{unit.path}: {reason}", path=str(unit.path), reason=reason, hint=hint)
