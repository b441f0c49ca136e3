"""The public functions about money: they find a model's prices, count what comes as text, and call the room of costs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from piecework._counts import Count
from piecework.errors import CostError

if TYPE_CHECKING:
    from piecework._cost import Caching, ConversationCost, Cost
    from piecework._cost.amounts import Amount
    from piecework._cost.prices import PriceMap
    from piecework._tokenizer import Tokenizer

__all__ = ["cost", "cost_conversation", "cost_log"]

Tokens: TypeAlias = "int | Count | str | Sequence[Mapping[str, Any]]"
"""A number of tokens, a count, or what is counted: a text or messages."""


def cost(
    content: str | bytes | Sequence[Mapping[str, Any]] | None = None,
    *,
    model: str | None = None,
    prices: PriceMap | None = None,
    provider: str | None = None,
    batch: bool = False,
    tier: str | None = None,
    at: date | datetime | None = None,
    input_tokens: int | Count | None = None,
    output_tokens: int | Count = 0,
    cached_tokens: int = 0,
    cache_write_tokens: int = 0,
    reasoning_tokens: int = 0,
    units: Mapping[str, Amount] | None = None,
    n_images: int = 0,
    n_requests: int = 1,
    seconds_per_token: Amount | None = None,
    tokens_per_s: Amount | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    tokenizer: str | os.PathLike[str] | Tokenizer | None = None,
    assume: str | os.PathLike[str] | Tokenizer | None = None,
) -> Cost:
    """Works out what a call costs, line by line, and how long its answer takes to write.

    Money is decimal and exact. A component without a price of its own is billed as the one that it is part of, and the
    result says so; what has no price at all is an error, never zero.

    Args:
        content: The prompt itself, a text or messages, which is then counted; None where `input_tokens` says its length.
        model: A model's name: its prices come from genai-prices, with source and date, and it says what counts.
        prices: Your own prices in dollars, in place of those: `input`, `output`, `cached`, `cache_write` and `reasoning` for
            a million tokens, `request`, `image`; or `gpu_hour` (and `n_gpus`) with `tokens_per_s` and `input_tokens_per_s` of
            the whole machine. `source` and `date` say where they are from.
        provider: Whose service is meant, where several serve the model.
        batch: Whether at the price of batches.
        tier: The service's tier, such as `"flex"` or `"priority"`.
        at: The day or moment whose prices hold, in UTC; None for now.
        input_tokens: Tokens of the prompt, those of a cache among them.
        output_tokens: Tokens written, reasoning among them.
        cached_tokens: Of the prompt's tokens, those read from a cache.
        cache_write_tokens: Of the prompt's tokens, those written into a cache.
        reasoning_tokens: Of the tokens written, those that nobody sees; they are billed as output.
        units: What else is billed, by genai-prices' names of usage, such as `input_audio_tokens` or `web_searches`.
        n_images: Images, with a price of your own for each.
        n_requests: How many calls of this kind; the other numbers are those of one.
        seconds_per_token: Seconds that a token of the answer takes.
        tokens_per_s: The same, the other way round.
        tools: The tools that are sent with messages.
        tokenizer: What counts `content`; None for the model's own.
        assume: What counts if the model's tokenizer is not known: another's name, or `"rule-of-thumb"` (four characters a
            token). The counts are then estimates and say so.

    Returns:
        A `Cost`: `str()` is its table; `total_usd` is a Decimal.

    Raises:
        UnknownPriceError: The model, its tier, or something that is used has no known price; `close_matches` has near names.
        CostError: The numbers contradict each other.
        UnknownTokenizerError: `content` is to be counted, and nothing says by what.
        ValueError: Two options say the same, or a price has an unknown name.

    Examples:
        >>> import piecework as pw
        >>> usage = dict(input_tokens=10_000, cached_tokens=8_000, output_tokens=500)
        >>> pw.cost(**usage, prices={"input": 2.5, "cached": 0.25, "output": 10}).total_usd
        Decimal('0.012')
        >>> pw.cost(input_tokens=3_000, output_tokens=500, prices={"input": 2, "output": 8}, seconds_per_token=0.00478)
                tokens  per million    cost  of tokens  of cost
        input    3,000        $2.00  $0.006     85.7 %   60.0 %
        output     500        $8.00  $0.004     14.3 %   40.0 %
        total    3,500                $0.01
        a million calls: $10,000.00
        time to answer: 500 × 4.78 ms = 2.39 s, after the prompt, which is processed in parallel
        prices: given · counts: exact, as given

    Source: genai-prices (github.com/pydantic/genai-prices) for prices by a model's name.
    """
    from piecework._cost.call import cost_of_call, read_speed  # noqa: PLC0415 - counting needs no prices
    from piecework._cost.prices import find_prices  # noqa: PLC0415 - as above

    if content is not None and input_tokens is not None:
        raise ValueError("content is counted, and input_tokens is its count: give one of them")
    if content is None and tools is not None:
        raise ValueError("tools are counted with messages: give them as content")
    speed = read_speed(seconds_per_token, tokens_per_s)
    found = find_prices(model, prices, provider=provider, batch=batch, tier=tier, at=at)
    read: int | Count = 0 if input_tokens is None else input_tokens
    if content is not None:
        read = _count(content, model, tokenizer, assume, tools)
    return cost_of_call(
        found,
        model=model,
        input_tokens=read,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        cache_write_tokens=cache_write_tokens,
        reasoning_tokens=reasoning_tokens,
        units=units,
        n_images=n_images,
        n_requests=n_requests,
        speed=speed,
    )


def cost_conversation(
    turns: int,
    *,
    model: str | None = None,
    prices: PriceMap | None = None,
    provider: str | None = None,
    batch: bool = False,
    tier: str | None = None,
    at: date | datetime | None = None,
    system: Tokens = 0,
    user: Tokens = 0,
    answer: Tokens = 0,
    reasoning_tokens: int = 0,
    cache: bool | Caching | Mapping[str, int] = False,
    trim_tokens: int | None = None,
    summarize: tuple[int, int] | None = None,
    tool_loop: tuple[int, int, int] | None = None,
    window: int | None = None,
    tokenizer: str | os.PathLike[str] | Tokenizer | None = None,
    assume: str | os.PathLike[str] | Tokenizer | None = None,
) -> ConversationCost:
    """Works out what a conversation will cost before it runs: each turn sends all that came before it.

    Args:
        turns: How many questions are asked and answered.
        model: A model's name, as in `cost`.
        prices: Your own prices, as in `cost`.
        provider: Whose service is meant.
        batch: Whether at the price of batches.
        tier: The service's tier.
        at: The day or moment whose prices hold.
        system: What stands before the first turn, tools included: tokens, a count, or what is counted.
        user: Each question, likewise.
        answer: Each answer, likewise.
        reasoning_tokens: Written in each turn before the answer, billed as output, and not sent again.
        cache: Whether the start that a prompt shares with the one before is read from a cache; or how, as a `Caching` or
            its fields: `min_tokens` (1,024), `step_tokens` (1), `lifetime_s` (300), `gap_s` between turns (0). Where the
            prices have one for writing, what enters the cache is billed at it.
        trim_tokens: The longest prompt: the oldest turns are dropped, whole.
        summarize: `(k, s)`: after every k turns the history becomes a summary of s tokens; the request for it is billed.
        tool_loop: `(n, c, r)`: each turn makes n calls, one after the other, of c tokens with results of r tokens.
        window: Tokens of prompt and answer together; the first turn over it is said. None for the model's, where known.
        tokenizer: What counts texts and messages.
        assume: What counts if the model's tokenizer is not known.

    Returns:
        A `ConversationCost`: a row for each turn, totals, what each saving saves; `piecework.plot` draws how it grows.

    Raises:
        UnknownPriceError: A price is not known.
        CostError: The numbers make no sense, or the conversation has more than 1,000 requests.
        ContextOverflowError: System prompt and question alone are longer than `trim_tokens`.

    Examples:
        >>> import piecework as pw
        >>> pw.cost_conversation(5, system=400, user=150, answer=250, prices={"input": 2, "output": 8})
        turn   input  cached  output     cost   so far
        1        550       0     250  $0.0031  $0.0031
        2        950       0     250  $0.0039   $0.007
        3      1,350       0     250  $0.0047  $0.0117
        4      1,750       0     250  $0.0055  $0.0172
        5      2,150       0     250  $0.0063  $0.0235
        total  6,750       0   1,250  $0.0235
        input grows with the square of the turns: 6,750 tokens in 5, 23,500 in 10
        prices: given · counts: exact, as planned

    Complexity: O(turns ** 2): each prompt holds all that came before it.
    """
    from piecework._cost.conversation import cost_of_plan  # noqa: PLC0415 - counting needs no prices
    from piecework._cost.plan import Plan, Summarizing, ToolLoop, read_caching  # noqa: PLC0415 - as above
    from piecework._cost.prices import find_prices  # noqa: PLC0415 - as above

    found = find_prices(model, prices, provider=provider, batch=batch, tier=tier, at=at)
    parts = [_tokens(one, model, tokenizer, assume) for one in (system, user, answer)]
    lengths = [one.n if isinstance(one, Count) else one for one in parts]
    plan = Plan(
        turns,
        system=lengths[0],
        user=lengths[1],
        answer=lengths[2],
        reasoning=reasoning_tokens,
        caching=read_caching(cache),
        trim_tokens=trim_tokens,
        summarizing=None if summarize is None else Summarizing(*summarize),
        tools=None if tool_loop is None else ToolLoop(*tool_loop),
    )
    return cost_of_plan(
        plan,
        found,
        model=model,
        window=_window(model, provider) if window is None else window,
        counts=[one for one in parts if isinstance(one, Count)],
    )


def cost_log(
    records: Iterable[Mapping[str, Any] | str | bytes],
    *,
    model: str | None = None,
    prices: PriceMap | None = None,
    provider: str | None = None,
    batch: bool = False,
    tier: str | None = None,
    at: date | datetime | None = None,
    window: int | None = None,
) -> ConversationCost:
    """Works out what requests that ran cost, from the usage that providers report.

    Args:
        records: Each a response of OpenAI (chat or responses), Anthropic or Gemini, its usage alone, the attributes of an
            OpenTelemetry span, or `input_tokens`, `output_tokens`, `cached_tokens` and so on; as mappings or as JSON.
        model: The model; None for the one that the records name, which must then be one.
        prices: Your own prices, as in `cost`.
        provider: Whose service is meant.
        batch: Whether at the price of batches.
        tier: The service's tier.
        at: The day or moment whose prices hold; None for now, whenever the requests ran.
        window: Tokens of prompt and answer together; the first request over it is said. None for the model's, where known.

    Returns:
        A `ConversationCost` with a row for each request, and what the cache saved.

    Raises:
        CostError: A record holds no usage, there are none, or they name several models.
        UnknownPriceError: A price is not known.

    Examples:
        >>> import piecework as pw
        >>> log = [{"usage": {"prompt_tokens": 10_000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8_000}}}]
        >>> pw.cost_log(log, prices={"input": 2.5, "cached": 0.25, "output": 10}).total_usd
        Decimal('0.012')
    """
    from piecework._cost.conversation import cost_of_usages  # noqa: PLC0415 - counting needs no prices
    from piecework._cost.prices import find_prices  # noqa: PLC0415 - as above
    from piecework._cost.records import read_records  # noqa: PLC0415 - as above

    read = read_records(records)
    named = sorted({one.model for one in read if one.model is not None})
    if model is None and prices is None:
        if len(named) != 1:
            said = (
                f"the records name {len(named)} models: {', '.join(named[:5])}"
                if named
                else "no record names a model"
            )
            raise CostError(said, hint="name the model, and pass the records of one at a time")
        (model,) = named
    found = find_prices(model, prices, provider=provider, batch=batch, tier=tier, at=at)
    limit = _window(model, provider) if window is None else window
    return cost_of_usages([one.usage for one in read], found, model=model, window=limit)


def _tokens(
    value: Tokens,
    model: str | None,
    tokenizer: str | os.PathLike[str] | Tokenizer | None,
    assume: str | os.PathLike[str] | Tokenizer | None,
) -> int | Count:
    if isinstance(value, int | Count):
        return value
    if not isinstance(value, str | Sequence):
        raise TypeError(
            f"a length is a number of tokens, a count, a text or messages, not {type(value).__name__}"
        )
    return _count(value, model, tokenizer, assume, None)


def _count(
    content: Any,  # noqa: ANN401 - whatever `count` takes
    model: str | None,
    tokenizer: str | os.PathLike[str] | Tokenizer | None,
    assume: str | os.PathLike[str] | Tokenizer | None,
    tools: Sequence[Mapping[str, Any]] | None,
) -> Count:
    from piecework._api.counting import count  # noqa: PLC0415 - loads a tokenizer's home
    from piecework._cost.rule_of_thumb import RULE_OF_THUMB, rule_of_thumb  # noqa: PLC0415 - as above
    from piecework.errors import UnknownTokenizerError  # noqa: PLC0415 - as above

    counter = tokenizer if tokenizer is not None else model
    if counter is None and assume == RULE_OF_THUMB and isinstance(content, str | bytes):
        return rule_of_thumb(_n_characters(content))
    if counter is None:
        raise CostError(
            "content is to be counted, and nothing says by what", hint="name a model, or pass tokenizer="
        )
    named = None if assume == RULE_OF_THUMB else assume
    more: dict[str, Any] = {} if tools is None else {"tools": tools}
    try:
        return count(content, model=counter, assume=named, **more)
    except UnknownTokenizerError:
        if assume != RULE_OF_THUMB or not isinstance(content, str | bytes):
            raise
    return rule_of_thumb(_n_characters(content))


def _n_characters(text: str | bytes) -> int:
    return len(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def _window(model: str | None, provider: str | None) -> int | None:
    """The model's window, where it is known: it only adds a remark."""
    from piecework._budget.limits import model_limits  # noqa: PLC0415 - loads the tables
    from piecework.errors import BudgetError  # noqa: PLC0415 - as above

    try:
        return None if model is None else model_limits(model, provider=provider).window.n_tokens
    except BudgetError:
        return None
