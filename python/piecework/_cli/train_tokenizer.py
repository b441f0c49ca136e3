"""What `train bpe` and `train wordlevel` do alike: look at everything first, train, save, measure, print."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from piecework._cli.train_options import given_arguments
from piecework._cli.train_output import check_place, print_trained
from piecework._cli.train_run import running, sources, told_in_flags
from piecework.errors import PieceworkWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from piecework._cli.options import Printing
    from piecework._cli.train_checkpoint import Keeping
    from piecework._cli.train_report import Measuring
    from piecework._tokenizer import Tokenizer

__all__ = ["Wanted", "train_tokenizer"]

# What says nothing about the tokenizer's form; a probe is trained without.
_OF_A_RUN = frozenset(
    {"errors", "field", "max_memory", "min_frequency", "min_word_count", "n_merges", "n_threads", "seed"}
)


class Wanted(NamedTuple):
    """What a command line asks for.

    Attributes:
        trainer: Which trainer.
        files: Its files.
        words: Files of counted words.
        mix: A file of sources and shares.
        options: The other options, by the names of the trainer's arguments.
    """

    trainer: Literal["bpe", "wordlevel"]
    files: tuple[str, ...]
    words: tuple[str, ...]
    mix: str | None
    options: dict[str, Any]


def train_tokenizer(
    wanted: Wanted, keeping: Keeping, measuring: Measuring, printing: Printing, *, cuts: Sequence[str] = ()
) -> None:
    """Trains a tokenizer, saves it, measures it, and prints what came of it, and how it cuts words by hand.

    Raises:
        PieceworkError: The trainer's own errors, or those of saving and measuring.
        click.UsageError: What was asked for does not exist, or does not go together.
    """
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    source = sources(wanted.files, wanted.words, wanted.mix, printing)
    given = given_arguments(wanted.options)
    run = train.bpe if wanted.trainer == "bpe" else train.wordlevel

    def probe() -> Tokenizer:
        form = {name: value for name, value in given.items() if name not in _OF_A_RUN}
        size: dict[str, Any] = {} if "vocab_size" in form else {"n_merges": 0}
        # Nobody expects one word to fill a vocabulary; too small for the bytes and special tokens it may be already.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PieceworkWarning)
            tok: Tokenizer = run(texts=["a"], **size, **form)
        return tok

    folder = None
    with told_in_flags(printing):
        measuring.check()
        if printing.output is not None:
            check_place(printing.output, probe)
            # Steps are of small texts, and words in the order of a text cannot be written down on the way.
            folder = None if given.get("steps") else keeping.folder(printing.output, source)
        with running(folder, printing) as told:
            tok = run(**source, **given, **keeping.arguments(folder), **told)
        print_trained(tok, printing.output, measuring, printing, cuts=cuts)
