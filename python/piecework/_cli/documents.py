"""What `count` counts: texts named one by one, and the files of folders, of which those that are no text are left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from piecework._cli.inputs import (
    TEXT_HINT,
    TextInput,
    first_not_utf8,
    is_folder,
    literal_input,
    read_file,
    read_stdin,
)
from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cli.options import Printing
    from piecework._types import Errors
    from piecework.errors import PieceworkError

__all__ = ["Failed", "Planned", "Skipped", "open_document", "plan"]

# As much as git looks at to tell binary files from text.
_LOOK_BYTES = 8_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Planned(NamedTuple):
    """Something to count, not read yet.

    Attributes:
        name: How it is named in the output.
        source: The text itself, or the file to read.
        n_bytes: Its size, as far as known.
        in_folder: Whether it was found in a folder, and not named by the person.
    """

    name: str
    source: TextInput | Path
    n_bytes: int
    in_folder: bool


class Skipped(NamedTuple):
    """A file of a folder that is left out.

    Attributes:
        name: Its path.
        reason: Why.
    """

    name: str
    reason: str


class Failed(NamedTuple):
    """Something that was to be counted and cannot be.

    Attributes:
        name: Its path.
        error: Why.
    """

    name: str
    error: PieceworkError


def plan(
    files: Sequence[str], text: str | None, printing: Printing, *, all_files: bool
) -> Iterator[Planned | Skipped | Failed]:
    """Yields what a command line names, in its order; standard input where it names nothing."""
    if text is not None:
        yield _literal(literal_input(text, printing))
    elif not files:
        yield _literal(read_stdin(printing))
    for file in files:
        if file == "-":
            yield _literal(read_stdin(printing))
        elif is_folder(file):
            yield from _folder(Path(file), printing, all_files=all_files)
        else:
            yield Planned(file, Path(file), _size(Path(file)), in_folder=False)


def open_document(planned: Planned, errors: Errors) -> TextInput | Skipped | Failed:
    """Reads what was planned.

    Args:
        planned: A text or a file.
        errors: What becomes of broken Unicode. With `"strict"`, a file of a folder that is not UTF-8 is no text.

    Returns:
        A text; a file of a folder that is no text as skipped; what is missing or unreadable as failed. A file that a
        person named is a text whatever it holds, for a NUL is a character; whether it is UTF-8 shows when it is counted.
    """
    if isinstance(planned.source, TextInput):
        return planned.source
    try:
        data = read_file(planned.source) if planned.in_folder else read_file(planned.name, hint=TEXT_HINT)
    except InputError as error:
        return Failed(planned.name, error)
    if planned.in_folder and b"\0" in data[:_LOOK_BYTES]:
        return Skipped(planned.name, "UTF-16" if data.startswith(_UTF16_MARKS) else "binary")
    if planned.in_folder and errors == "strict" and (broken := first_not_utf8(data)) is not None:
        return Skipped(planned.name, f"not UTF-8 at byte {broken} (--errors replace counts it)")
    return TextInput(planned.name, data)


def _literal(source: TextInput) -> Planned:
    return Planned(source.name, source, len(source.data), in_folder=False)


def _folder(folder: Path, printing: Printing, *, all_files: bool) -> Iterator[Planned | Skipped | Failed]:
    from piecework._cli.walk import walk  # noqa: PLC0415 - only folders need pathspec

    for found in walk(folder, all_files=all_files, note=printing.note):
        name = str(found.path)
        if found.failure is not None:
            error = InputError(f"{name} cannot be read: {found.failure}", path=name, reason=found.failure)
            yield Failed(name, error)
        elif found.skip is not None:
            yield Skipped(name, found.skip)
        else:
            yield Planned(name, found.path, found.n_bytes, in_folder=True)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
