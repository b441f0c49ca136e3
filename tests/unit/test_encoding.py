"""Where each token stands: bytes, characters, UTF-16 units, graphemes, words."""

from __future__ import annotations

import pytest

import piecework as pw


def test_every_family_of_spans() -> None:
    enc = pw.load("qwen3").encode("A 🚀")
    assert enc.ids == [32, 11162, 248, 222]
    assert enc.byte_spans == [(0, 1), (1, 4), (4, 5), (5, 6)]
    assert enc.char_spans == [(0, 1), (1, 3), (2, 3), (2, 3)]
    assert enc.utf16_spans == [(0, 1), (1, 4), (2, 4), (2, 4)]
    assert enc.grapheme_spans == [(0, 1), (1, 3), (2, 3), (2, 3)]
    assert enc.piece_bytes == [b"A", b" \xf0\x9f", b"\x9a", b"\x80"]
    assert enc.vocab_pieces == ["A", "ĠðŁ", "ļ", "Ģ"]
    assert enc.pieces == ["A", " \\xf0\\x9f", "\\x9a", "\\x80"]


def test_graphemes_are_what_a_reader_takes_for_one_character() -> None:
    family = "👩‍👩‍👧"
    enc = pw.load("o200k_base").encode(f"a{family}b")
    assert enc.grapheme_spans[0] == (0, 1)
    assert enc.grapheme_spans[-1] == (2, 3)
    assert set(enc.grapheme_spans[1:-1]) == {(1, 2)}


def test_word_ids_are_pretokens() -> None:
    enc = pw.load("qwen3").encode("castanha 19 <think>", special="parse")
    assert enc.pieces == ["cast", "an", "ha", " ", "1", "9", " ", "<think>"]
    assert enc.word_ids == [0, 0, 0, 1, 2, 3, 4, 5]


def test_from_character_to_token_and_back() -> None:
    enc = pw.load("qwen3").encode("A 🚀!")
    assert [enc.char_to_token(at) for at in range(4)] == [0, 1, 1, 4]
    assert enc.char_to_token(4) is None
    assert enc.token_to_chars(1) == (1, 3)
    assert enc.token_to_chars(-1) == (3, 4)
    for token in (5, -6):
        with pytest.raises(IndexError):
            enc.token_to_chars(token)


def test_changed_text_spans_all_that_it_was_made_from() -> None:
    enc = pw.load("qwen3").encode("e\u0301")
    assert enc.byte_spans == [(0, 3)]
    assert enc.char_spans == [(0, 2)]
    assert enc.pieces == ["é"]


def test_equal_by_ids_and_places() -> None:
    tok = pw.load("qwen3")
    assert tok.encode("a b") == tok.encode("a b")
    assert tok.encode("é") != tok.encode("e\u0301")
    assert hash(tok.encode("a b")) == hash(tok.encode("a b"))
    assert tok.encode("a b") != [64, 293]


def test_repr_of_one_token() -> None:
    assert repr(pw.load("gpt-4o").encode("Hello")) == "<Encoding of 1 token, o200k_base: 'Hello'>"
