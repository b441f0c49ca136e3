"""A line that training would refuse, found without reading the files: any such line covers one of a few places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING

from piecework.train.sources.lines import way_out
from piecework.train.sources.packed import naming

if TYPE_CHECKING:
    from pathlib import Path

    from piecework.train.sources.batch import Reading, Unit

__all__ = ["refused_line"]

_FIRST_BYTES = 4 << 10
_MOST_BYTES = 1 << 20
# What stands before and behind a place where a line may be cut is shorter.
_AROUND_BYTES = 16


def refused_line(units: Iterable[Unit], reading: Reading) -> str | None:
    """What is to be said of the first line found that training refuses; None where there is none.

    Archives are left out: whoever unpacks them finds out.

    Args:
        units: The corpus.
        reading: How training reads it.

    Raises:
        InputError: A file cannot be read.

    Complexity: O(bytes / max_line_bytes) reads of some kilobytes, and each line around those places up to that length.
    """
    for path, some in _files(units).items():
        is_records = some[0].format.kind == "jsonl"
        end_of_line = rb"\n"
        cut = reading.cut
        end = re.compile(end_of_line if is_records or cut is None else b"|".join((cut.pattern, end_of_line)))
        with naming(path), path.open("rb") as stream:
            for place in _places(some, reading.max_line_bytes):
                if _is_longer(stream, place, end, reading.max_line_bytes):
                    return _said(path, place, reading, is_records=is_records)
    return None


def _files(units: Iterable[Unit]) -> dict[Path, list[Unit]]:
    """The units of each file in which lines are looked for."""
    found: dict[Path, list[Unit]] = {}
    for unit in units:
        if unit.format.kind in ("lines", "jsonl") and not unit.format.packed:
            found.setdefault(unit.path, []).append(unit)
    return found


def _places(units: Iterable[Unit], distance: int) -> Iterator[int]:
    """Places in units of a file, so far apart that every longer line has one."""
    for unit in units:
        first = -(-max(1, unit.start) // distance) * distance
        yield from range(first, unit.start + unit.n_bytes, distance)


def _is_longer(stream: IO[bytes], place: int, end: re.Pattern[bytes], n_most: int) -> bool:
    """Whether more bytes than these around a place have no end of a line in them, and no place to be cut."""
    n_behind = _n_behind(stream, place, end, n_most)
    return n_behind > n_most or n_behind + _n_before(stream, place, end, n_most - n_behind) > n_most


def _n_behind(stream: IO[bytes], place: int, end: re.Pattern[bytes], n_most: int) -> int:
    """Bytes from a place to the next end; where they are more than `n_most`, some number above that."""
    n_done, n_wanted = 0, _FIRST_BYTES
    while n_done <= n_most:
        n_lead = min(_AROUND_BYTES, place + n_done)
        stream.seek(place + n_done - n_lead)
        chunk = stream.read(n_lead + n_wanted + _AROUND_BYTES)
        ends = (found.end() - n_lead for found in end.finditer(chunk))
        first = next((at for at in ends if at > 0), None)
        if first is not None:
            return n_done + first
        if len(chunk) < n_lead + n_wanted + _AROUND_BYTES:
            return n_done + max(0, len(chunk) - n_lead)
        n_done, n_wanted = n_done + n_wanted, min(2 * n_wanted, _MOST_BYTES)
    return n_done


def _n_before(stream: IO[bytes], place: int, end: re.Pattern[bytes], n_most: int) -> int:
    """Bytes from the last end before a place up to it; where they are more than `n_most`, some number above that."""
    n_done, n_wanted = 0, _FIRST_BYTES
    while n_done <= n_most and n_done < place:
        start = max(0, place - n_done - n_wanted)
        n_lead = min(_AROUND_BYTES, start)
        stream.seek(start - n_lead)
        chunk = stream.read(n_lead + place - n_done - start + _AROUND_BYTES)
        ends = [start - n_lead + found.end() for found in end.finditer(chunk)]
        last = max((at for at in ends if at <= place - n_done), default=None)
        if last is not None:
            return place - last
        n_done, n_wanted = place - start, min(2 * n_wanted, _MOST_BYTES)
    return n_done


def _said(path: Path, place: int, reading: Reading, *, is_records: bool) -> str:
    if is_records:
        what = f"the record around byte {place:,} is longer than"
    elif reading.cut is None:
        what = f"the line around byte {place:,} is longer than"
    else:
        what = f"the line around byte {place:,} has no place to be cut within"
    hint = way_out(reading.max_line_bytes, can_break=not is_records)
    return f"{path}: {what} {reading.max_line_bytes:,} bytes, and training refuses it: {hint}."
