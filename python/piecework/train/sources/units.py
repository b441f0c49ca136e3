"""A corpus as units: ranges of lines, row groups and whole archives, which are read by themselves and shared out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from piecework.errors import ArgumentError
from piecework.train.sources.batch import Batch, Reading, Unit
from piecework.train.sources.formats import file_status, format_of
from piecework.train.sources.lines import line_blocks
from piecework.train.sources.packed import opened
from piecework.train.sources.records import read_records
from piecework.train.sources.signs import check_is_text
from piecework.train.sources.tables import parquet_units, read_arrow, read_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["MAX_PARTS", "RANGE_BYTES", "file_units", "in_order", "part_of", "read_unit", "share"]

RANGE_BYTES = 64 << 20
MAX_PARTS = 1_000_000


def file_units(path: Path, field: str, *, source: int = 0) -> list[Unit]:
    """The units of a file: what can be read from anywhere is cut into ranges, Parquet into its row groups.

    Raises:
        InputError: The file is missing, is no regular file, is not what its suffix says, or holds counted words.
        MissingExtraError: It is `.zst`, and zstandard is not installed.
    """
    size = file_status(path).st_size
    format_ = format_of(path)
    if format_.kind in ("lines", "jsonl"):
        check_is_text(path, format_)
    if format_.kind == "parquet":
        units = parquet_units(path, format_, field)
    elif format_.packed or format_.kind == "arrow":
        units = [Unit(path=path, format=format_, field=field, n_bytes=size)]
    else:
        units = [
            Unit(
                path=path,
                format=format_,
                field=field,
                start=start,
                end=min(start + RANGE_BYTES, size),
                n_bytes=min(RANGE_BYTES, size - start),
            )
            for start in range(0, size, RANGE_BYTES)
        ]
    return [replace(unit, source=source) for unit in units]


def read_unit(unit: Unit, reading: Reading) -> Iterator[Batch]:
    """The texts of a unit, in batches that are the same every time.

    Raises:
        InputError: It cannot be read, or is not what its suffix says.
        NotUnicodeError: A record is not UTF-8, and errors are strict.
    """
    match unit.format.kind:
        case "jsonl":
            return read_records(unit, reading)
        case "parquet":
            return read_parquet(unit)
        case "arrow":
            return read_arrow(unit)
    return _read_lines(unit, reading)


def _read_lines(unit: Unit, reading: Reading) -> Iterator[Batch]:
    with opened(unit.path, unit.format.packed) as (stream, n_read):
        blocks = line_blocks(
            stream,
            unit.path,
            start=unit.start,
            end=unit.end,
            cut=reading.cut,
            max_line_bytes=reading.max_line_bytes,
        )
        for at, block in blocks:
            n_done = n_read() if unit.format.packed else min(at + len(block) - unit.start, unit.n_bytes)
            yield Batch(texts=block, places=(at,), n_done=n_done)


def part_of(part: object) -> tuple[int, int] | None:
    """A part as its number, from 1, and how many there are.

    Raises:
        TypeError: It is neither `"i/n"` nor two ints.
        ValueError: The number is none of 1 to n.

    Examples:
        >>> part_of("2/8"), part_of((8, 8)), part_of(None)
        ((2, 8), (8, 8), None)
    """
    if part is None:
        return None
    found: Sequence[object] = ()
    if isinstance(part, str):
        found = [int(number) if number.isdecimal() else number for number in part.split("/")]
    elif isinstance(part, tuple | list):
        found = part
    numbers = [number for number in found if isinstance(number, int) and not isinstance(number, bool)]
    if len(found) != 2 or len(numbers) != 2:
        raise TypeError(f'part is "i/n" or (i, n), such as "1/8", not {part!r}')
    at, n_parts = numbers
    if n_parts > MAX_PARTS:
        raise ArgumentError(f"a corpus is cut into at most {MAX_PARTS:,} parts")
    if not 1 <= at <= n_parts:
        raise ArgumentError(f"part {at}/{n_parts} is none: parts are 1/{n_parts} to {n_parts}/{n_parts}")
    return at, n_parts


def in_order(units: Sequence[Unit]) -> list[Unit]:
    """Units in an order that does not depend on the one that their files are given in."""
    return sorted(units, key=lambda unit: (unit.source, unit.path.parts, unit.start, unit.group or 0))


def share(units: Sequence[Unit], part: tuple[int, int] | None) -> list[Unit]:
    """The units of a part: of about as many bytes as each other part has, whatever the order the files are given in.

    Every unit is in one part: in the one that its middle byte lies in, where all units lie one behind the other.
    """
    if part is None:
        return list(units)
    at, n_parts = part
    ordered = in_order(units)
    n_all = sum(unit.n_bytes for unit in ordered)
    chosen, position = [], 0
    for unit in ordered:
        middle = 2 * position + unit.n_bytes
        if min(middle * n_parts // max(1, 2 * n_all), n_parts - 1) == at - 1:
            chosen.append(unit)
        position += unit.n_bytes
    return chosen
