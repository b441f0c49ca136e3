"""Tokenizers and results as objects: equal, frozen, shown, pickled, shared between threads."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import piecework as pw
from piecework._files import bundle
from tests.made_files import llama3_with_begin
from tools.fixtures import fixture


@pytest.fixture(scope="module")
def o200k() -> pw.Tokenizer:
    return pw.load("o200k_base")


@pytest.fixture(scope="module")
def llama3(tmp_path_factory: pytest.TempPathFactory) -> pw.Tokenizer:
    return pw.load(llama3_with_begin(tmp_path_factory.mktemp("llama3")))


def test_equal_by_fingerprint(o200k: pw.Tokenizer) -> None:
    again = pw.load("gpt-4o")
    assert o200k == again
    assert hash(o200k) == hash(again)
    assert o200k != pw.load("o200k_harmony")
    assert o200k != "o200k_base"
    assert (
        len(
            {
                pw.load(name).fingerprint
                for name in (
                    "r50k_base",
                    "p50k_base",
                    "p50k_edit",
                    "cl100k_base",
                    "o200k_base",
                    "o200k_harmony",
                    "qwen3",
                )
            }
        )
        == 7
    )


def test_a_converted_file_is_the_same_tokenizer_where_it_is() -> None:
    assert pw.load(fixture("qwen3/tokenizer.json")).fingerprint == pw.load("qwen3").fingerprint


def test_frozen(o200k: pw.Tokenizer) -> None:
    for holder in (o200k, o200k.encode("x")):
        with pytest.raises(AttributeError):
            holder.name = "other"  # type: ignore[misc]
        with pytest.raises(AttributeError):
            del holder._native


def test_repr_names_it(o200k: pw.Tokenizer) -> None:
    assert repr(o200k).startswith("<Tokenizer o200k_base: vocab_size 200,019, fingerprint ")
    assert repr(o200k.encode("Hi there")) == "<Encoding of 2 tokens, o200k_base: 'Hi', ' there'>"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_of_a_bundled_tokenizer_is_its_name(o200k: pw.Tokenizer, protocol: int) -> None:
    data = pickle.dumps(o200k, protocol)
    assert len(data) < 300
    again = pickle.loads(data)
    assert (again, again.name) == (o200k, "o200k_base")


def test_pickle_of_another_holds_all_of_it(llama3: pw.Tokenizer) -> None:
    data = pickle.dumps(llama3)
    assert len(data) < 4_000_000
    again = pickle.loads(data)
    assert again == llama3
    assert again.name == llama3.name
    assert again.ids(" jeho <|eot_id|>", special="parse") == llama3.ids(" jeho <|eot_id|>", special="parse")
    assert again.added_around == llama3.added_around


def test_pickle_from_a_version_with_another_pack_is_refused(
    o200k: pw.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pickle.dumps(o200k)
    monkeypatch.setattr(bundle, "bundled", lambda _: pw.load("cl100k_base")._native)
    with pytest.raises(pw.ChecksumError) as raised:
        pickle.loads(data)
    assert raised.value.expected == o200k.fingerprint


def test_results_pickle_and_copy(o200k: pw.Tokenizer) -> None:
    enc = o200k.encode("Olá 🚀 <|endoftext|>", special="parse")
    again = pickle.loads(pickle.dumps(enc))
    assert again == enc
    assert again.char_spans == enc.char_spans
    for value in (
        enc.ids,
        o200k.count_batch(["a", "b c"]),
        pw.count("x", model="gpt-4o"),
        o200k.show("a b"),
        o200k.stages("a b"),
    ):
        assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(o200k) == o200k


def test_many_threads_agree(o200k: pw.Tokenizer) -> None:
    texts = [f"thread {n}: naïve façade 🚀 {n * 7919}" for n in range(200)]
    expected = [o200k.ids(text).tolist() for text in texts]
    start = threading.Barrier(8)

    def work(_: int) -> list[list[int]]:
        start.wait()
        return [o200k.ids(text).tolist() for text in texts]

    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(work, range(8)))
