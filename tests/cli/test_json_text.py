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
        [{"a": n, "b": {"c": list(range(n % 3))}} for n in range(30_000)],
        [
            {"a": 1},
            {"a": list(range(20_000))},
            {"a": 2},
            {"a": list(range(20_000))},
            {"a": list(range(20_000))},
        ],
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


def test_rows_are_handed_on_as_they_are_made() -> None:
    n_made = 0

    def rows() -> Iterator[dict[str, object]]:
        nonlocal n_made
        for n in range(1_000):
            n_made += 1
            yield {"n": n, "merges": [{"rank": rank} for rank in range(200)]}

    parts = json_parts(rows())
    assert "".join(next(parts) for _ in range(2)).startswith('[{"n": 0, ')
    assert n_made < 50
    assert len(json.loads("".join(json_parts(rows())))) == 1_000
