"""A trained tokenizer on its way out: the place is looked at before hours of work, and what came of them is printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.output import open_output
from piecework._cli.train_steps import step_lines
from piecework.errors import FormatError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework._cli.options import Printing
    from piecework._tokenizer import Tokenizer

__all__ = ["check_place", "print_trained"]


def check_place(path: str, probe: Callable[[], Tokenizer]) -> None:
    """Raises where a tokenizer of this kind cannot be saved at a path.

    Args:
        path: What -o names.
        probe: Trains a tokenizer of the same options on next to nothing.

    Raises:
        click.UsageError: The path's name says no format.
        OutputError: Its folder is not there or may not be written, a file is in the way, or the format cannot say what such
            a tokenizer does.
    """
    from piecework._files.save import format_of  # noqa: PLC0415 - help saves nothing
    from piecework._files.whole_files import target_path  # noqa: PLC0415

    target = target_path(path)
    try:
        chosen = format_of(target)
    except ValueError as error:
        raise click.UsageError(f"-o: {str(error).partition(';')[0]}") from None
    _check_writable(target)
    native = probe()._native  # noqa: SLF001 - nothing is written yet
    try:
        if chosen == "folder":
            from piecework._files.model_folder import folder_files  # noqa: PLC0415

            folder_files(native, None, target)
        elif chosen == "tiktoken":
            native.to_tiktoken()
        elif chosen == "vocab-merges":
            native.to_vocab_merges()
    except FileExistsError as error:
        raise OutputError(f"{path} cannot be written: {error}", path=path, reason=str(error)) from None
    except FormatError as error:
        reason = f"{chosen} cannot say what such a tokenizer does: {error.message}"
        hint = "-o NAME.json or -o FOLDER holds any tokenizer"
        raise OutputError(
            f"{path} cannot be written: {reason}", path=path, reason=reason, hint=hint
        ) from None


def _check_writable(target: Path) -> None:
    place = target.absolute()
    folder = place if place.is_dir() else next(parent for parent in place.parents if parent.exists())
    # What is missing may be the file, and the folder that is made for it.
    missing = place.relative_to(folder).parts
    reason = None
    if len(missing) > 2:
        reason = f"there is no folder {place.parent.parent}"
    elif not os.access(folder, os.W_OK):
        reason = f"{folder} may not be written to"
    if reason is not None:
        raise OutputError(f"{target} cannot be written: {reason}", path=str(target), reason=reason)


def print_trained(tok: Tokenizer, path: str | None, printing: Printing) -> None:
    """Saves a tokenizer where a path is given, and prints what came of its training."""
    saved = () if path is None else tok.save(path).paths
    training = tok.training
    if training is None:  # a trainer's tokenizer always has one
        return
    paths = [str(path) for path in saved]
    with open_output(None) as output:
        if printing.json:
            output.json(
                "piecework.train/1",
                {**_record(training.to_dict()), "fingerprint": tok.fingerprint, "paths": paths},
            )
            return
        if training.steps:
            for line in step_lines(training):
                output.line(line)
        output.line(str(training))
        if paths:
            output.line(f"saved to {', '.join(paths)}; fingerprint {tok.fingerprint[:12]}")
    if not training.report.is_full:
        left = "pair is left to merge" if training.trainer == "bpe" else "word is left"
        printing.note(f"note: the corpus gives {training.report.vocab_size:,} entries and no more: no {left}")


def _record(found: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of a training: the steps only where there are some."""
    return {name: value for name, value in found.items() if name != "schema" and (name != "steps" or value)}
