"""The options that trainers share. Each is called by the trainer what its argument is called in `piecework.train`."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import WholeNumber, once, with_options
from piecework._cli.termination import termination_as_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework._cli.options import Command

__all__ = [
    "NORMALIZERS",
    "TrainCommand",
    "bpe_options",
    "entry_options",
    "given_arguments",
    "held_out_option",
    "rare_words_option",
    "running_options",
    "source_options",
    "whole_numbers",
    "word_options",
]

# As `piecework.train` knows them; written here too, since help loads no trainer.
NORMALIZERS = ("nfc", "nfd", "nfkc", "nfkd", "lowercase", "strip-accents")
_NAMES = "gpt2, cl100k_base, o200k_base, qwen3, llama3, whitespace, a regular expression, or none"


# Where an option stands in the help; what is named nowhere comes last.
_SECTIONS = (
    ("Text", ("words", "mix", "field", "errors", "seed")),
    ("Words", ("pre_tokenizer", "normalizer")),
    (
        "Vocabulary",
        (
            *("vocab_size", "n_merges", "base", "unk", "special_tokens", "min_frequency", "initial_alphabet"),
            *("limit_alphabet", "max_token_length", "continuing_subword_prefix", "end_of_word_suffix"),
            *("end_of_word", "id_layout", "steps", "ties", "score", "cuts"),
        ),
    ),
    ("Measuring", ("held_out", "rivals", "sizes", "plot")),
    (
        "Running",
        ("plan", "n_threads", "max_memory", "min_word_count", "part", "checkpoint", "resume", "restart"),
    ),
)


class TrainCommand(ExampleCommand):
    """A trainer: its help says what -o takes here, and has its many options under headings."""

    def __init__(self, *args: Any, output: tuple[str, str], **kwargs: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.name == "output":
                parameter.metavar, parameter.help = output

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's
        """Runs it; SIGTERM ends it as Ctrl-C does."""
        with termination_as_interrupt():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options under their headings."""
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        rows = {option.name: option.get_help_record(ctx) for option in options}
        placed = [(title, [name for name in names if rows.get(name)]) for title, names in _SECTIONS]
        named = {name for _, names in placed for name in names}
        for title, names in [*placed, ("Options", [name for name in rows if name not in named])]:
            found = [row for name in names if (row := rows[name]) is not None]
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)


def source_options(command: Command) -> Command:
    """Adds where the text comes from: FILES, --words, --mix, --field, --seed, --errors."""
    options = (
        click.argument("files", nargs=-1, metavar="[FILES]...", type=click.Path(allow_dash=True)),
        click.option("--words", multiple=True, metavar="COUNTS", help="Words with their counts in place of FILES: .tsv, .tsv.gz, .tsv.zst, .parquet. Repeatable."),
        once("--mix", metavar="FILE", help="A TOML file of sources and their shares, in place of FILES."),
        once("--field", metavar="NAME", help="The field or column of the text. [text]"),
        click.option("--seed", type=WholeNumber(min=0), metavar="N", help="What --mix draws by, in place of its own seed."),
        click.option("--errors", type=click.Choice(["strict", "replace", "skip"]), help="Bytes that are not UTF-8: an error, U+FFFD, or left out with their text. [strict]"),
    )  # fmt: skip
    return with_options(options, command)


def word_options(default: str) -> Callable[[Command], Command]:
    """Adds what makes words of text: --pre-tokenizer, --normalizer."""

    def add(command: Command) -> Command:
        options = (
            once("--pre-tokenizer", metavar="NAME|REGEX", help=f"Where words end: {_NAMES}. [{default}]"),
            click.option(
                "--normalizer",
                multiple=True,
                type=click.Choice(NORMALIZERS),
                help="What becomes of text before that. Repeatable, in order.",
            ),
        )
        return with_options(options, command)

    return add


def running_options(command: Command) -> Command:
    """Adds what a training may take: --threads, --max-memory."""
    options = (
        click.option("--threads", "n_threads", type=WholeNumber(min=1), metavar="N", help="Threads; they change no byte. [all]"),
        once("--max-memory", metavar="SIZE", help="What training may take, such as 2GB; more words than that go to disk. [most of what is free]"),
    )  # fmt: skip
    return with_options(options, command)


def rare_words_option(command: Command) -> Command:
    """Adds --min-word-count."""
    return click.option(
        "--min-word-count",
        type=WholeNumber(min=1),
        metavar="N",
        help="Leave out words that are rarer, where all of them do not fit.",
    )(command)


def entry_options(rarer: str) -> Callable[[Command], Command]:
    """Adds --vocab-size, --unk, --special-token, --min-frequency."""

    def add(command: Command) -> Command:
        options = (
            click.option("--vocab-size", type=WholeNumber(min=0), metavar="N", help="Entries in all."),
            once("--unk", metavar="TOKEN", help="The token of what has no entry."),
            click.option("--special-token", "special_tokens", multiple=True, metavar="TOKEN", help="An entry that text never becomes. Repeatable, in order."),
            click.option("--min-frequency", type=WholeNumber(min=0), metavar="N", help=f"{rarer} that are rarer are left out."),
        )  # fmt: skip
        return with_options(options, command)

    return add


def bpe_options(command: Command) -> Command:
    """Adds what shapes a BPE model: --base, --prefix and so on."""
    number = WholeNumber(min=0)
    options = (
        click.option("--base", type=click.Choice(["bytes", "chars"]), help="What words are made of. [bytes]"),
        once("--initial-alphabet", metavar="CHARS", help="Characters that are entries in any case, with --base chars."),
        click.option("--limit-alphabet", type=number, metavar="N", help="The most frequent characters only, with --base chars."),
        click.option("--max-token-length", type=number, metavar="N", help="Merges stay shorter than this."),
        once("--prefix", "continuing_subword_prefix", metavar="TEXT", help="Before every symbol of a word but the first, such as '##'."),
        once("--end-of-word-suffix", metavar="TEXT", help="After a word's last symbol, such as '</w>'."),
        once("--end-of-word", metavar="CHAR", help="A symbol of its own behind each word, such as _."),
        click.option("--id-layout", type=click.Choice(["hf", "bytes"]), help="How ids are given out. [hf]"),
    )  # fmt: skip
    return with_options(options, command)


def held_out_option(help_text: str) -> Callable[[Command], Command]:
    """Adds --held-out; the command gets `held_out`, the files by their names."""
    return click.option(
        "--held-out", multiple=True, callback=_named_files, metavar="[NAME=]FILE", help=help_text
    )


def _named_files(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or os.path.exists(value):  # noqa: PTH110 - Path raises for a name that is too long
            name, path = PurePath(value).stem, value
        if not name or not path:
            raise click.BadParameter(f"it is written NAME=FILE, not {value!r}", ctx, param)
        if name in found:
            message = f"{name} is there twice: NAME=FILE gives each a name of its own"
            raise click.BadParameter(message, ctx, param)
        found[name] = path
    return found


def given_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The options that are given, as `piecework.train` takes them."""
    # 0 is a number that somebody gave; False is a flag that nobody gave.
    given = {name: value for name, value in options.items() if value not in (None, ()) and value is not False}
    if given.get("pre_tokenizer") == "none":
        given["pre_tokenizer"] = None
    return given


def whole_numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    """Reads `256,1000,8000`: the callback of an option.

    Raises:
        click.BadParameter: One is no whole number.
    """
    if value is None:
        return None
    try:
        return [int(part) for part in value.replace("_", "").split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} are no whole numbers with commas between", ctx, param) from None
