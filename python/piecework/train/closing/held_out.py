"""Held-out text as units: the paragraphs or lines of files, or texts as they are given."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from piecework.errors import EmptyCorpusError, NotUnicodeError
from piecework.train.sources.batch import Reading
from piecework.train.sources.feeding import documents
from piecework.train.sources.formats import format_of, paths_of
from piecework.train.sources.repairing import HINT, first_invalid
from piecework.train.sources.units import file_units, read_unit

if TYPE_CHECKING:
    from pathlib import Path

    from piecework._types import Text
    from piecework.train.sources.batch import OnInvalid

__all__ = ["HeldOut", "HeldOutText", "UnitKind", "read_held_out"]

UnitKind: TypeAlias = Literal["paragraph", "line", "text"]
HeldOut: TypeAlias = "Mapping[str, str | os.PathLike[str] | Sequence[str | bytes | os.PathLike[str]]]"
"""A name for each domain, with its file, its files, or its texts."""

# From so many paragraphs on they are the units; a file with fewer has lines.
_MIN_PARAGRAPHS = 30
# The blank lines behind a paragraph; a line with its end and the blank lines behind it.
_BLANK = re.compile(r"\n(?:\r?\n)+")
_LINE = re.compile(r"[^\n]*\n(?:\r?\n)*|[^\n]+")
_SUFFIXES = (
    ".txt",
    ".md",
    ".text",
    ".jsonl",
    ".ndjson",
    ".json",
    ".parquet",
    ".arrow",
    ".tsv",
    ".csv",
    ".gz",
    ".zst",
)


@dataclass(frozen=True, slots=True)
class HeldOutText:
    """One domain.

    Attributes:
        name: What it is called.
        units: Its text, cut where units end; together they are the text.
        kind: What a unit is.
        files: Its files; none for texts.
    """

    name: str
    units: tuple[str, ...]
    kind: UnitKind
    files: tuple[str, ...] = ()

    @property
    def n_bytes(self) -> int:
        """Its bytes as UTF-8."""
        return sum(len(unit.encode("utf-8", "surrogatepass")) for unit in self.units)


def read_held_out(held_out: HeldOut, *, field: str, errors: OnInvalid) -> list[HeldOutText]:
    """Reads the domains.

    Args:
        held_out: Their names and texts. A str or path is a file, a sequence is files where each item
            names one, else texts.
        field: The field or column of the text in files of records; each record is a text.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD, `"skip"` leaves the line or text out.

    Raises:
        EmptyCorpusError: There is no domain, or one has no text.
        InputError: A file is missing or unreadable.
        NotUnicodeError: A text is not UTF-8.
        TypeError: What is given is none of these.
    """
    if not isinstance(held_out, Mapping):
        raise TypeError('held_out is a mapping of names to files or texts, such as {"en": "en.txt"}')
    if not held_out:
        raise EmptyCorpusError("held_out has no domain: there is nothing to measure on", source="held_out")
    domains = [_domain(name, value, field, errors) for name, value in held_out.items()]
    for domain in domains:
        if not any(domain.units):
            raise EmptyCorpusError(
                f"the held-out domain {domain.name!r} has no text: nothing can be measured on it",
                source="held_out",
            )
    return domains


def _domain(name: object, value: object, field: str, errors: OnInvalid) -> HeldOutText:
    if not isinstance(name, str) or not name:
        raise TypeError(f"the names of held_out are texts, not {name!r}")
    if isinstance(value, str | os.PathLike):
        return _of_files(name, [os.fsdecode(value)], field, errors)
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise TypeError(f"held_out[{name!r}] is a file, files or texts, not {type(value).__name__}")
    items = list(value)
    for item in items:
        if not isinstance(item, str | bytes | os.PathLike):
            raise TypeError(f"held_out[{name!r}] holds paths or texts, not {type(item).__name__}")
    if items and all(map(_is_path, items)):
        return _of_files(name, [os.fsdecode(item) for item in items], field, errors)
    kept = [item for item in items if errors != "skip" or first_invalid(item) is None]
    return HeldOutText(name, tuple(_text(name, at, item, errors) for at, item in enumerate(kept, 1)), "text")


def _is_path(item: object) -> bool:
    """Whether an item of a list is a file: it exists, or could be nothing but the name of one that is missing."""
    if isinstance(item, os.PathLike):
        return True
    if not isinstance(item, str) or not item:
        return False
    is_name = item.lower().endswith(_SUFFIXES) and not any(map(str.isspace, item))
    return is_name or os.path.isfile(item)  # noqa: PTH113 - any length


def _text(name: str, at: int, item: Text, errors: OnInvalid) -> str:
    if isinstance(item, str):
        return item
    try:
        return item.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        message = f"text {at:,} of held_out[{name!r}] is not UTF-8 at byte {error.start}"
        raise NotUnicodeError(message, index=error.start, hint=HINT) from None


def _of_files(name: str, files: list[str], field: str, errors: OnInvalid) -> HeldOutText:
    paths = paths_of(files)
    if any(format_of(path).kind != "lines" for path in paths):
        texts = [text for path in paths for text in _records(path, field, errors)]
        return HeldOutText(name, tuple(texts), "text", tuple(files))
    wholes = [_whole(path, field, errors) for path in paths]
    paragraphs = [unit for text in wholes for unit in _paragraphs(text)]
    if len(paragraphs) >= _MIN_PARAGRAPHS:
        return HeldOutText(name, tuple(paragraphs), "paragraph", tuple(files))
    lines = [unit for text in wholes for unit in _LINE.findall(text)]
    return HeldOutText(name, tuple(lines), "line", tuple(files))


def _records(path: Path, field: str, errors: OnInvalid) -> Iterator[str]:
    """The records of a file, or its lines."""
    reading = Reading(errors=errors)
    for unit in file_units(path, field):
        for batch in read_unit(unit, reading):
            for texts, _ in documents(unit, batch, reading):
                yield from (text.decode() for text in texts)


def _whole(path: Path, field: str, errors: OnInvalid) -> str:
    """A file of lines as one text."""
    blocks = [
        bytes(batch.texts)
        for unit in file_units(path, field)
        for batch in read_unit(unit, Reading(errors=errors))
    ]
    whole = b"".join(blocks)
    if errors == "skip":
        whole = b"".join(line for line in io.BytesIO(whole) if first_invalid(line) is None)
    try:
        return whole.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 at byte {error.start:,}"
        raise NotUnicodeError(message, index=error.start, hint=HINT) from None


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each with the blank lines behind it."""
    ends = [0, *(found.end() for found in _BLANK.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]
