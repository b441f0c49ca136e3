"""Where each character of a normalized text comes from, against tokenizers' offsets.

The reference's source of a character must lie inside ours. It is the same but for these, which are counted:

- cluster: ours is all of the cluster (a base with what was folded into it, put in order with it or dropped after
  it), theirs a part.
- inserted: ours is empty, since the character comes from nowhere; theirs is that of a neighbor.
- drifted: by rule tables the reference counts wrongly from a dropped character on that has nothing kept before it or
  an expansion. Its texts are the same but for the dropped characters then, and ours stay in order.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from .normalizer_texts import aligned, random_texts, rule_table
from .test_normalizers import SIMPLE

Spans = list[tuple[int, int]]

REPLACE: dict[str, tuple[Any, Any]] = {
    "Strip": ({"Strip": {"left": True, "right": True}}, normalizers.Strip()),
    "Replace": (
        {"Replace": {"pattern": {"Pattern": r"\s+"}, "content": "▁_"}},
        normalizers.Replace(Regex(r"\s+"), "▁_"),
    ),
    "Precompiled": (
        {"Precompiled": rule_table("nmt_nfkc")},
        normalizers.Precompiled(bytes(rule_table("nmt_nfkc"))),
    ),
}
# What else than the same is to be seen with each normalizer.
ALLOWED = {
    "NFC": {"cluster"},
    "NFD": {"cluster"},
    "NFKC": {"cluster"},
    "NFKD": {"cluster"},
    "StripAccents": {"cluster"},
    "Bert": {"cluster", "inserted"},
    "Bert, ideographs": {"inserted"},
    "Bert, accents": {"cluster"},
    "Prepend": {"inserted"},
    "Replace": {"cluster"},
    "Precompiled": {"cluster", "drifted"},
}


def theirs(normalizer: Any, texts: list[str]) -> list[Spans]:
    """The characters of the text that each character of the normalized text comes from."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.FixedLength(length=1)
    return [encoding.offsets for encoding in tokenizer.encode_batch(texts)]


def characters_of(text: str, spans: Spans) -> Spans:
    """Byte spans as spans of characters, every one that is touched."""
    starts = [index for index, c in enumerate(text) for _ in c.encode()]
    starts.append(len(text))
    return [(starts[start], starts[end - 1] + 1 if end > start else starts[start]) for start, end in spans]


def kind_of(ours: tuple[int, int], other: tuple[int, int]) -> str:
    if ours == other:
        return "same"
    if ours[0] == ours[1]:
        return "inserted"
    return "cluster" if ours[0] <= other[0] and other[1] <= ours[1] else "drifted"


def check_order(text: str, spans: Spans) -> None:
    """Sources come in the order of the text."""
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert (next_start, next_end) == (start, end) or next_start >= end, (ascii(text), spans)


@pytest.mark.parametrize("name", [*SIMPLE, *REPLACE])
def test_random_texts(name: str) -> None:
    if name in REPLACE:
        ours, normalizer = REPLACE[name]
    else:
        ours, normalize = SIMPLE[name]
        normalizer = normalize.__self__  # type: ignore[attr-defined]
    texts = random_texts(10_000, seed=7)
    kinds: Counter[str] = Counter()
    for text, (made, spans), expected in zip(
        texts, aligned([ours], texts), theirs(normalizer, texts), strict=True
    ):
        check_order(text, spans)
        touched = characters_of(text, spans)
        assert len(touched) == len(expected), (ascii(text), ascii(made))
        kinds.update(kind_of(*pair) for pair in zip(touched, expected, strict=True))
    print(f"{name}: {sum(kinds.values())} characters of {len(texts)} texts compared: {dict(kinds)}")
    assert set(kinds) <= {"same"} | ALLOWED.get(name, set())
