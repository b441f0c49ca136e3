"""What callers get wrong is refused with a word of what is right; what only looks wrong is taken."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import piecework as pw


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.load("o200k_base")


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    path = tmp_path / "made.tiktoken"
    path.write_text("YQ== 0\nYg== 1\n", encoding="ascii")
    return path


@pytest.mark.parametrize("number", [-1, 1 << 32, 1 << 80])
def test_an_id_that_no_special_token_can_have(ranks: Path, number: int) -> None:
    with pytest.raises(pw.FormatError, match=f"special_tokens.'<x>'.: {number} is no id") as raised:
        pw.load(ranks, pattern="a|b", special_tokens={"<x>": number})
    assert raised.value.place == "special_tokens['<x>']"


def test_surrogates_in_what_defines_a_tokenizer(ranks: Path) -> None:
    with pytest.raises(pw.FormatError, match="pattern: it holds a lone surrogate"):
        pw.load(ranks, pattern="a\ud800")
    with pytest.raises(pw.FormatError, match=r"special_tokens\['<\\udfff>'\]: it holds a lone surrogate"):
        pw.load(ranks, pattern="a|b", special_tokens={"<\udfff>": 5})


def test_special_tokens_of_other_types(ranks: Path) -> None:
    wrong: Any
    for wrong in ({"<x>": 1.5}, {3: 3}, {"<x>": "3"}):
        with pytest.raises(TypeError):
            pw.load(ranks, pattern="a|b", special_tokens=wrong)


def test_a_str_is_its_characters_whatever_its_class_says(tok: pw.Tokenizer) -> None:
    class Liar(str):
        __slots__ = ()

        def encode(self, *_: object, **__: object) -> bytes:
            return b"lies"

        def isascii(self) -> bool:
            return True

        def __getitem__(self, _: object) -> str:
            return "lies"

    text = "surrogate \ud800 here"
    assert tok.ids(Liar(text), errors="replace") == tok.ids(text, errors="replace")
    with pytest.raises(pw.NotUnicodeError) as raised:
        tok.ids(Liar(text))
    assert raised.value.index == 10
    long = "é " * 2_500_000
    assert tok.count(Liar(long)) == tok.count(long)


def test_a_long_text_is_read_in_parts(tok: pw.Tokenizer) -> None:
    # A part ends inside the pair of surrogates.
    text = ("é " * (1 << 21))[:-1] + "\ud83d\ude80!"
    joined = ("é " * (1 << 21))[:-1] + "🚀!"
    assert tok.ids(text, errors="replace") == tok.ids(joined)
    assert tok.encode(text, errors="replace").char_spans[-1] == (len(text) - 1, len(text))


def test_an_exception_of_index_is_seen(tok: pw.Tokenizer) -> None:
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError("mine")

    class Five:
        def __index__(self) -> int:
            return 5

    wrong: Any = [1, Broken()]
    with pytest.raises(ZeroDivisionError, match="mine"):
        tok.decode(wrong)
    right: Any = [Five(), np.uint8(5), np.int64(5)]
    assert tok.decode(right) == tok.decode([5, 5, 5])
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.decode([1, np.int64(-3)])  # type: ignore[list-item]
    assert (raised.value.id, raised.value.position) == (-3, 1)


@pytest.mark.parametrize("shape", [(2, 2), (1, 1), (3, 1), ()])
def test_a_matrix_is_no_row_of_ids(tok: pw.Tokenizer, shape: tuple[int, ...]) -> None:
    matrix: Any = np.ones(shape, np.uint32)
    for call in (tok.decode, tok.decode_bytes):
        with pytest.raises(TypeError, match=f"ids are one row, not an array of {len(shape)} dimensions"):
            call(matrix)


def test_a_word_that_is_no_word(tok: pw.Tokenizer) -> None:
    nothing: Any = None
    with pytest.raises(TypeError, match='special is "text", "parse" or "raise", not None'):
        tok.ids("a", special=nothing)
    three: Any = 3
    with pytest.raises(TypeError, match='errors is "strict" or "replace", not 3'):
        tok.count_batch(["a"], errors=three)


def test_results_can_be_referred_to_weakly(tok: pw.Tokenizer) -> None:
    for value in (tok, tok.encode("a"), tok.encode_batch(["a"]), tok.ids("a"), tok.count_batch(["a"])):
        assert weakref.ref(value)() is value


@pytest.mark.parametrize("n_threads", [1, 4])
def test_the_text_at_fault_is_named(tok: pw.Tokenizer, n_threads: int) -> None:
    texts = ["a"] * 5_000 + ["b <|endoftext|>"] + ["c"] * 5_000 + ["<|endoftext|>"]
    for call in (tok.encode_batch, tok.count_batch):
        with pytest.raises(pw.SpecialTokenError, match=r"^text 5000: the text holds") as raised:
            call(texts, special="raise", n_threads=n_threads)
        assert raised.value.byte_span == (2, 15)


def test_numbers_that_segmentations_cannot_have_are_named() -> None:
    t5 = pw.load("t5")
    with pytest.raises(ValueError, match=r"^n is -1; it must be at least 0"):
        t5.nbest("a", -1)
    with pytest.raises(ValueError, match=r"^nbest_size is -1; it must be at least 0"):
        t5.sample("a", seed=1, nbest_size=-1)
    for alpha in (10**400, -(10**5000)):
        with pytest.raises(ValueError, match="alpha is an integer beyond any float"):
            t5.sample("a", seed=1, alpha=alpha)


def test_what_a_stream_is_fed_and_cannot_be_is_said() -> None:
    tok = pw.load("o200k_base")
    wrong: list[Any] = [5, b"a", None]
    for item in wrong:
        with pytest.raises(TypeError, match=f"a str, not {type(item).__name__}$"):
            tok.encoder().feed(item)
    for item in (1.5, None):
        with pytest.raises(
            TypeError, match=f"^feed takes an id, several, or raw bytes, not {type(item).__name__}$"
        ):
            tok.decoder().feed(item)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an id is an int, not float"):
        tok.decoder().feed([1.5])  # type: ignore[list-item]
