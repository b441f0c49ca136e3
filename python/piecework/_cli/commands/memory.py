"""`piecework memory`: what a model's tables and its KV cache take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from piecework._cli.help_text import ExampleCommand
from piecework._cli.options import WholeNumber, once, printing_options
from piecework._cli.output import open_output
from piecework.errors import FormatError
from piecework.memory import embedding, kv_cache
from piecework.memory.config import read_config
from piecework.memory.engines import ENGINES

if TYPE_CHECKING:
    from piecework._cli.options import Printing
    from piecework.memory import EmbeddingMemory, EngineName, KvCache

__all__ = ["command"]

_EXAMPLES = (
    "piecework memory config.json --tokens 20000 --dtype fp16",
    "piecework memory config.json --tokens 8192 --batch 16 --engine vllm",
    "piecework memory config.json --tokens 8192 --dtype q8_0 --engine llama.cpp --json",
)


@click.command("memory", cls=ExampleCommand, examples=_EXAMPLES)
@click.argument("config", metavar="CONFIG|DIR", type=click.Path())
@click.option(
    "--tokens",
    type=WholeNumber(min=0),
    required=True,
    metavar="N",
    help="Tokens of each sequence, prompt and answer together.",
)
@click.option(
    "--batch",
    type=WholeNumber(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Sequences that are held at once.",
)
@once(
    "--dtype", metavar="NAME", help="Of keys and values: fp16, bf16, fp8, int8, int4, q8_0 ... [the config's]"
)
@once("--state-dtype", metavar="NAME", help="Of recurrent states. [the config's, else --dtype]")
@click.option("--engine", type=click.Choice(list(ENGINES)), help="Also what this engine reserves.")
@click.option("--page-tokens", type=WholeNumber(min=1), metavar="N", help="Tokens of a page. [the engine's]")
@printing_options
def command(
    *,
    config: str,
    tokens: int,
    batch: int,
    dtype: str | None,
    state_dtype: str | None,
    engine: EngineName | None,
    page_tokens: int | None,
    printing: Printing,
) -> None:
    """Say what a model's KV cache and its tables of vectors take, from its config.json.

    What the architecture needs and what an engine reserves are two numbers. GB are decimal.
    """
    try:
        cache = kv_cache(
            config,
            n_tokens=tokens,
            batch=batch,
            dtype=dtype,
            state_dtype=state_dtype,
            engine=engine,
            page_tokens=page_tokens,
        )
    except FormatError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    table = _table(config, cache)
    with open_output(printing.output) as output:
        if printing.json:
            shown: dict[str, Any] = cache.to_dict()
            shown["embedding"] = None if table is None else table.to_dict()
            output.json("piecework.memory/1", {"config": config, **shown})
            return
        output.line(str(cache))
        if table is not None:
            output.line("")
            output.line(str(table))


def _table(path: str, cache: KvCache) -> EmbeddingMemory | None:
    """The embedding table in the number format of the weights; None where the config does not say how large it is.

    Where the config names no format that is known, the one of the cache is taken.
    """
    config = read_config(path)
    vocab_size, d_model = config.maybe("vocab_size"), config.maybe("hidden_size", "n_embd", "d_model")
    if vocab_size is None or d_model is None or not config.has("tie_word_embeddings"):
        return None
    tied = config.raw("tie_word_embeddings") is True
    try:
        return embedding(
            vocab_size, d_model=d_model, dtype=config.raw("dtype") or config.raw("torch_dtype"), tied=tied
        )
    except (TypeError, ValueError):
        return embedding(vocab_size, d_model=d_model, dtype=cache.dtype, tied=tied)
