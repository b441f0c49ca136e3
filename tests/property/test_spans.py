"""Spans: in order, inside the text, tiling it where nothing is normalized; each family covers what a token touches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import piecework as pw
from tests.property.strategies import LOSSLESS, any_texts, covering, surrogate_texts, tokenizers


@given(st.sampled_from(LOSSLESS), any_texts)
def test_byte_spans_tile_a_text_that_nothing_normalizes(name: str, text: str) -> None:
    enc = pw.load(name).encode(text)
    at = 0
    data = text.encode()
    for (start, end), piece in zip(enc.byte_spans, enc.piece_bytes, strict=True):
        assert start == at
        assert data[start:end] == piece
        at = end
    assert at == len(data)


@given(covering, any_texts)
def test_spans_cover_all_and_never_go_back(tok: pw.Tokenizer, text: str) -> None:
    enc = tok.encode(text)
    n_units = {
        "byte_spans": len(text.encode()),
        "char_spans": len(text),
        "utf16_spans": len(text.encode("utf-16-le")) // 2,
    }
    for family, n in n_units.items():
        spans: list[tuple[int, int]] = getattr(enc, family)
        assert len(spans) == len(enc)
        covered = 0
        for start, end in spans:
            assert 0 <= start <= covered
            assert start < end <= n
            covered = max(covered, end)
        assert covered == n


@given(covering, any_texts)
def test_each_family_covers_exactly_what_the_bytes_touch(tok: pw.Tokenizer, text: str) -> None:
    enc = tok.encode(text)
    char_of_byte = [at for at, char in enumerate(text) for _ in char.encode()]
    utf16_of_char = [0]
    for char in text:
        utf16_of_char.append(utf16_of_char[-1] + (2 if ord(char) > 0xFFFF else 1))
    for (start, end), chars, utf16 in zip(enc.byte_spans, enc.char_spans, enc.utf16_spans, strict=True):
        first, last = char_of_byte[start], char_of_byte[end - 1]
        assert chars == (first, last + 1)
        assert utf16 == (utf16_of_char[first], utf16_of_char[last + 1])


@given(covering, any_texts)
def test_characters_and_tokens_find_each_other(tok: pw.Tokenizer, text: str) -> None:
    enc = tok.encode(text)
    for at in range(len(text)):
        token = enc.char_to_token(at)
        assert token is not None
        start, end = enc.token_to_chars(token)
        assert start <= at < end
        assert token == 0 or enc.token_to_chars(token - 1)[1] <= at
    assert enc.char_to_token(len(text)) is None


@given(covering, any_texts)
def test_words_are_numbered_in_order(tok: pw.Tokenizer, text: str) -> None:
    words = [word for word in tok.encode(text).word_ids if word is not None]
    assert words == sorted(words)
    assert set(words) == set(range(len(set(words))))


@given(covering, surrogate_texts)
def test_spans_of_replaced_text_count_the_original_s_characters(tok: pw.Tokenizer, text: str) -> None:
    enc = tok.encode(text, errors="replace")
    covered = {at for start, end in enc.char_spans for at in range(start, end)}
    assert covered == set(range(len(text)))
    n_bytes = len(text.encode("utf-8", "surrogatepass"))
    assert {at for start, end in enc.byte_spans for at in range(start, end)} == set(range(n_bytes))


@given(tokenizers, any_texts)
def test_spans_stay_in_the_text_whatever_the_tokenizer(tok: pw.Tokenizer, text: str) -> None:
    enc = tok.encode(text)
    n_bytes = len(text.encode())
    families = [(enc.byte_spans, n_bytes), (enc.char_spans, len(text)), (enc.grapheme_spans, len(text))]
    for spans, end in families:
        assert all(0 <= start <= stop <= end for start, stop in spans)
        starts = [start for start, _ in spans]
        assert starts == sorted(starts)
    for (start, stop), (first, last) in zip(enc.byte_spans, enc.char_spans, strict=True):
        # Characters are those that the bytes touch; both are empty together.
        assert (start == stop) == (first == last)
        assert len(text[:first].encode()) <= start
        assert stop <= len(text[:last].encode())
