"""JSON in parts is the JSON of the whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from piecework._cli.json_text import json_parts


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": [], "b": {"c": [1, None, "é\n\ud800", 1.5, True]}},
        list(range(100_000)),
        [(n, n + 1) for n in range(50_000)],
        [{"kind": "added"}, {"kind": "text", "pretokens": [{"ids": (n,)} for n in range(60_000)]}] * 2,
        ("a", 1),
        "text",
        7,
    ],
)
def test_parts_are_the_whole(value: Any) -> None:
    parts = list(json_parts(value))
    assert "".join(parts) == json.dumps(value, ensure_ascii=False)
    # However long a list is, no part is.
    assert max(map(len, parts)) < 1 << 20


def test_iterators_are_lists() -> None:
    def numbers() -> Iterator[int]:
        yield from range(40_000)

    assert json.loads("".join(json_parts({"n": numbers()}))) == {"n": list(range(40_000))}
