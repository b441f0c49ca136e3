"""A training on the command line: where its text comes from, and how its warnings and errors are said."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.train_flags import as_flags, in_flags
from piecework.errors import FormatError, PieceworkError, PieceworkWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._cli.options import Printing

__all__ = ["sources", "told_in_flags"]


def sources(files: tuple[str, ...], printing: Printing) -> dict[str, Any]:
    """Where the text comes from, as the trainers take it; standard input is read a line at a time, as files are.

    Raises:
        click.UsageError: Nothing is named, or standard input beside files.
    """
    if not files:
        raise click.UsageError("train on what? FILES of text, or - for standard input")
    if "-" not in files:
        return {"files": files}
    if len(files) > 1:
        raise click.UsageError("- is standard input, which goes alone")
    if sys.stdin is None:
        raise click.UsageError("standard input is closed")
    if sys.stdin.isatty():
        printing.note("reading text from standard input; Ctrl-D ends it")
    return {"texts": sys.stdin.buffer}


@contextmanager
def told_in_flags(printing: Printing) -> Iterator[None]:
    """Prints warnings as notes as they come, and turns errors about Python's arguments into such about flags.

    Raises:
        PieceworkError: The block's own error.
        click.UsageError: What was asked for does not exist, or does not go together.
    """
    told: set[str] = set()

    def note(message: Warning | str, *_: object) -> None:
        text = as_flags(str(message))
        if text not in told:
            told.add(text)
            printing.note(f"note: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PieceworkWarning)
        warnings.showwarning = note  # type: ignore[assignment] # the rest of what it is called with is Python's
        try:
            yield
        except FormatError as error:
            if error.path is None:
                raise click.UsageError(f"--pre-tokenizer: {error.reason}") from None
            raise in_flags(error) from None
        except PieceworkError as error:
            raise in_flags(error) from None
        except ValueError as error:
            raise click.UsageError(as_flags(str(error))) from None
