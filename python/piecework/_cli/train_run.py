"""A training on the command line: where its text comes from, and how its warnings and errors are said."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.train_checkpoint import keeping_counts
from piecework._cli.train_flags import as_flags, in_flags
from piecework._cli.train_progress import PhaseBar
from piecework.errors import ArgumentError, FormatError, PieceworkError, PieceworkWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._cli.options import Printing

__all__ = ["running", "sources", "told_in_flags"]

# Files of counts, as `piecework.train` knows them.
_COUNTS = (".tsv", ".tsv.gz", ".tsv.zst", ".parquet")


def sources(
    files: tuple[str, ...], words: tuple[str, ...], mix: str | None, printing: Printing
) -> dict[str, Any]:
    """Where the text comes from, as the trainers take it; standard input is read a line at a time, as files are.

    Raises:
        click.UsageError: Nothing is named, or more than one kind of source.
    """
    given = {"files": files, "words": words, "mix": mix}
    chosen = {name: source for name, source in given.items() if source}
    if not chosen:
        raise click.UsageError(
            "train on what? FILES of text, - for standard input, --words COUNTS, or --mix FILE"
        )
    if len(chosen) > 1:
        raise click.UsageError("FILES, --words and --mix are three ways to name the text: give one of them")
    for path in words:
        if not path.lower().endswith(_COUNTS):
            raise click.UsageError(f"--words takes {', '.join(_COUNTS)}, not {path}")
    if "-" not in files:
        return chosen
    if len(files) > 1:
        raise click.UsageError("- is standard input, which goes alone")
    if sys.stdin is None:
        raise click.UsageError("standard input is closed")
    if sys.stdin.isatty():
        printing.note("reading text from standard input; Ctrl-D ends it")
    return {"texts": sys.stdin.buffer}


@contextmanager
def running(folder: str | None, printing: Printing) -> Iterator[dict[str, Any]]:
    """Runs trainers: their progress is shown, and what they keep is named where they end early.

    Args:
        folder: The checkpoint's.
        printing: Where notes go.

    Yields:
        What a trainer is told beside its options.
    """
    with keeping_counts(folder), PhaseBar(quiet=printing.quiet) as bar:
        yield {"progress": bar}


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
            if error.path is None and (error.place or "").startswith("pre_tokenizer"):
                raise click.UsageError(f"--pre-tokenizer: {error.reason}") from None
            raise in_flags(error) from None
        except PieceworkError as error:
            raise in_flags(error) from None
        except ArgumentError as error:
            raise click.UsageError(as_flags(str(error))) from None
