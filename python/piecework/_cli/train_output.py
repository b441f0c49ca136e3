"""A trained tokenizer on its way out: the place is looked at before hours of work, and what came of them is printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from piecework._cli.name_progress import NameProgress
from piecework._cli.output import open_output
from piecework._cli.train_report import RECORD, record_file
from piecework._cli.train_steps import step_lines
from piecework.errors import FormatError, OutputError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from piecework._cli.options import Printing
    from piecework._cli.train_report import Measuring
    from piecework._files.save import SaveFormat
    from piecework._tokenizer import Tokenizer
    from piecework.train import ClosingReport

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

    if path == "-":
        raise click.UsageError("-o: a tokenizer is saved under a name; -o NAME.json, or -o FOLDER")
    target = target_path(path)
    try:
        chosen = format_of(target)
    except ValueError:
        message = f"-o: the name {target.name} does not say a format; -o NAME.json, or -o FOLDER"
        raise click.UsageError(message) from None
    _check_writable(target, chosen)
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


def _check_writable(target: Path, chosen: SaveFormat) -> None:
    place = target.absolute()
    # What is missing may be the file, and the folder that is made for it.
    folder = next(one for one in (place, *place.parents) if one.exists())
    missing = place.relative_to(folder).parts
    reason = None
    if not missing and not folder.is_dir():
        folder = folder.parent
        if chosen == "folder" or not place.is_file():
            reason = "what is there is no folder" if chosen == "folder" else "what is there is no file"
    elif not folder.is_dir():
        reason = f"{folder} is no folder"
    elif len(missing) > 2:
        reason = f"there is no folder {place.parent.parent}"
    if reason is None and not os.access(folder, os.W_OK):
        reason = f"{folder} may not be written to"
    if reason is not None:
        raise OutputError(f"{target} cannot be written: {reason}", path=str(target), reason=reason)


def print_trained(
    tok: Tokenizer, path: str | None, measuring: Measuring, printing: Printing, *, cuts: Sequence[str] = ()
) -> None:
    """Saves a tokenizer where a path is given, measures it, and prints what came of its training.

    Raises:
        PieceworkError: It cannot be saved, or not be measured; what is saved by then stays.
    """
    paths = [] if path is None else _saved(tok, path, printing)
    report = _measured(tok, measuring, paths, printing)
    if report is not None and path is not None and _has_record(paths):
        record_file(path, _record(tok, report))
    with open_output(None) as output:
        if printing.json:
            record = {name: value for name, value in _record(tok, report).items() if name != "schema"}
            output.json("piecework.train/1", {**record, **_steps(tok, cuts), "paths": paths})
        else:
            for line in _lines(tok, report, paths, cuts):
                output.line(line)


def _saved(tok: Tokenizer, path: str, printing: Printing) -> list[str]:
    """Saves a tokenizer, with the record of its training where it is a folder; returns the paths."""
    saved = tok.save(path)
    for missing in saved.left_out:
        printing.note(f"note: not in what is saved: {missing}")
    paths = [str(one) for one in saved.paths]
    if saved.format == "folder":
        paths.append(str(record_file(path, _record(tok, None))))
    return paths


def _has_record(paths: Sequence[str]) -> bool:
    return bool(paths) and Path(paths[-1]).name == RECORD


def _measured(
    tok: Tokenizer, measuring: Measuring, paths: Sequence[str], printing: Printing
) -> ClosingReport | None:
    if not measuring.held_out:
        return None
    try:
        with NameProgress("measuring", quiet=printing.quiet) as progress:
            progress.show("on held-out text")
            return measuring.report(tok)
    except (PieceworkError, KeyboardInterrupt):
        if paths:
            printing.note(f"the tokenizer is saved to {', '.join(paths)}, and not measured")
        raise


def _record(tok: Tokenizer, report: ClosingReport | None) -> dict[str, object]:
    """All that is known of a training but its steps."""
    training = tok.training
    found = {} if training is None else training.to_dict()
    record = {name: value for name, value in found.items() if name != "steps"}
    measured = {} if report is None else {"closing_report": report.to_dict()}
    return {**record, "fingerprint": tok.fingerprint, **measured}


def _steps(tok: Tokenizer, cuts: Sequence[str]) -> dict[str, object]:
    training = tok.training
    if training is None or not training.steps:
        return {}
    cut = {"cuts": {word: training.pieces(word) for word in cuts}} if cuts else {}
    return {"base_order": list(training.base_order), "steps": training.to_dict()["steps"], **cut}


def _lines(
    tok: Tokenizer, report: ClosingReport | None, paths: Sequence[str], cuts: Sequence[str]
) -> Iterator[str]:
    training = tok.training
    if training is not None and training.steps:
        yield from step_lines(training, cuts)
    # A closing report begins with the training's own line.
    yield str(training if report is None else report)
    if paths:
        yield f"saved to {', '.join(paths)}; fingerprint {tok.fingerprint[:12]}"
