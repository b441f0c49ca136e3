"""`piecework train`: a tokenizer of files of text."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import WholeNumber, once, printing_options
from piecework._cli.output import Output
from piecework.errors import FormatError, PieceworkWarning

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework._tokenizer import Tokenizer

__all__ = ["command"]

_EXAMPLES = (
    "piecework train bpe prompt.txt log.txt --vocab-size 32000 -o my-tokenizer",
    "piecework train bpe prompt.txt --vocab-size 8000 --base chars --pre-tokenizer whitespace --unk '<unk>' -o t.json",
    "piecework train wordlevel prompt.txt --vocab-size 5000 --unk '<unk>' -o words.json --json",
)
# The options that only one trainer has.
_BPE_ONLY = (
    "merges",
    "base",
    "id_layout",
    "max_token_length",
    "limit_alphabet",
    "end_of_word_suffix",
    "prefix",
)


@click.command("train", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("trainer", type=click.Choice(["bpe", "wordlevel"]))
@click.argument("files", nargs=-1, required=True, metavar="FILES...", type=click.Path())
@click.option("--vocab-size", type=WholeNumber(min=0), metavar="N", help="Entries in all.")
@click.option(
    "--merges", type=WholeNumber(min=0), metavar="N", help="Merges to learn, in place of --vocab-size."
)
@click.option("--base", type=click.Choice(["bytes", "chars"]), help="What words are made of. [bytes]")
@once(
    "--pre-tokenizer",
    metavar="NAME|REGEX",
    help="gpt2, cl100k_base, o200k_base, qwen3, llama3, whitespace, or a regular expression. [o200k_base; wordlevel: whitespace]",
)
@click.option(
    "--normalizer", multiple=True, metavar="NAME", help="nfc, nfd, nfkc, nfkd, lowercase, strip-accents."
)
@once("--unk", metavar="TOKEN", help="The token of what has no entry.")
@click.option(
    "--special-token", "specials", multiple=True, metavar="TOKEN", help="A special token, in this order."
)
@click.option(
    "--min-frequency",
    type=WholeNumber(min=0),
    metavar="N",
    help="Pairs or words that are rarer are left out.",
)
@click.option(
    "--limit-alphabet", type=WholeNumber(min=0), metavar="N", help="Characters at most, with --base chars."
)
@click.option(
    "--max-token-length", type=WholeNumber(min=0), metavar="N", help="Merges stay shorter than this."
)
@once("--prefix", metavar="TEXT", help="Before every symbol of a word but the first, such as '##'.")
@once("--end-of-word-suffix", metavar="TEXT", help="After a word's last symbol, such as '</w>'.")
@click.option("--id-layout", type=click.Choice(["hf", "bytes"]), help="How ids are given out. [hf]")
@click.option(
    "--errors", type=click.Choice(["strict", "replace"]), default="strict", help="Bytes that are not UTF-8."
)
@click.option("--threads", type=WholeNumber(min=1), metavar="N", help="Threads that count. [all]")
@printing_options
def command(*, trainer: str, files: tuple[str, ...], printing: Printing, **options: Any) -> None:  # noqa: ANN401
    """Train a tokenizer of FILES, texts in UTF-8 or such texts packed as .gz, and save it to -o.

    -o is a folder, which AutoTokenizer loads, or a file, by its suffix. The same files give the same bytes in any order
    and with any number of threads; BPE gives the merges and ids of tokenizers' BpeTrainer.
    """
    if printing.output is None:
        raise click.UsageError("where to? -o FOLDER, or -o NAME.json")
    tok = _train(trainer, files, options)
    saved = tok.save(printing.output)
    training = tok.training
    output = Output(sys.stdout.buffer, "standard output")
    paths = [str(path) for path in saved.paths]
    if printing.json:
        shown = (
            {}
            if training is None
            else {name: value for name, value in training.to_dict().items() if name != "steps"}
        )
        shown.pop("schema", None)
        output.json("piecework.train/1", {**shown, "fingerprint": tok.fingerprint, "paths": paths})
    else:
        output.line(str(training))
        output.line(f"saved to {', '.join(paths)}; fingerprint {tok.fingerprint[:12]}")
    output.flush()


def _train(trainer: str, files: tuple[str, ...], options: dict[str, Any]) -> Tokenizer:
    from piecework import train  # noqa: PLC0415 - help needs no trainer

    given = {name: value for name, value in options.items() if value not in (None, ())}
    names = {
        "merges": "n_merges",
        "specials": "special_tokens",
        "prefix": "continuing_subword_prefix",
        "threads": "n_threads",
    }
    if trainer == "wordlevel":
        wrong = [name for name in _BPE_ONLY if name in given]
        if wrong:
            raise click.UsageError(f"wordlevel takes no --{wrong[0].replace('_', '-')}")
    elif ("vocab_size" in given) == ("merges" in given):
        raise click.UsageError("give one of --vocab-size and --merges")
    arguments = {names.get(name, name): value for name, value in given.items()}
    run = train.bpe if trainer == "bpe" else train.wordlevel
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PieceworkWarning)
            return run(files=files, **arguments)
    except FormatError as error:
        raise click.UsageError(f"--pre-tokenizer: {error.reason}") from None
    except ValueError as error:
        if hasattr(error, "code"):
            raise
        raise click.UsageError(str(error)) from None
