"""Streams: ids that become text as they come, and text that becomes ids as it comes."""

from __future__ import annotations

import json
import threading

import pytest

import piecework as pw
from piecework import _core
from piecework._tokenizer import Tokenizer
from piecework._tokenizer.streams import StreamEnd

ARROW = "▁"


def text_vocabulary(decoder: object, *tokens: str, model: dict[str, object] | None = None) -> Tokenizer:
    """A tokenizer whose tokens are these texts, with this decoder."""
    vocab = {token: id_ for id_, token in enumerate(tokens)}
    value = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": decoder,
        "model": model or {"type": "WordLevel", "vocab": vocab, "unk_token": tokens[0]},
    }
    return Tokenizer(
        _core.Tokenizer.from_tokenizer_json(json.dumps(value).encode()), "made", is_bundled=False
    )


LLAMA = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": ARROW}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


def llama() -> Tokenizer:
    return text_vocabulary(LLAMA, "▁the", "▁quick", "▁cat", "<0xE5>", "<0x8F>", "<0xAB>", "!")


def test_b17_letters_come_whole() -> None:
    ids = [12453, 10036, 75901, 283, 13453, 74, 20195, 10044, 237, 1995, 9978]
    stream = pw.load("cl100k_base").decoder()
    parts = [stream.feed(id_) for id_ in ids]
    assert [*parts, stream.finish().text] == ["ž", "lu", "ť", "ou", "č", "k", "ý", " ", "ď", "á", "bel", ""]


def test_b19_only_the_first_space_vanishes() -> None:
    stream = llama().decoder()
    assert [stream.feed(id_) for id_ in (0, 1, 2)] == ["the", " quick", " cat"]
    assert stream.streams


def test_raw_bytes_are_a_stream_too() -> None:
    stream = pw.load("o200k_base").decoder()
    chunks = [b"Refund sent ", b"\xf0\x9f", b"\x98\x80", b" today"]
    assert [stream.feed(chunk) for chunk in chunks] == ["Refund sent ", "", "😀", " today"]
    assert stream.finish() == StreamEnd("", complete=True, stopped=None)


def test_what_breaks_off_is_said() -> None:
    tok = pw.load("o200k_base")
    stream = tok.decoder()
    assert stream.feed(b"a\xf0\x9f") == "a"
    assert stream.finish() == StreamEnd("\ufffd", complete=False, stopped=None)
    strict = tok.decoder(errors="strict")
    assert strict.feed(b"a\xf0\x9f") == "a"
    with pytest.raises(pw.IncompleteTextError) as caught:
        strict.finish()
    assert caught.value.valid_up_to == 1


def test_a_run_of_byte_tokens_waits_for_its_end() -> None:
    stream = llama().decoder()
    assert [stream.feed(id_) for id_ in (3, 4, 5, 6)] == ["", "", "", "叫!"]


def test_a_stop_string_may_be_cut_anywhere() -> None:
    tok = pw.load("o200k_base")
    ids = tok.ids("One two\n\nUser: three").tolist()
    for size in (1, 2, 3, len(ids)):
        stream = tok.decoder(stop=["\nUser:", "###"])
        text = "".join(stream.feed(ids[at : at + size]) for at in range(0, len(ids), size))
        assert (text, stream.stopped) == ("One two\n", "\nUser:")
        assert stream.finish() == StreamEnd("", complete=True, stopped="\nUser:")
    stream = tok.decoder(stop="two!")
    assert stream.feed(tok.ids("One two")) == "One "
    assert stream.finish() == StreamEnd("two", complete=True, stopped=None)
    with pytest.raises(ValueError, match="empty"):
        tok.decoder(stop=["a", ""])


def test_an_unknown_id_is_counted_over_the_stream_and_the_stream_goes_on() -> None:
    tok = pw.load("o200k_base")
    hello = tok.ids("Hello there, you").tolist()
    stream = tok.decoder()
    first = stream.feed(hello[:2])
    for bad in (4_000_000_000, 2**40, -1):
        with pytest.raises(pw.UnknownIdError) as caught:
            stream.feed([hello[2], bad])
        assert caught.value.position == 3
    assert first + stream.feed(hello[2:]) + stream.finish().text == "Hello there, you"


def test_special_tokens_may_be_left_out() -> None:
    tok = pw.load("qwen3")
    ids = tok.ids("<|im_start|>hi<|im_end|>", special="parse")
    kept, dropped = tok.decoder(), tok.decoder(skip_special=True)
    assert kept.feed(ids) == "<|im_start|>hi<|im_end|>"
    assert dropped.feed(ids) == "hi"


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
def test_a_stream_ends_once(kind: str) -> None:
    stream = getattr(pw.load("o200k_base"), kind)()
    stream.finish()
    with pytest.raises(ValueError, match="has ended"):
        stream.finish()
    with pytest.raises(ValueError, match="has ended"):
        stream.feed([] if kind == "decoder" else "")


def test_ids_come_as_soon_as_they_are_sure() -> None:
    stream = pw.load("o200k_base").encoder()
    assert stream.streams
    assert stream.feed("Hello wor").tolist() == [13225]
    assert stream.feed("ld").tolist() == []
    assert stream.n_pending_bytes == len(" world")
    assert stream.finish().tolist() == [2375]


def test_begin_and_end_stand_around_a_stream() -> None:
    tok = pw.load("qwen3")
    stream = tok.encoder(add_special_tokens=True)
    whole = tok.ids("a b c", add_special_tokens=True).tolist()
    assert [*stream.feed("a b"), *stream.feed(" c"), *stream.finish()] == whole


def test_a_control_string_is_found_across_cuts() -> None:
    tok = pw.load("qwen3")
    text = "one two <|im_start|> three"
    parsed = tok.encoder(special="parse")
    ids = [id_ for char in text for id_ in parsed.feed(char)]
    assert [*ids, *parsed.finish()] == tok.ids(text, special="parse").tolist()
    strict = tok.encoder(special="raise")
    strict.feed("one two <|im_st")
    with pytest.raises(pw.SpecialTokenError) as caught:
        strict.feed("art|> three and so on")
    assert caught.value.byte_span == (8, 20)


def test_half_a_character_waits_for_the_other_half() -> None:
    tok = pw.load("o200k_base")
    stream = tok.encoder(errors="replace")
    ids = [*stream.feed("a \ud83d"), *stream.feed("\ude00 b"), *stream.finish()]
    assert ids == tok.ids("a \ud83d\ude00 b", errors="replace").tolist() == tok.ids("a 😀 b").tolist()
    half = tok.encoder(errors="replace")
    assert [*half.feed("a \ud83d"), *half.finish()] == tok.ids("a \ufffd").tolist()
    broken = tok.encoder()
    broken.feed("a \ud83d")
    with pytest.raises(pw.NotUnicodeError):
        broken.finish()


def test_threads_may_take_turns() -> None:
    tok = pw.load("o200k_base")
    stream = tok.encoder()
    long = "word " * 20_000
    made: list[int] = []

    def work() -> None:
        made.extend(len(stream.feed(long)) for _ in range(4))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) + len(stream.finish()) == tok.count(long * 16)
