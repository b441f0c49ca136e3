"""One call, from its numbers to its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from piecework._cost.amounts import EXACT, Amount, add_up, exact, whole
from piecework._cost.result import Cost
from piecework._cost.usage import Usage, read_usage
from piecework._counts import Count
from piecework.errors import CostError

if TYPE_CHECKING:
    from piecework._cost.line import CostLine
    from piecework._cost.prices import PriceSource
    from piecework._types import Basis

__all__ = ["Speed", "cost_of_call", "counters", "read_speed", "weakest"]

_INVISIBLE = "reasoning is billed as output, and nobody sees it"


class Speed(NamedTuple):
    """How fast an answer is written.

    Attributes:
        token_s: Seconds for each token.
    """

    token_s: Decimal


def read_speed(seconds_per_token: Amount | None, tokens_per_s: Amount | None) -> Speed | None:
    """Reads a speed given in either of two ways.

    Raises:
        CostError: It is 0 or negative.
        ValueError: Both are given.
    """
    if seconds_per_token is not None and tokens_per_s is not None:
        raise ValueError("seconds_per_token and tokens_per_s say the same: give one of them")
    if seconds_per_token is not None:
        return Speed(exact(seconds_per_token, "seconds_per_token"))
    if tokens_per_s is None:
        return None
    rate = exact(tokens_per_s, "tokens_per_s")
    if rate == 0:
        raise CostError(
            "tokens_per_s is 0, so that no answer ever comes", hint="give tokens written in a second"
        )
    return Speed(EXACT.divide(Decimal(1), rate))


def cost_of_call(
    prices: PriceSource,
    *,
    model: str | None = None,
    input_tokens: int | Count = 0,
    output_tokens: int | Count = 0,
    cached_tokens: int = 0,
    cache_write_tokens: int = 0,
    reasoning_tokens: int = 0,
    units: Mapping[str, Amount] | None = None,
    n_images: int = 0,
    n_requests: int = 1,
    speed: Speed | None = None,
) -> Cost:
    """Works out what a call costs.

    Args:
        prices: What its components cost.
        model: The name to show.
        input_tokens: All of the prompt; a `Count` carries how far it can be trusted, and so does then the cost.
        output_tokens: All that is written, reasoning among it.
        cached_tokens: Of the prompt's, read from a cache.
        cache_write_tokens: Of the prompt's, written into a cache.
        reasoning_tokens: Of the output's.
        units: What else is billed, by genai-prices' names.
        n_images: Images, where a price for each is given.
        n_requests: How many calls of this kind.
        speed: How fast the answer is written.

    Returns:
        The cost.

    Raises:
        CostError: The numbers contradict each other.
        UnknownPriceError: A component has no price.
    """
    parts = {
        "cached_tokens": cached_tokens,
        "cache_write_tokens": cache_write_tokens,
        "reasoning_tokens": reasoning_tokens,
        "n_images": n_images,
    }
    counts = [one for one in (input_tokens, output_tokens) if isinstance(one, Count)]
    usage = _usage(input_tokens, output_tokens, parts, units)
    notes = [
        *([_INVISIBLE] if usage.reasoning_tokens else []),
        *prices.notes(usage),
        *dict.fromkeys(note for one in counts for note in one.notes),
    ]
    return Cost(
        model=model,
        priced_as=prices.priced_as,
        usage=usage,
        n_requests=whole(n_requests, "n_requests", least=1),
        lines=_with_shares(prices.lines(usage), usage),
        source=prices.source,
        held_on=prices.held_on,
        basis=weakest(counts),
        band_usd=_band(prices, input_tokens, output_tokens, parts, units),
        counted_by=counters(counts),
        answer_s=None if speed is None else EXACT.multiply(speed.token_s, usage.output_tokens),
        token_s=None if speed is None else speed.token_s,
        notes=tuple(notes),
    )


def _usage(
    n_input: int | Count, n_output: int | Count, parts: Mapping[str, int], units: Mapping[str, Amount] | None
) -> Usage:
    numbers = {"input_tokens": _n(n_input), "output_tokens": _n(n_output), **parts}
    return read_usage(numbers, units)


def _n(value: int | Count) -> int:
    return value.n if isinstance(value, Count) else value


def counters(counts: Sequence[Count]) -> str | None:
    """What counted; None where nothing did."""
    return " and ".join(dict.fromkeys(one.tokenizer for one in counts)) or None


def weakest(counts: Sequence[Count]) -> Basis:
    """How far numbers can be trusted that follow from counts: as far as the least of them."""
    order = ("exact", "calibrated", "estimate", "lower-bound")
    return max((one.basis for one in counts), key=order.index, default="exact")


def _band(
    prices: PriceSource,
    n_input: int | Count,
    n_output: int | Count,
    parts: Mapping[str, int],
    units: Mapping[str, Amount] | None,
) -> tuple[Decimal, Decimal] | None:
    """The cost at both ends of what the counts can be; None where they are exact, or nobody knows."""
    counts = [one for one in (n_input, n_output) if isinstance(one, Count)]
    if not counts or any(one.band is None for one in counts) or all(one.basis == "exact" for one in counts):
        return None
    ends: list[Decimal] = []
    for at in (0, 1):
        n_in, n_out = (
            one.band[at] if isinstance(one, Count) and one.band is not None else _n(one)
            for one in (n_input, n_output)
        )
        # A part can be no more than its whole, also at the lower end.
        held = {**parts, "cached_tokens": min(parts["cached_tokens"], n_in)}
        held["cache_write_tokens"] = min(parts["cache_write_tokens"], n_in - held["cached_tokens"])
        held["reasoning_tokens"] = min(parts["reasoning_tokens"], n_out)
        ends.append(prices.amount(_usage(n_in, n_out, held, units)))
    return ends[0], ends[1]


def _with_shares(lines: list[CostLine], usage: Usage) -> tuple[CostLine, ...]:
    total = add_up(line.amount_usd for line in lines)
    return tuple(
        replace(
            line,
            share_of_tokens=float(line.n) / usage.n_tokens if line.is_tokens and usage.n_tokens else None,
            share_of_cost=float(line.amount_usd) / float(total) if total else None,
        )
        for line in lines
    )
