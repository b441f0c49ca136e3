"""What a conversation costs: planned before it runs, or replayed from the records of one that ran; and what each saving saves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING

from piecework._cost.amounts import add_up, less, whole
from piecework._cost.call import counters, weakest
from piecework._cost.conversation_result import ConversationCost, Saving, Turn
from piecework._cost.turns import requests_of
from piecework._cost.usage import Usage, read_usage
from piecework.errors import CostError

if TYPE_CHECKING:
    from piecework._cost.plan import Plan
    from piecework._cost.prices import PriceSource
    from piecework._cost.turns import Request
    from piecework._counts import Count

__all__ = ["cost_of_plan", "cost_of_usages"]

_SAVINGS = {
    "caching": "caching the start of prompts",
    "trim_tokens": "trimming",
    "summarizing": "summarizing",
}
_LONG_LIFE_S = 3_600


def cost_of_plan(
    plan: Plan,
    prices: PriceSource,
    *,
    model: str | None = None,
    window: int | None = None,
    counts: Sequence[Count] = (),
) -> ConversationCost:
    """Works out what a conversation will cost, turn by turn.

    Args:
        plan: The conversation.
        prices: What its requests cost.
        model: The name to show.
        window: Tokens of prompt and answer together; turns that go over it are said.
        counts: Where lengths of the plan come from, if they were counted: how far they can be trusted.

    Returns:
        The cost, with what each saving of the plan saves: the cost without it less the cost with it, all else alike.

    Raises:
        CostError: The plan or the window makes no sense.
        ContextOverflowError: System prompt and question alone are longer than a prompt may be.
        UnknownPriceError: A component has no price.
    """
    plan = plan.checked()
    window = _checked_window(window)
    played = _played(plan, prices)
    turns = _turns(played, prices)
    total = turns[-1].cumulative_usd
    used = [name for name in _SAVINGS if getattr(plan, name) is not None]
    savings = [
        Saving(_SAVINGS[name], cheaper, less(cheaper, total))
        for name in used
        for cheaper in (_total(plan.without(name), prices),)
    ]
    if len(used) > 1:
        bare = plan
        for name in used:
            bare = bare.without(name)
        without = _total(bare, prices)
        savings.append(Saving("all of them", without, less(without, total)))
    return ConversationCost(
        model=model,
        priced_as=prices.priced_as,
        turns=tuple(turns),
        savings=tuple(savings),
        source=prices.source,
        held_on=prices.held_on,
        basis=weakest(counts),
        counted_by=counters(counts),
        window=window,
        notes=(
            *_price_notes(prices, [usage for _, usage in played]),
            *_caching_notes(plan, prices, turns),
            *_growth(plan),
            *_over_window(turns, window),
        ),
    )


def cost_of_usages(
    usages: Sequence[Usage], prices: PriceSource, *, model: str | None = None, window: int | None = None
) -> ConversationCost:
    """Works out what requests that ran cost: each is a turn.

    Raises:
        CostError: There are none.
        UnknownPriceError: A component has no price.
    """
    if not usages:
        raise CostError("there is no request to price")
    window = _checked_window(window)
    turns: list[Turn] = []
    running = Decimal(0)
    for at, usage in enumerate(usages, 1):
        amount = prices.amount(usage)
        running = add_up((running, amount))
        fresh = usage.input_tokens - usage.cached_tokens
        parts = (("cached input", usage.cached_tokens), ("input", fresh), ("output", usage.output_tokens))
        turns.append(Turn(at, 1, usage, amount, running, tuple(part for part in parts if part[1])))
    return ConversationCost(
        model=model,
        priced_as=prices.priced_as,
        turns=tuple(turns),
        savings=_cache_saved(usages, prices, running),
        source=prices.source,
        held_on=prices.held_on,
        window=window,
        is_replay=True,
        notes=(*_price_notes(prices, usages), *_over_window(turns, window)),
    )


def _played(plan: Plan, prices: PriceSource) -> list[tuple[Request, Usage]]:
    """The requests of a conversation, each with what is billed of it."""
    is_long = plan.caching is not None and plan.caching.lifetime_s >= _LONG_LIFE_S
    is_long = is_long and prices.bills_long_cache_writes
    played = requests_of(plan, bills_writes=prices.bills_cache_writes)
    return [(one, _usage(one, is_long=is_long)) for one in played]


def _turns(played: Sequence[tuple[Request, Usage]], prices: PriceSource) -> list[Turn]:
    found: list[Turn] = []
    running = Decimal(0)
    for number, group in groupby(played, key=lambda pair: pair[0].turn):
        pairs = list(group)
        requests = [request for request, _ in pairs]
        usages = [usage for _, usage in pairs]
        amount = add_up(prices.amount(usage) for usage in usages)
        running = add_up((running, amount))
        answer = next(one for one in requests if one.purpose == "answer")
        parts = (*answer.parts, *([("answer", answer.n_output)] if answer.n_output else []))
        found.append(
            Turn(
                number, len(requests), _sum(usages), amount, running, parts, _events(requests), answer.n_input
            )
        )
    return found


def _total(plan: Plan, prices: PriceSource) -> Decimal:
    return _turns(_played(plan, prices), prices)[-1].cumulative_usd


def _usage(request: Request, *, is_long: bool) -> Usage:
    numbers = {
        "input_tokens": request.n_input,
        "output_tokens": request.n_output,
        "cached_tokens": request.n_cached,
        "cache_write_tokens": request.n_written,
        "reasoning_tokens": request.n_reasoning,
    }
    long_lived = {"cache_write_1h_tokens": request.n_written} if is_long and request.n_written else None
    return read_usage(numbers, long_lived)


def _sum(usages: Iterable[Usage]) -> Usage:
    total: dict[str, int] = {}
    for usage in usages:
        for name in (
            "input_tokens",
            "output_tokens",
            "cached_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
        ):
            total[name] = total.get(name, 0) + getattr(usage, name)
    return read_usage(total)


def _events(requests: Sequence[Request]) -> str:
    """What a turn's row says at its end: calls of tools, dropped turns, a summary."""
    said: list[str] = []
    n_calls = sum(one.purpose == "tool call" for one in requests)
    n_dropped = max(one.n_dropped for one in requests)
    if n_calls:
        said.append(f"{n_calls} tool call{'s' if n_calls > 1 else ''}")
    if n_dropped:
        said.append(f"{n_dropped} turn{'s' if n_dropped > 1 else ''} left out")
    if any(one.purpose == "summary" for one in requests):
        said.append("then summarized")
    return ", ".join(said)


def _growth(plan: Plan) -> list[str]:
    """That each turn sends all before it; nothing where what is sent has a limit."""
    if plan.trim_tokens is not None or plan.summarizing is not None or plan.n_history == 0:
        return []
    here, twice = plan.n_turns, 2 * plan.n_turns
    many, more = plan.input_tokens(here), plan.input_tokens(twice)
    return [f"input grows with the square of the turns: {many:,} tokens in {here:,}, {more:,} in {twice:,}"]


def _price_notes(prices: PriceSource, usages: Iterable[Usage]) -> list[str]:
    """What is said of prices: asked once for each set of components, of the longest prompt that has it."""
    longest: dict[tuple[object, ...], Usage] = {}
    for usage in usages:
        parts = (usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens)
        key = (*map(bool, parts), *usage.units)
        if key not in longest or usage.input_tokens > longest[key].input_tokens:
            longest[key] = usage
    return list(dict.fromkeys(note for usage in longest.values() for note in prices.notes(usage)))


def _caching_notes(plan: Plan, prices: PriceSource, turns: Sequence[Turn]) -> list[str]:
    caching = plan.caching
    said: list[str] = []
    if caching is None:
        return said
    if not any(turn.usage.cached_tokens for turn in turns):
        reason = (
            f"{caching.gap_s:,} s pass between turns and the cache keeps {caching.lifetime_s:,} s"
            if caching.gap_s > caching.lifetime_s
            else f"no two prompts share a start of {caching.min_tokens:,} tokens"
        )
        said.append(f"nothing is read from the cache: {reason}")
    how = "billed" if prices.bills_cache_writes else "free"
    said.append(
        f"cache: starts from {caching.min_tokens:,} tokens on, kept {caching.lifetime_s:,} s from each use, writing is {how}"
    )
    return said


def _checked_window(window: int | None) -> int | None:
    return None if window is None else whole(window, "window", least=1)


def _over_window(turns: Sequence[Turn], window: int | None) -> list[str]:
    if window is None:
        return []
    first = next((turn for turn in turns if turn.n_window > window), None)
    if first is None:
        return []
    return [f"turn {first.number} goes over the window: {first.n_window:,} of {window:,} tokens"]


def _cache_saved(usages: Sequence[Usage], prices: PriceSource, total: Decimal) -> tuple[Saving, ...]:
    """What the cache saved of requests that ran: the same tokens without it, less what they cost."""
    if not any(usage.cached_tokens for usage in usages):
        return ()
    plain = [
        read_usage(
            {
                "input_tokens": one.input_tokens,
                "output_tokens": one.output_tokens,
                "reasoning_tokens": one.reasoning_tokens,
            }
        )
        for one in usages
    ]
    without = add_up(prices.amount(usage) for usage in plain)
    return (Saving(_SAVINGS["caching"], without, less(without, total)),)
