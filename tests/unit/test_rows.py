"""Rows of many texts as objects: pickled, copied and compared."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import piecework as pw


@pytest.fixture(scope="module")
def bert() -> pw.Tokenizer:
    return pw.load("bert-base-uncased")


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 4, "overflow": True, "stride": 1},
        {"max_tokens": 6, "pairs": ["a", "b c d"]},
        {"pad": "longest"},
        {"pad": "longest", "pad_side": "left"},
        {"pad": 5, "pairs": ["a", "b c d"], "max_tokens": 5},
    ],
)
def test_rows_pickle_and_are_equal_after_it(bert: pw.Tokenizer, options: dict[str, Any]) -> None:
    rows: Any = bert.encode_batch(["hello world hello", "x"], **options)
    other = bert.encode_batch(["bye world hello", "x"], **options)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(rows, protocol))
        assert again == rows
        assert [row.tolist() for row in again] == [row.tolist() for row in rows]
        assert again.special_mask.tolist() == rows.special_mask.tolist()
        assert again.texts == rows.texts
    assert copy.deepcopy(rows) == rows
    assert rows != other
    assert rows != list(rows)


def test_rows_and_padded_rows_are_never_equal(bert: pw.Tokenizer) -> None:
    rows: Any = bert.encode_batch(["a", "b"], max_tokens=8, add_special_tokens=True)
    padded: Any = bert.encode_batch(["a", "b"], pad="longest", add_special_tokens=True)
    assert [row.tolist() for row in rows] == [row.tolist() for row in padded]
    assert rows != padded


def test_a_table_pickles(bert: pw.Tokenizer) -> None:
    rows: Any = bert.encode_batch(["a", "b c"], pad="longest")
    for table in (rows.ids, rows.type_ids, rows.attention_mask, rows.special_mask):
        again = pickle.loads(pickle.dumps(table))
        assert (again, again.shape) == (table, table.shape)
        assert again.numpy().dtype == table.numpy().dtype


def test_a_number_below_zero_is_named_as_what_it_was_given_for(bert: pw.Tokenizer) -> None:
    wrong: list[dict[str, Any]] = [
        {"max_tokens": 3, "overflow": True, "stride": -1},
        {"pad": "longest", "pad_to_multiple_of": -1},
        {"pad": -1},
        {"max_tokens": -1},
    ]
    for options, name in zip(wrong, ("stride", "pad_to_multiple_of", "pad", "max_tokens"), strict=True):
        with pytest.raises(ValueError, match=f"^{name} is -1; it must be at least 0"):
            bert.encode_batch(["a"], **options)
