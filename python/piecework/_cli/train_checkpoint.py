"""A training that can be interrupted: where its counted words are kept, and what a person is told of them."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piecework._cli.messages import print_note
from piecework._cli.options import once, with_options
from piecework.errors import InputError, MemoryCapError, OutputError, PieceworkError, VocabSizeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._cli.options import Command

__all__ = ["Keeping", "checkpoint_options", "keeping_counts"]

# With more room, another size, or the file back in its place, the counts are still those that are wanted.
_PASSING = (KeyboardInterrupt, MemoryCapError, VocabSizeError, OutputError, InputError)


class Keeping(NamedTuple):
    """What is asked for of checkpoints.

    Attributes:
        checkpoint: The folder; None for one beside the output.
        resume: Whether to go on from what is kept.
        restart: Whether to delete it first.
    """

    checkpoint: str | None
    resume: bool
    restart: bool

    def folder(self, output: str, source: dict[str, Any]) -> str | None:
        """Where counted words are kept, emptied where a new start is asked for.

        Args:
            output: What -o names.
            source: Where the text comes from, as the trainers take it.

        Returns:
            The folder; None where the text can be read only once, or is counted already.

        Raises:
            click.UsageError: It is asked for, and cannot be.
        """
        if self.resume and self.restart:
            raise click.UsageError("--resume goes on, --restart begins anew: give one of them")
        if "files" not in source and "mix" not in source:
            if self.checkpoint is not None or self.resume or self.restart:
                raise click.UsageError(
                    "what is counted already, or comes from standard input, has no checkpoint"
                )
            return None
        if self.checkpoint == "":
            raise click.UsageError("--checkpoint is empty: it names a folder")
        folder = self.checkpoint or f"{output.rstrip('/') or output}.training"
        if self.restart:
            _remove(folder)
        elif not self.resume and _has_counts(folder):
            raise click.UsageError(
                f"{folder} keeps the counted words of a training that did not end: --resume goes on from there, --restart "
                "deletes them and begins anew"
            )
        return folder

    def arguments(self, folder: str | None) -> dict[str, Any]:
        """What a trainer is told."""
        return {} if folder is None else {"checkpoint": folder, "resume": self.resume}


def checkpoint_options(command: Command) -> Command:
    """Adds --checkpoint, --resume, --restart; the command gets `keeping`."""

    @functools.wraps(command)
    def run(*, checkpoint: str | None, resume: bool, restart: bool, **rest: Any) -> Any:  # noqa: ANN401
        return command(keeping=Keeping(checkpoint, resume, restart), **rest)

    options = (
        once("--checkpoint", metavar="FOLDER", help="Where counted words are kept until the end. [the output's name with .training]"),
        click.option("--resume", is_flag=True, help="Go on from the checkpoint of an interrupted training."),
        click.option("--restart", is_flag=True, help="Delete such a checkpoint, and begin anew."),
    )  # fmt: skip
    return with_options(options, run)


@contextmanager
def keeping_counts(folder: str | None) -> Iterator[None]:
    """Says after Ctrl-C, and after errors that a second try can do without, where the counted words are kept.

    Other errors are those of what was asked for or given: with that mended, the counts are those of another training. They
    are removed, unless they are of an earlier run.
    """
    is_older = folder is not None and _has_counts(folder)
    try:
        yield
    except (KeyboardInterrupt, PieceworkError) as error:
        if folder is None or not _has_counts(folder):
            raise
        if isinstance(error, _PASSING):
            why = "interrupted; " if isinstance(error, KeyboardInterrupt) else ""
            print_note(
                f"{why}counted words are kept in {folder}: --resume goes on from there, --restart begins anew"
            )
        elif not is_older:
            _remove(folder)
        raise


def _has_counts(folder: str) -> bool:
    from piecework.train.checkpoint import has_counts  # noqa: PLC0415 - help needs no trainer

    return has_counts(Path(folder))


def _remove(folder: str) -> None:
    from piecework.train.checkpoint import discard  # noqa: PLC0415 - help needs no trainer

    discard(Path(folder))
