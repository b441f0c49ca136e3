"""Problems that people reported of tokenizer tools: one tokenizer, many threads. Each with others of its kind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import pytest

import piecework as pw
from tests.reported import hugging_face, loaded, with_added

TEXT = "red green blue black " * 10
N_THREADS, N_CALLS = 16, 200
LIMITS = (8, 16, 24)


def differing(call: Callable[[int], object]) -> int:
    """How many of 3,200 calls on 16 threads, their arguments mixed, give another result than alone."""
    alone = {limit: call(limit) for limit in LIMITS}

    def work(thread: int) -> int:
        limits = [LIMITS[(thread + at) % len(LIMITS)] for at in range(N_CALLS)]
        return sum(call(limit) != alone[limit] for limit in limits)

    with ThreadPoolExecutor(N_THREADS) as threads:
        return sum(threads.map(work, range(N_THREADS)))


# --- B29: a tokenizer shared by threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["minilm_l6_v2/tokenizer.json", "t5", "qwen3"])
def test_b29_each_call_has_its_own_limit(name: str) -> None:
    tok = loaded(name)

    def rows(limit: int) -> list[int]:
        made = tok.encode_batch([TEXT], max_tokens=limit, add_special_tokens=True)
        assert len(made[0]) == limit
        return made[0].tolist()

    assert differing(rows) == 0
    assert differing(lambda limit: tok.truncate(TEXT, max_tokens=limit)) == 0


def test_b29_a_limit_is_what_the_reference_makes_of_it() -> None:
    tok, reference = loaded("minilm_l6_v2/tokenizer.json"), with_added("minilm_l6_v2")
    for limit in LIMITS:
        reference.enable_truncation(limit)
        assert (
            tok.encode_batch([TEXT], max_tokens=limit, add_special_tokens=True)[0]
            == reference.encode(TEXT).ids
        )


def test_b29_padding_special_tokens_and_policies_are_of_the_call_too() -> None:
    tok = loaded("minilm_l6_v2/tokenizer.json")
    options: dict[int, dict[str, object]] = {
        8: {"pad": 40},
        16: {"pad": "longest", "pad_side": "left"},
        24: {"pairs": ["fish", "dish"]},
    }

    def call(limit: int) -> list[object]:
        rows = tok.encode_batch([TEXT, "a"], max_tokens=limit, **options[limit])  # type: ignore[call-overload]
        special: Literal["parse", "text"] = "parse" if limit == 8 else "text"
        return [
            rows.ids.tolist(),
            tok.ids("x [MASK]", special=special, add_special_tokens=limit == 16).tolist(),
        ]

    assert differing(call) == 0


def test_b29_streams_of_one_tokenizer_do_not_meet() -> None:
    tok = loaded("o200k_base")
    ids = {limit: tok.ids(f"{limit} žluťoučký 🚀 ďábel").tolist() for limit in LIMITS}

    def call(limit: int) -> str:
        stream = tok.decoder()
        return "".join(stream.feed(id_) for id_ in ids[limit]) + stream.finish().text

    assert differing(call) == 0


def test_b29_a_live_object_may_change_its_mind_later() -> None:
    reference = with_added("minilm_l6_v2")
    tok = pw.load(reference)
    reference.enable_truncation(8)
    reference.enable_padding(length=64)
    assert tok.ids(TEXT) == hugging_face("minilm_l6_v2").encode(TEXT, add_special_tokens=False).ids
