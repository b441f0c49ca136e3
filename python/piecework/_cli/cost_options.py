"""The flags of `piecework cost`, in groups, and the objects that carry them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piecework._cli.numbers import decimal_number
from piecework._cli.options import Command, WholeNumber, once, with_options

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["CallFlags", "PriceFlags", "TalkFlags", "call_options", "price_options", "talk_options"]

_PRICES = (
    ("input", "Dollars for a million tokens of the prompt."),
    ("output", "Dollars for a million tokens of the answer."),
    ("cached", "Dollars for a million tokens read from the cache."),
    ("cache-write", "Dollars for a million tokens written into the cache."),
    ("reasoning", "Dollars for a million tokens of reasoning. [as output]"),
    ("request", "Dollars for a request."),
    ("image", "Dollars for an image."),
)
_MACHINE = (
    ("gpu_hour", "--gpu-hour", "Dollars for an hour of a GPU, in place of prices for tokens."),
    ("n_gpus", "--gpus", "How many GPUs. [1]"),
    ("tokens_per_s", "--gpu-tokens-per-s", "Tokens that all of them together write in a second."),
    ("input_tokens_per_s", "--gpu-input-per-s", "Tokens that they read in a second."),
)


class PriceFlags(NamedTuple):
    """Which prices hold.

    Attributes:
        prices: The user's own; None where a model's name says them.
        provider: Whose service is meant.
        batch: Whether at the price of batches.
        tier: The tier.
        at: The moment whose prices hold.
    """

    prices: dict[str, Any] | None
    provider: str | None
    batch: bool
    tier: str | None
    at: datetime | None


class CallFlags(NamedTuple):
    """What a call uses, as `piecework.cost` takes it; numbers that are not given are None."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None
    n_images: int | None
    n_requests: int | None
    units: dict[str, Decimal]
    ms_per_token: Decimal | None
    tokens_per_s: Decimal | None

    def given(self) -> list[str]:
        """The flags of one call that are given: a conversation takes none of them but the reasoning."""
        flags = {
            "--input-tokens": self.input_tokens,
            "--output-tokens": self.output_tokens,
            "--cached-tokens": self.cached_tokens,
            "--cache-write-tokens": self.cache_write_tokens,
            "--images": self.n_images,
            "--requests": self.n_requests,
            "--unit": self.units or None,
            "--ms-per-token": self.ms_per_token,
            "--tokens-per-s": self.tokens_per_s,
        }
        return [name for name, value in flags.items() if value is not None]


class TalkFlags(NamedTuple):
    """A conversation; what is not given is None."""

    turns: int | None
    system: str | None
    user: str | None
    answer: str | None
    cache: dict[str, int] | None
    trim: int | None
    summarize: tuple[int, ...] | None
    tool_loop: tuple[int, ...] | None
    log: str | None
    window: int | None

    def given(self) -> list[str]:
        """The flags that only a planned conversation takes."""
        flags = {
            "--system": self.system,
            "--user": self.user,
            "--answer": self.answer,
            "--cache": self.cache,
            "--trim": self.trim,
            "--summarize": self.summarize,
            "--tool-loop": self.tool_loop,
        }
        return [name for name, value in flags.items() if value is not None]


def price_options(command: Command) -> Command:
    """Adds the flags of prices; the command gets `pricing`."""

    @functools.wraps(command)
    def run(
        *,
        provider: str | None,
        batch: bool,
        tier: str | None,
        at: datetime | None,
        price_source: str | None,
        price_date: str | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        names = [name.replace("-", "_") for name, _ in _PRICES]
        prices = {name: rest.pop(f"price_{name}") for name in names}
        prices |= {
            name: rest.pop(name if name != "tokens_per_s" else "gpu_tokens_per_s") for name, *_ in _MACHINE
        }
        given: dict[str, Any] | None = {
            name: value for name, value in prices.items() if value is not None
        } or None
        if given is None and (price_source or price_date):
            raise click.UsageError(
                "--price-source and --price-date are about prices of your own: give them too"
            )
        if given is not None:
            said = {"source": price_source, "date": price_date}
            given |= {name: value for name, value in said.items() if value is not None}
        return command(pricing=PriceFlags(given, provider, batch, tier, at), **rest)

    number = decimal_number
    options: list[Callable[[Command], Command]] = [
        once("--provider", metavar="NAME", help="Whose service is meant."),
        click.option("--batch", is_flag=True, help="At the price of batches."),
        once("--tier", metavar="NAME", help="The service's tier, such as flex or priority."),
        click.option("--at", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]), metavar="DATE",
                     help="The day (or moment, in UTC) whose prices hold. [now]"),
        *(click.option(f"--price-{name}", type=number, metavar="USD", help=text) for name, text in _PRICES),
        *(
            click.option(flag, "gpu_tokens_per_s" if name == "tokens_per_s" else name, type=number, metavar="N", help=text)
            for name, flag, text in _MACHINE
        ),
        once("--price-source", metavar="TEXT", help="Where your prices are from."),
        once("--price-date", metavar="DATE", help="Of what day they are."),
    ]  # fmt: skip
    return with_options(options, run)


def call_options(command: Command) -> Command:
    """Adds the flags of one call; the command gets `call`."""

    @functools.wraps(command)
    def run(
        *,
        unit: tuple[str, ...],
        ms_per_token: Decimal | None,
        tokens_per_s: Decimal | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        numbers = {name: rest.pop(name) for name in CallFlags._fields[:7]}
        units = dict(map(_unit, unit))
        call = CallFlags(**numbers, units=units, ms_per_token=ms_per_token, tokens_per_s=tokens_per_s)
        return command(call=call, **rest)

    number = WholeNumber(min=0)
    options: list[Callable[[Command], Command]] = [
        click.option("--input-tokens", "--in", "input_tokens", type=number, metavar="N", help="Tokens of the prompt, all of them."),
        click.option("--output-tokens", "--out", "output_tokens", type=number, metavar="N",
                     help="Tokens written, reasoning among them."),
        click.option("--cached-tokens", type=number, metavar="N", help="Of the prompt's, read from a cache."),
        click.option("--cache-write-tokens", type=number, metavar="N", help="Of the prompt's, written into a cache."),
        click.option("--reasoning-tokens", type=number, metavar="N", help="Of those written, the ones nobody sees."),
        click.option("--unit", metavar="NAME=N", multiple=True,
                     help="What else is billed, such as web_searches=2. Repeatable."),
        click.option("--images", "n_images", type=number, metavar="N", help="Images, with --price-image."),
        click.option("--requests", "n_requests", type=WholeNumber(min=1), metavar="N", help="How many calls of this kind."),
        click.option("--ms-per-token", type=decimal_number, metavar="N", help="Milliseconds that a token of the answer takes."),
        click.option("--tokens-per-s", type=decimal_number, metavar="N", help="Or tokens of one answer in a second."),
    ]  # fmt: skip
    return with_options(options, run)


def talk_options(command: Command) -> Command:
    """Adds the flags of a conversation; the command gets `talk`."""

    @functools.wraps(command)
    def run(
        *,
        cache: bool,
        cache_min: int | None,
        cache_step: int | None,
        cache_life: int | None,
        gap: int | None,
        summarize: str | None,
        tool_loop: str | None,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        fields = {"min_tokens": cache_min, "step_tokens": cache_step, "lifetime_s": cache_life, "gap_s": gap}
        given = {name: n for name, n in fields.items() if n is not None}
        if given and not cache:
            raise click.UsageError(
                "--cache-min, --cache-step, --cache-life and --gap say how to cache: add --cache"
            )
        talk = TalkFlags(
            **{
                name: rest.pop(name)
                for name in ("turns", "system", "user", "answer", "trim", "log", "window")
            },
            cache=given if cache else None,
            summarize=None if summarize is None else _numbers(summarize, "--summarize", "TURNS:TOKENS", 2),
            tool_loop=None
            if tool_loop is None
            else _numbers(tool_loop, "--tool-loop", "CALLS:CALL:RESULT", 3),
        )
        return command(talk=talk, **rest)

    number, some = WholeNumber(min=0), WholeNumber(min=1)
    options: list[Callable[[Command], Command]] = [
        click.option("--turns", type=some, metavar="N", help="A conversation of N turns before it runs."),
        once("--system", metavar="AMOUNT", help="What stands before the first turn: tokens, a text, or @FILE."),
        once("--user", metavar="AMOUNT", help="Each question, likewise."),
        once("--answer", metavar="AMOUNT", help="Each answer, likewise."),
        click.option("--cache", is_flag=True, help="The start that a prompt shares with the last is read from a cache."),
        click.option("--cache-min", type=number, metavar="N", help="The shortest start that is cached. [1024]"),
        click.option("--cache-step", type=some, metavar="N", help="Only whole steps of N tokens are. [1]"),
        click.option("--cache-life", type=number, metavar="S", help="Seconds that it is kept from its last use. [300]"),
        click.option("--gap", type=number, metavar="S", help="Seconds between one turn and the next. [0]"),
        click.option("--trim", type=some, metavar="N", help="Drop the oldest turns so that a prompt has at most N tokens."),
        once("--summarize", metavar="K:S", help="After every K turns the history becomes a summary of S tokens."),
        once("--tool-loop", metavar="N:C:R", help="Each turn makes N calls of C tokens with results of R tokens."),
        click.option("--window", type=some, metavar="N", help="Say the first turn over N tokens. [the model's]"),
        once("--from", "log", metavar="LOG", help="Usage records as JSONL, one request a line; - for standard input."),
    ]  # fmt: skip
    return with_options(options, run)


def _unit(value: str) -> tuple[str, Decimal]:
    name, is_there, n = value.partition("=")
    if not (is_there and name.strip()):
        raise click.UsageError(f"--unit is written NAME=N, not {value!r}")
    return name.strip(), decimal_number(n)


def _numbers(value: str, flag: str, form: str, n: int) -> tuple[int, ...]:
    parts = value.split(":")
    if len(parts) != n or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise click.UsageError(f"{flag} is written {form} in whole numbers, not {value!r}")
    return tuple(map(int, parts))
