"""What holds for every conversation and every price: sums, limits, and what savings may do."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

import piecework as pw
from piecework._cost.plan import Caching, Plan, Summarizing, ToolLoop
from piecework._cost.turns import requests_of

lengths = st.integers(0, 3_000)
loops = st.none() | st.builds(ToolLoop, st.integers(0, 3), lengths, lengths)
plans = st.builds(
    Plan,
    st.integers(1, 12),
    system=lengths,
    user=lengths,
    answer=lengths,
    reasoning=lengths,
    tools=loops,
)
caches = st.builds(
    Caching,
    min_tokens=lengths,
    step_tokens=st.integers(1, 256),
    lifetime_s=st.integers(0, 600),
    gap_s=st.integers(0, 600),
)
prices = st.decimals(0, 1_000, places=6)


@given(plans)
def test_the_sum_of_all_prompts_is_the_formula(plan: Plan) -> None:
    played = sum(one.n_input for one in requests_of(plan, bills_writes=False))
    assert played == plan.input_tokens(plan.n_turns)


@given(plans, caches, st.booleans(), st.none() | st.builds(Summarizing, st.integers(1, 5), lengths))
def test_a_cache_changes_no_prompt_and_holds_no_more_than_it(
    plan: Plan, caching: Caching, bills: bool, summarizing: Summarizing | None
) -> None:
    bare = list(requests_of(replace(plan, summarizing=summarizing), bills_writes=bills))
    cached = list(requests_of(replace(plan, summarizing=summarizing, caching=caching), bills_writes=bills))
    assert [one.parts for one in bare] == [one.parts for one in cached]
    for one in cached:
        assert one.n_cached >= 0
        assert one.n_written >= 0
        assert one.n_cached + one.n_written <= one.n_input
        assert one.n_cached % caching.step_tokens == 0
        assert bills or one.n_written == 0
    # What is read from a cache was sent before.
    assert cached[0].n_cached == 0
    for before, one in pairwise(cached):
        assert one.n_cached <= before.n_input


@given(plans, st.integers(1, 20_000))
def test_trimmed_prompts_fit_and_keep_all_that_does(plan: Plan, limit: int) -> None:
    n_loop = 0 if plan.tools is None else plan.tools.n_calls * plan.tools.n_loop
    assume(plan.system + plan.user + n_loop <= limit)
    for one in requests_of(replace(plan, trim_tokens=limit), bills_writes=False):
        assert one.n_input <= limit
        if one.n_dropped:
            # The newest of the dropped turns would not have fitted.
            assert one.n_input + plan.n_history > limit


@given(st.lists(lengths, min_size=3, max_size=3), st.lists(prices, min_size=3, max_size=3))
def test_a_bill_is_the_exact_sum_of_its_products(numbers: list[int], rates: list[Decimal]) -> None:
    n_plain, n_cached, n_output = numbers
    cost = pw.cost(
        input_tokens=n_plain + n_cached,
        cached_tokens=n_cached,
        output_tokens=n_output,
        prices=dict(zip(("input", "cached", "output"), rates, strict=True)),
    )
    exact = sum(
        (Fraction(rate) * n for rate, n in zip(rates, numbers, strict=True)), start=Fraction(0)
    ) / Fraction(1_000_000)
    assert Fraction(cost.total_usd) == exact
