"""Where results go: standard output, or a file that appears under its name only once it is whole."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from piecework.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = ["Output", "OutputClosed", "abandon_stdout", "open_output"]


class OutputClosed(Exception):  # noqa: N818 - not an error: the reader had enough
    """Whoever reads standard output has closed it."""


class Output:
    """Something to write text, bytes and JSON to; always UTF-8."""

    def __init__(self, stream: BinaryIO, name: str, *, is_terminal: bool = False) -> None:
        self._stream = stream
        self._name = name
        self.is_terminal = is_terminal

    def bytes(self, data: bytes) -> None:
        """Writes bytes as they are."""
        with _naming(self._name):
            self._stream.write(data)

    def line(self, text: str) -> None:
        """Writes a line. A file's name that is no text comes out as the bytes that it is."""
        self.bytes(text.encode("utf-8", "surrogateescape") + b"\n")

    def json(self, schema: str, value: dict[str, object]) -> None:
        """Writes one JSON object that says what it is, each of its members on a line."""
        from piecework._cli.json_text import json_parts  # noqa: PLC0415 - most runs print none

        start = "{\n"
        for key, item in {"schema": schema, **value}.items():
            self._json_text(f'{start}  "{key}": ')
            for part in json_parts(item):
                self._json_text(part)
            start = ",\n"
        self._json_text("\n}\n")

    def _json_text(self, text: str) -> None:
        # A lone surrogate has no UTF-8 form, but an escape of JSON, which Python's looks like.
        self.bytes(text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Hands on what is written."""
        with _naming(self._name):
            self._stream.flush()


@contextmanager
def open_output(path: str | None) -> Iterator[Output]:
    """Opens what a command writes to.

    Args:
        path: A file, or None or `-` for standard output.

    Yields:
        The output. A file gets its name when the block ends well, and leaves nothing behind when it does not.

    Raises:
        OutputError: The file cannot be written.
        OutputClosed: Standard output was closed by its reader.
    """
    if path is None or path == "-":
        if sys.stdout is None:
            raise OutputError("standard output is closed", path="-", reason="closed")
        stream = sys.stdout.buffer
        output = Output(stream, "standard output", is_terminal=stream.isatty())
        yield output
        output.flush()
        return
    target = Path(path)
    with _naming(path):
        mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        # A device or a pipe is written to, not replaced.
        with _naming(path), target.open("wb") as stream:
            yield Output(stream, path)
        return
    with _replacing(target.resolve(), path, mode) as output:
        yield output


def abandon_stdout() -> None:
    """Makes the interpreter's last flush of a closed standard output harmless."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _replacing(target: Path, name: str, mode: int | None) -> Iterator[Output]:
    """Writes beside a file (through a link: beside what it names), and gives it the file's name at the end."""
    import tempfile  # noqa: PLC0415 - most runs write no file

    with _naming(name):
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            output = Output(stream, name)
            yield output
            output.flush()
            os.fsync(stream.fileno())
        with _naming(name):
            Path(temporary).chmod(0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
            Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Turns the system's errors into ours, with the file's name."""
    try:
        yield
    except BrokenPipeError:
        raise OutputClosed from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{name} cannot be written: {reason}", path=name, reason=reason) from error


def _mode(target: Path) -> int | None:
    """Returns the mode of a file that may be written, None for one that is not there yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(target))
    return mode


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
