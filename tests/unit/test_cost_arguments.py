"""What `cost`, `cost_conversation` and `cost_log` refuse, and that a number is its digits whatever class it has."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework.errors import CostError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"input_tokens": []}, "input_tokens is a whole number, not list"),
        ({"input_tokens": ""}, "input_tokens is a whole number, not str"),
        ({"model": 5}, "model is a name, not int"),
        ({"provider": 5}, "provider is a name, not int"),
        ({"tier": 5}, "tier is a name, not int"),
        ({"at": "2026-11-20"}, "at is a date or a datetime, not str"),
        ({"units": 5}, "units are a mapping of names to amounts, not int"),
    ],
)
def test_an_argument_of_another_type_is_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        pw.cost(**{"model": "gpt-4o", **given})


def test_a_window_is_a_number_of_tokens() -> None:
    wrong: list[tuple[type[Exception], Any]] = [
        (CostError, -1),
        (CostError, 0),
        (TypeError, 1e6),
        (TypeError, "8k"),
    ]
    for error, window in wrong:
        with pytest.raises(error, match="window is"):
            pw.cost_conversation(2, model="gpt-4o", user=1, answer=1, window=window)
        with pytest.raises(error, match="window is"):
            pw.cost_log([{"input_tokens": 1, "output_tokens": 1}], model="gpt-4o", window=window)


def test_a_float_of_numpy_is_its_digits() -> None:
    price = pw.cost(input_tokens=1_000_000, prices={"input": np.float64(0.1), "output": 1})
    assert price.total_usd == Decimal("0.1")
