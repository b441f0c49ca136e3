"""What holds for every text: nothing lost, nothing forged, every way of counting the same."""

from __future__ import annotations

import pickle
import unicodedata
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._types import Special
from tests.property.strategies import (
    LOSSLESS,
    any_texts,
    control_texts,
    covering,
    surrogate_texts,
    texts,
    tokenizers,
)

POLICIES: tuple[Special, ...] = ("text", "parse")


@given(st.sampled_from(LOSSLESS), any_texts)
def test_decoding_gives_the_text_back(name: str, text: str) -> None:
    tok = pw.load(name)
    for special in POLICIES:
        ids = tok.ids(text, special=special)
        assert tok.decode(ids, errors="strict") == text
        assert tok.decode_bytes(ids) == text.encode()
        assert b"".join(map(tok.decode_bytes, ([token_id] for token_id in ids))) == text.encode()


@given(any_texts)
def test_decoding_gives_the_normalized_text_back(text: str) -> None:
    tok = pw.load("qwen3")
    decoded = tok.decode(tok.ids(text), errors="strict")
    # The reference's composition is older than Python's; both leave canonically equal text.
    assert unicodedata.normalize("NFD", decoded) == unicodedata.normalize("NFD", text)


@given(tokenizers, any_texts)
def test_text_and_its_bytes_are_one(tok: pw.Tokenizer, text: str) -> None:
    data = text.encode()
    assert tok.ids(data) == tok.ids(text)
    assert tok.count(data) == tok.count(text)
    assert tok.encode(data).byte_spans == tok.encode(text).byte_spans


@given(tokenizers, any_texts, st.sampled_from(POLICIES))
def test_every_way_of_counting_agrees(tok: pw.Tokenizer, text: str, special: Special) -> None:
    ids = tok.ids(text, special=special)
    n = tok.count(text, special=special)
    assert n == len(ids)
    assert tok.encode(text, special=special).ids == ids
    assert list(tok.stages(text, special=special).ids) == ids.tolist()
    for limit in {0, n // 2, max(n - 1, 0), n, n + 1}:
        expected = n if n <= limit else None
        assert tok.count_up_to(text, limit, special=special) == expected


@given(tokenizers, st.lists(any_texts, max_size=8), st.sampled_from([None, 1, 3]))
def test_a_batch_is_a_map(tok: pw.Tokenizer, many: list[str], n_threads: int | None) -> None:
    batch = tok.encode_batch(many, n_threads=n_threads)
    assert [batch[at].tolist() for at in range(len(batch))] == [tok.ids(text).tolist() for text in many]
    assert tok.count_batch(many, n_threads=n_threads) == [tok.count(text) for text in many]


@given(tokenizers, control_texts)
def test_text_never_yields_a_control_token(tok: pw.Tokenizer, text: str) -> None:
    controls = {row.id for row in tok.info().control_tokens}
    # What no piece covers is the unknown token, which steers no model and stands for what is there.
    controls -= {tok.id(token) for token in ("[UNK]", "<unk>") if token in tok.special_tokens}
    enc = tok.encode(text)
    assert not controls & set(enc.ids)
    parsed = tok.ids(text, special="parse")
    found = [token_id for token_id in parsed if token_id in controls]
    assert [item.id for item in enc.forged if item.id in controls] == found
    for item in enc.forged:
        start, end = item.char_span
        assert text[start:end] == item.token
        start, end = item.byte_span
        assert text.encode()[start:end].decode() == item.token
    assert tok.find_controls(text) == enc.forged


@given(tokenizers, control_texts)
def test_raise_raises_exactly_where_parse_would_find_one(tok: pw.Tokenizer, text: str) -> None:
    forged = tok.find_controls(text)
    if not forged:
        assert tok.ids(text, special="raise") == tok.ids(text)
        return
    with pytest.raises(pw.SpecialTokenError) as raised:
        tok.ids(text, special="raise")
    assert (raised.value.token, raised.value.byte_span) == (forged[0].token, forged[0].byte_span)


@given(tokenizers, surrogate_texts)
def test_broken_text_is_refused_with_its_place_or_replaced(tok: pw.Tokenizer, text: str) -> None:
    replaced = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert tok.ids(text, errors="replace") == tok.ids(replaced)
    bad = [at for at, char in enumerate(text) if "\ud800" <= char <= "\udfff"]
    if not bad:
        assert tok.ids(text) == tok.ids(replaced)
        return
    with pytest.raises(pw.NotUnicodeError) as raised:
        tok.ids(text)
    assert raised.value.index == bad[0]


@given(covering, st.binary(max_size=60))
def test_any_bytes_are_refused_with_their_place_or_replaced(tok: pw.Tokenizer, data: bytes) -> None:
    assert tok.ids(data, errors="replace") == tok.ids(data.decode("utf-8", "replace"))
    bad = _first_bad(data)
    if bad is None:
        assert tok.count(data) == tok.count(data.decode())
        return
    with pytest.raises(pw.NotUnicodeError) as raised:
        tok.count(data)
    assert raised.value.index == bad


def _first_bad(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


@given(
    covering,
    st.lists(
        st.one_of(st.integers(0, 200_050), st.integers(100_250, 100_280), st.integers(-10, 2**33)), max_size=6
    ),
)
def test_any_ids_decode_or_are_named(tok: pw.Tokenizer, ids: list[int]) -> None:
    wrong = [at for at, token_id in enumerate(ids) if token_id not in _known_ids(tok.name)]
    if not wrong:
        assert tok.decode_bytes(ids) == b"".join(tok.decode_bytes([token_id]) for token_id in ids)
        return
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.decode_bytes(ids)
    assert raised.value.position in wrong
    assert raised.value.id == ids[raised.value.position]


@cache
def _known_ids(name: str) -> range | set[int]:
    tok = pw.load(name)
    holes = {token_id for first, end in tok.info().holes for token_id in range(first, end)}
    return set(range(tok.vocab_size)) - holes if holes else range(tok.vocab_size)


@settings(max_examples=30)
@given(tokenizers, texts)
def test_pickle_changes_nothing(tok: pw.Tokenizer, text: str) -> None:
    again = pickle.loads(pickle.dumps(tok))
    enc = tok.encode(text)
    assert again == tok
    assert again.encode(text) == enc
    assert pickle.loads(pickle.dumps(enc)) == enc
    assert pickle.loads(pickle.dumps(enc.ids)) == enc.ids
