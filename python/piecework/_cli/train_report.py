"""The closing report of a training: what it is measured on, checked before the work, and the record beside the tokenizer."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piecework._cli.inputs import read_file
from piecework._cli.options import with_options
from piecework._cli.train_options import held_out_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._cli.options import Command
    from piecework._tokenizer import Tokenizer
    from piecework._types import Errors
    from piecework.train import ClosingReport

__all__ = ["RECORD", "Measuring", "record_file", "report_options"]

RECORD = "training.json"
"""The record of a training, beside the tokenizer in its folder."""


def report_options(command: Command) -> Command:
    """Adds --held-out and --rival; the command gets `measuring`."""

    @functools.wraps(command)
    def run(*, held_out: Mapping[str, str], rivals: tuple[str, ...], errors: str | None, **rest: Any) -> Any:  # noqa: ANN401
        measuring = Measuring(held_out, rivals, "strict" if errors in (None, "strict") else "replace")
        return command(measuring=measuring, errors=errors, **rest)

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
        errors: What becomes of bytes that are not UTF-8.
    """

    held_out: Mapping[str, str]
    rivals: tuple[str, ...]
    errors: Errors

    def check(self) -> None:
        """Raises before hours of training where a file or a rival is not there.

        Raises:
            InputError: A file cannot be read.
            LoadError: A rival cannot be loaded.
            click.UsageError: There are rivals, and nothing to measure on.
        """
        if self.rivals and not self.held_out:
            raise click.UsageError("--rival is measured on --held-out FILE")
        for path in self.held_out.values():
            read_file(path)
        from piecework._tokenizer import load  # noqa: PLC0415 - help loads nothing

        for rival in self.rivals:
            load(rival)

    def report(self, tok: Tokenizer) -> ClosingReport | None:
        """The report of a tokenizer; None where there is nothing to measure on."""
        if not self.held_out:
            return None
        from piecework.train import report  # noqa: PLC0415 - as above

        chosen: dict[str, Any] = {"rivals": self.rivals} if self.rivals else {}
        return report(tok, held_out=dict(self.held_out), errors=self.errors, **chosen)


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
