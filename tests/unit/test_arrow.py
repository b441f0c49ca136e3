"""Arrow's C data interface: numbers out without a copy, strings in."""

from __future__ import annotations

import gc
from typing import Any

import pyarrow as pa
import pytest

import piecework as pw

TEXTS = ["Hello, world!", "", "naïve 🚀", "a text of more than twelve bytes", "x"]


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.load("o200k_base")


def test_ids_are_arrow_arrays_in_the_same_memory(tok: pw.Tokenizer) -> None:
    ids = tok.ids("Hello, world! " * 50)
    array = pa.array(ids)
    assert array.type == pa.uint32()
    assert array.null_count == 0
    assert array.to_pylist() == ids.tolist()
    assert array.buffers()[1].address == pa.py_buffer(ids).address
    array.validate(full=True)


def test_a_slice_is_an_array_of_its_own(tok: pw.Tokenizer) -> None:
    ids = tok.ids("Hello, world!")
    assert pa.array(ids[1:3]).to_pylist() == [11, 2375]
    assert pa.array(ids[:0]).to_pylist() == []


def test_an_array_outlives_its_ids(tok: pw.Tokenizer) -> None:
    expected = tok.ids("one two three " * 1000).tolist()
    arrays = [pa.array(tok.ids("one two three " * 1000)) for _ in range(20)]
    gc.collect()
    assert all(array.to_pylist() == expected for array in arrays)


def test_a_batch_and_counts(tok: pw.Tokenizer) -> None:
    batch = tok.encode_batch(TEXTS)
    assert pa.array(batch.ids).to_pylist() == batch.ids.tolist()
    offsets = pa.array(batch.offsets)
    assert offsets.type == pa.int64()
    lists = pa.LargeListArray.from_arrays(offsets, pa.array(batch.ids))
    assert lists.to_pylist() == [tok.ids(text).tolist() for text in TEXTS]
    assert pa.array(tok.count_batch(TEXTS)).to_pylist() == [tok.count(text) for text in TEXTS]


def test_capsules_that_nobody_takes_are_freed(tok: pw.Tokenizer) -> None:
    ids = tok.ids("Hello, world!")
    for _ in range(1000):
        schema, array = ids.__arrow_c_array__(None)
        assert "arrow_schema" in repr(schema)
        assert "arrow_array" in repr(array)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()],
)
def test_texts_may_be_arrow_strings(tok: pw.Tokenizer, kind: Any) -> None:
    expected = tok.encode_batch(TEXTS)
    for array in (pa.array(TEXTS, kind), pa.chunked_array([TEXTS[:2], [], TEXTS[2:]], kind)):
        found = tok.encode_batch(array)
        assert (found.ids, found.offsets) == (expected.ids, expected.offsets)
        assert tok.count_batch(array) == tok.count_batch(TEXTS)
    part = pa.array(TEXTS, kind)[1:4]
    assert tok.count_batch(part) == tok.count_batch(TEXTS[1:4])
    assert len(tok.count_batch(pa.array([], kind))) == 0


def test_many_arrow_strings(tok: pw.Tokenizer) -> None:
    texts = [f"text {n}: naïve façade 🚀" * (n % 7) for n in range(20_000)]
    assert tok.count_batch(pa.array(texts)) == tok.count_batch(texts)


def test_what_is_no_arrow_text(tok: pw.Tokenizer) -> None:
    with pytest.raises(TypeError, match="text 1: a null is no text"):
        tok.count_batch(pa.array(["a", None]))
    with pytest.raises(TypeError, match='Arrow strings, not of Arrow\'s type "l"'):
        tok.count_batch(pa.array([1, 2]))
    with pytest.raises(TypeError, match="dictionary-encoded"):
        tok.count_batch(pa.array(["a", "a"]).dictionary_encode())
    with pytest.raises(TypeError, match="not of Arrow's type"):
        tok.count_batch(pa.table({"text": TEXTS}))
    broken = pa.array([b"a", b"b\xff"], pa.binary())
    with pytest.raises(pw.NotUnicodeError, match="text 1: "):
        tok.count_batch(broken)
    assert tok.count_batch(broken, errors="replace") == tok.count_batch(["a", "b\ufffd"])


def test_the_text_at_fault_is_named(tok: pw.Tokenizer) -> None:
    texts = pa.array(["a"] * 50_000 + ["<|endoftext|>"] + ["b"] * 50_000)
    with pytest.raises(pw.SpecialTokenError, match="text 50000: "):
        tok.count_batch(texts, special="raise")


def test_a_foreign_capsule_is_refused(tok: pw.Tokenizer) -> None:
    class Liar:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return object(), object()

    class Swapped:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            schema, array = pa.array(["a"]).__arrow_c_array__()
            return array, schema

    for wrong in (Liar(), Swapped()):
        with pytest.raises(ValueError, match="PyCapsule"):
            tok.count_batch(wrong)  # type: ignore[arg-type]
