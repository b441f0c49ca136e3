"""Texts from files, from standard input, and from --text: always as the bytes that they are."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from piecework.errors import InputError, NotUnicodeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._cli.options import Printing
    from piecework._types import Errors
    from piecework.errors import EncodeError

__all__ = [
    "TEXT_HINT",
    "TextInput",
    "check_unicode",
    "first_not_utf8",
    "is_folder",
    "is_utf8",
    "literal_input",
    "named",
    "read_file",
    "read_inputs",
    "read_stdin",
]


# What a person may have meant who names a file that is not there, where the command has --text.
TEXT_HINT = "to give the text itself, write --text TEXT"


class TextInput(NamedTuple):
    """One text.

    Attributes:
        name: The file's path, `<stdin>` or `<text>`.
        data: Its bytes.
    """

    name: str
    data: bytes


def read_inputs(
    files: Sequence[str], text: str | None, printing: Printing, *, hint: str | None = TEXT_HINT
) -> Iterator[TextInput]:
    """Reads the texts that a command line names; standard input where it names none.

    Args:
        files: Names of files; `-` is standard input.
        text: The text itself, in place of files.
        printing: Where notes go.
        hint: What to do where a file is missing; a command without `--text` has another, or none.

    Raises:
        InputError: A file cannot be read.
        click.UsageError: A folder, where only `count` takes one.
    """
    if text is not None:
        yield literal_input(text, printing)
    elif not files:
        yield read_stdin(printing)
    for file in files:
        if file == "-":
            yield read_stdin(printing)
        elif is_folder(file):
            raise click.UsageError(f"{file} is a folder; only count takes folders")
        else:
            yield TextInput(file, read_file(file, hint=hint))


def is_folder(file: str) -> bool:
    """Whether a name is that of a folder; False for one too long for any file, which is then missing like others."""
    return os.path.isdir(file)  # noqa: PTH112 - Path.is_dir raises for such a name


def literal_input(text: str, printing: Printing) -> TextInput:
    """The text of --text. Bytes that the shell passed and that are no text come back as those bytes."""
    if "\\n" in text and "\n" not in text:
        printing.note(
            r"note: \n in --text is two characters, a backslash and an n; for line breaks use a file or stdin"
        )
    return TextInput("<text>", text.encode("utf-8", "surrogateescape"))


def read_stdin(printing: Printing) -> TextInput:
    """Reads all of standard input, and says so to a person who may wonder what it waits for."""
    if sys.stdin is None:
        raise click.UsageError("no text: standard input is closed, and neither a file nor --text is given")
    if sys.stdin.isatty():
        printing.note("reading text from standard input; Ctrl-D ends it")
    return TextInput("<stdin>", sys.stdin.buffer.read())


def read_file(path: str | Path, *, hint: str | None = None) -> bytes:
    """Reads a file; `hint` says what to do where it is missing.

    Raises:
        InputError: It is missing, cannot be read, or is a device. A pipe is read: shells pass `<(command)` as one.
    """
    try:
        if _is_endless(Path(path)):
            raise InputError(f"{path} is a device, which may never end", path=str(path), reason="a device")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"there is no file {path}", path=str(path), reason="No such file or directory", hint=hint
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{path} cannot be read: {reason}", path=str(path), reason=reason) from error


def _is_endless(path: Path) -> bool:
    """Whether a file is a device other than this process's own standard input (a terminal, or /dev/null)."""
    found = path.stat()
    if not (stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)):
        return False
    try:
        terminal_or_null = path.samefile(os.devnull) or os.path.samestat(found, os.fstat(0))
    except OSError:
        return True
    return not terminal_or_null


def check_unicode(source: TextInput, errors: Errors) -> str:
    """The text of an input.

    Raises:
        NotUnicodeError: `errors="strict"`, and it is not UTF-8; the error names the file and the byte.
    """
    try:
        return source.data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise NotUnicodeError(
            f"{source.name}: the input is not UTF-8 at byte {error.start}", index=error.start
        ) from None


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    return first_not_utf8(data) is None


def first_not_utf8(data: bytes) -> int | None:
    """Where bytes stop being UTF-8; None where they are to the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def named(error: EncodeError, name: str) -> EncodeError:
    """The same error with the input's name before its message."""
    if name.startswith("<"):
        return error
    return type(error)(f"{name}: {error.message}", hint=error.hint, **error.fields())
