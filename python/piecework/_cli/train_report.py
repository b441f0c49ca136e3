"""The closing report of a training: what it is measured on, checked before the work, and the record beside the tokenizer."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piecework._cli.options import with_options
from piecework._cli.train_options import held_out_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._cli.options import Command
    from piecework._tokenizer import Tokenizer
    from piecework.train import ClosingReport
    from piecework.train.sources import OnInvalid

__all__ = ["RECORD", "Measuring", "record_file", "report_options"]

RECORD = "training.json"
"""The record of a training, beside the tokenizer in its folder."""


def report_options(command: Command) -> Command:
    """Adds --held-out and --rival; the command gets `measuring`."""

    @functools.wraps(command)
    def run(*, held_out: Mapping[str, str], rivals: tuple[str, ...], **rest: Any) -> Any:  # noqa: ANN401
        errors: OnInvalid = rest["errors"] or "strict"
        return command(measuring=Measuring(held_out, rivals, rest["field"] or "text", errors), **rest)

    rival = click.option(
        "--rival",
        "rivals",
        multiple=True,
        metavar="NAME|PATH",
        help="A tokenizer to be measured beside, with --held-out. Repeatable. [o200k_base and qwen3]",
    )
    held_out = held_out_option("Text to measure on afterwards, not trained on; a domain each. Repeatable.")
    return with_options((held_out, rival), run)


class Measuring(NamedTuple):
    """What a tokenizer is measured on once it is trained.

    Attributes:
        held_out: A file for each domain.
        rivals: The tokenizers that it is measured beside; none for the usual ones.
        field: The field or column of the text in files of records.
        errors: What becomes of bytes that are not UTF-8.
    """

    held_out: Mapping[str, str]
    rivals: tuple[str, ...]
    field: str
    errors: OnInvalid

    def check(self) -> None:
        """Raises before hours of training where a text or a rival is not there.

        Raises:
            EmptyCorpusError: A file has no text.
            InputError: A file cannot be read.
            NotUnicodeError: A file is not UTF-8.
            LoadError: A rival cannot be loaded.
            click.UsageError: A rival is named twice, or there is nothing to measure on.
        """
        if self.rivals and not self.held_out:
            raise click.UsageError("--rival is measured on --held-out FILE")
        twice = next((name for name in self.rivals if self.rivals.count(name) > 1), None)
        if twice is not None:
            raise click.UsageError(f"--rival {twice} is there twice")
        if not self.held_out:
            return
        from piecework._tokenizer import load  # noqa: PLC0415 - help loads nothing
        from piecework.train.closing.held_out import read_held_out  # noqa: PLC0415

        read_held_out(dict(self.held_out), field=self.field, errors=self.errors)
        for rival in self.rivals:
            load(rival)

    def report(self, tok: Tokenizer) -> ClosingReport:
        """The report of a tokenizer."""
        from piecework.train import report  # noqa: PLC0415 - as above

        chosen: dict[str, Any] = {"rivals": self.rivals} if self.rivals else {}
        return report(tok, held_out=dict(self.held_out), field=self.field, errors=self.errors, **chosen)


def record_file(folder: str, record: Mapping[str, object]) -> Path:
    """Writes the record of a training beside the tokenizer that was saved in a folder.

    Raises:
        OutputError: It cannot be written.
    """
    from piecework._files.whole_files import target_path, write_files  # noqa: PLC0415 - help writes nothing

    path = target_path(folder) / RECORD
    content = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    write_files({path: content.encode("utf-8", "backslashreplace")})
    return path
