"""`piecework train curve`: one training, and what each smaller vocabulary of it would make of other texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.options import WholeNumber, printing_options
from piecework._cli.output import open_output
from piecework._cli.plot_option import plot_option, save_plot
from piecework._cli.train_options import (
    TrainCommand,
    given_arguments,
    held_out_option,
    rare_words_option,
    running_options,
    source_options,
    whole_numbers,
    word_options,
)
from piecework._cli.train_run import running, sources, told_in_flags
from piecework._explain.columns import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework._cli.options import Printing
    from piecework.train import Curve

__all__ = ["command"]

_EXAMPLES = (
    "piecework train curve prompt.txt --held-out log.txt --vocab-size 300",
    "piecework train curve prompt.txt --held-out logs=log.txt --vocab-size 300 --sizes 256,260,270 --json",
    "piecework train curve prompt.txt --held-out log.txt --vocab-size 300 --plot curve.svg",
)


@click.command(
    "curve", cls=TrainCommand, examples=_EXAMPLES, output=("FILE", "Write the table or the JSON to FILE; it appears when it is whole."),
)  # fmt: skip
@source_options
@click.option(
    "--vocab-size", type=WholeNumber(min=0), metavar="N", required=True, help="The largest vocabulary."
)
@held_out_option("Text to measure on, not trained on. Repeatable.")
@click.option("--sizes", callback=whole_numbers, metavar="N,N,...", help="The sizes. [the alphabet's, its doublings, the largest]")  # fmt: skip
@click.option("--base", type=click.Choice(["bytes", "chars"]), help="What words are made of. [bytes]")
@word_options("o200k_base")
@running_options
@rare_words_option
@printing_options
@plot_option()
def command(
    *,
    files: tuple[str, ...],
    words: tuple[str, ...],
    mix: str | None,
    held_out: Mapping[str, str],
    sizes: list[int] | None,
    printing: Printing,
    plot: str | None,
    **options: Any,  # noqa: ANN401
) -> None:
    """Train BPE on FILES once, and measure how every size of vocabulary would compress other texts.

    A smaller vocabulary is the first merges of a larger one, so that one training has them all.
    """
    if not held_out:
        raise click.UsageError("measured on what? --held-out FILE, a text that is not trained on")
    source = sources(files, words, mix, printing)
    given = given_arguments(options)
    reading = {name: given[name] for name in ("errors", "field", "n_threads") if name in given}
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    with told_in_flags(printing):
        with running(None, printing) as told:
            tok = train.bpe(**source, **given, **told)
        curves = {
            name: train.curve(tok, files=[path], sizes=sizes, **reading) for name, path in held_out.items()
        }
    _print(curves, tok.fingerprint, printing)
    rows = [
        {"series": name, "vocab_size": point.vocab_size, "bytes_per_token": point.bytes_per_token}
        for name, curve in curves.items()
        for point in curve.points
    ]
    save_plot(rows, plot, printing, kind="compression-curve")


def _print(curves: Mapping[str, Curve], fingerprint: str, printing: Printing) -> None:
    with open_output(printing.output) as output:
        if printing.json:
            named = [{"name": name, **curve.to_dict()} for name, curve in curves.items()]
            for curve in named:
                del curve["schema"]
            output.json("piecework.train-curve/1", {"fingerprint": fingerprint, "curves": named})
            return
        head = ["text", "entries", "tokens", "bytes/token", "characters/token"]
        rows = [
            [name, f"{point.vocab_size:,}", f"{point.n_tokens:,}", f"{point.bytes_per_token:.3f}", f"{point.chars_per_token:.3f}"]
            for name, curve in curves.items()
            for point in curve.points
        ]  # fmt: skip
        for line in columns([head, *rows], right=frozenset({1, 2, 3, 4})):
            output.line(line)
