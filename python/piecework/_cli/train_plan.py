"""`train bpe --plan`: what a training will take, before anything runs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from piecework._cli.exits import FINDING, FINE
from piecework._cli.output import open_output
from piecework._cli.train_flags import as_flags
from piecework._cli.train_options import given_arguments
from piecework._cli.train_run import sources, told_in_flags

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._cli.train_tokenizer import Wanted

__all__ = ["print_plan"]

# The options that change what a training takes.
_COUNTING = frozenset(
    {
        *(
            "base",
            "field",
            "max_memory",
            "min_word_count",
            "n_merges",
            "n_threads",
            "normalizer",
            "pre_tokenizer",
        ),
        *("seed", "vocab_size"),
    }
)
# A size as a flag takes it without quotes.
_SIZE = re.compile(r"(--max-memory [\d.]+?)(?:\.0+)? (?=[kMGT]?B\b)")
_PARTS = ("words(part=...)", "train words --part 1/N")


def print_plan(wanted: Wanted, printing: Printing) -> int:
    """Prints the plan of a training.

    Returns:
        The exit code: a finding where memory or disk do not suffice.

    Raises:
        PieceworkError: The corpus cannot be read.
        click.UsageError: The text comes from elsewhere than files.
    """
    source = sources(wanted.files, wanted.words, wanted.mix, printing)
    if "files" not in source and "mix" not in source:
        raise click.UsageError("--plan looks into FILES, or into those of --mix")
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    given = {name: value for name, value in given_arguments(wanted.options).items() if name in _COUNTING}
    with told_in_flags(printing):
        found = train.plan(**source, **given)
    plan = replace(found, advice=tuple(_in_flags(said) for said in found.advice))
    with open_output(None) as output:
        if printing.json:
            record = plan.to_dict()
            output.json(str(record.pop("schema")), record)
        else:
            output.line(str(plan))
    return FINE if plan.fits else FINDING


def _in_flags(said: str) -> str:
    """A sentence of advice, as it is done on the command line."""
    return _SIZE.sub(r"\1", as_flags(said.replace(*_PARTS)))
