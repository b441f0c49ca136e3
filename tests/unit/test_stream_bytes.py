"""Raw bytes in a stream of ids: they are text of the stream for every tokenizer, whole characters at a time and in their place."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cache
from itertools import groupby

import pytest

import piecework as pw
from piecework import _core
from piecework._files.registry import ENCODINGS
from piecework._tokenizer import Tokenizer
from piecework._tokenizer.streams import StreamEnd
from tests.conformance.test_decode_live import BYTES, TOKENS, decoder, file_with
from tests.unit.test_streams import llama, text_vocabulary
from tools.fixtures import fixture

FILES = (
    "llama3/tokenizer.json",
    "gemma3/tokenizer.json",
    "llama2/tokenizer.json",
    "minilm_l6_v2/tokenizer.json",
    "xlmr_multilingual_e5_small/tokenizer.json",
    "t5_v1_1/tokenizer.json",
    "llama3_tiktoken/tokenizer.model",
    "mistral/tekken_240718.json",
    "gguf/bert-bge.gguf",
    "gguf/llama-spm.gguf",
    "gguf/phi-3.gguf",
    "gguf/qwen2.gguf",
)
FAMILIES = (*ENCODINGS, *FILES)
BYTE_LEVEL = {*ENCODINGS} - {"bert-base-uncased", "t5"} | {
    "llama3/tokenizer.json",
    "llama3_tiktoken/tokenizer.model",
    "mistral/tekken_240718.json",
    "gguf/qwen2.gguf",
}
Item = int | bytes


@cache
def opened(name: str) -> Tokenizer:
    return pw.load(fixture(name)) if "/" in name else pw.load(name)


def streamed(tok: Tokenizer, items: Sequence[Item | list[int]]) -> str:
    stream = tok.decoder()
    return "".join(stream.feed(item) for item in items) + stream.finish().text


@pytest.mark.parametrize("name", FAMILIES)
def test_b18_bytes_come_as_whole_characters_of_every_tokenizer(name: str) -> None:
    stream = opened(name).decoder()
    chunks = [b"Refund sent ", b"\xf0\x9f", b"\x98\x80", b" today"]
    assert [stream.feed(chunk) for chunk in chunks] == ["Refund sent ", "", "😀", " today"]
    assert stream.finish() == StreamEnd("", complete=True, stopped=None)


@pytest.mark.parametrize("name", FAMILIES)
def test_bytes_stand_in_their_place_among_ids(name: str) -> None:
    tok = opened(name)
    before, after = tok.ids("hello there").tolist(), tok.ids(" we go").tolist()
    head, whole = tok.decode(before), tok.decode([*before, *after])
    assert whole.startswith(head)
    # What comes after bytes is written as after other text.
    expected = f"{head}, 猫 ##▁x{whole[len(head) :]}"
    assert streamed(tok, [before, ", 猫 ##▁x".encode(), after]) == expected
    one_by_one: list[Item] = [*before, *(bytes([byte]) for byte in ", 猫 ##▁x".encode()), *after]
    assert streamed(tok, one_by_one) == expected


@pytest.mark.parametrize("name", FAMILIES)
def test_bytes_that_break_off(name: str) -> None:
    tok = opened(name)
    stream = tok.decoder()
    assert stream.feed(b"a\xf0\x9f") == "a"
    assert stream.finish() == StreamEnd("\ufffd", complete=False, stopped=None)
    strict = tok.decoder(errors="strict")
    assert strict.feed(b"a\xf0\x9f") == "a"
    with pytest.raises(pw.IncompleteTextError) as raised:
        strict.finish()
    assert raised.value.valid_up_to == 1
    # A token's text begins a character of its own where tokens are texts; where they are bytes, a byte is no text either.
    ids = tok.ids("hello").tolist()
    stream = tok.decoder()
    out = [stream.feed(b"\xe7\x8c"), stream.feed(b""), stream.feed([]), stream.feed(ids)]
    assert out[:3] == ["", "", ""]
    assert out[3].startswith("\ufffd")
    assert (out[3] + stream.finish().text)[1:].strip() == "hello"
    stop = tok.decoder(stop="😀")
    assert stop.feed(b"a\xf0\x9f\x98") == "a"
    assert stop.feed(b"\x80b") == ""
    assert (stop.stopped, stop.finish().text) == ("😀", "")


@pytest.mark.parametrize("name", sorted(BYTE_LEVEL))
def test_where_tokens_are_bytes_a_character_may_come_of_both(name: str) -> None:
    tok = opened(name)
    rare = "\U0001f701"
    first, *rest = tok.ids(rare).tolist()
    assert rest
    n_first = len(tok.decode_bytes([first]))
    assert 0 < n_first < 4
    stream = tok.decoder()
    assert [stream.feed(first), stream.feed(rare.encode()[n_first:])] == ["", rare]
    stream = tok.decoder()
    assert [stream.feed(rare.encode()[:n_first]), stream.feed(rest)] == ["", rare]


def made(decoder: object, *tokens: str) -> Tokenizer:
    return text_vocabulary(decoder, *tokens)


def test_by_hand_what_each_decoder_does_around_bytes() -> None:
    pieces = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    bert = made(pieces, "new", "##s", ".", "paper")
    assert streamed(bert, [0, b"est", 1, 3, b"- ", 2]) == "newests paper- ."
    assert streamed(bert, [b"a", 0]) == "a new"
    spaced = made(None, "a", "b")
    assert streamed(spaced, [0, b"-", 1]) == "a- b"
    arrows = made(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}, "▁a", "▁b"
    )
    assert streamed(arrows, [0, b"\xe2\x96\x81", 1]) == "a▁ b"
    assert streamed(arrows, [b"x", 0, 1]) == "x a b"
    # Llama's: one space at the beginning of all vanishes, a run of byte tokens ends, ▁ of the bytes stays.
    assert streamed(llama(), [b" x", 0, b" ", 3, 4, 5, 6]) == " x the 叫!"
    assert streamed(llama(), [0, 3, 4, b"!", 5]) == "the\ufffd\ufffd!\ufffd"
    # A word's end is a space, unless nothing comes after it.
    words = made({"type": "BPEDecoder", "suffix": "</w>"}, "a</w>", "b")
    assert streamed(words, [0, 1, 0]) == "a ba"
    assert streamed(words, [0, b"x", 1]) == "a xb"
    ctc = made(
        {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}, "a", "<pad>", "|"
    )
    assert streamed(ctc, [0, 0, b"a", 0, 2, 1]) == "aaa "


def test_text_that_waits_for_its_end_comes_before_bytes() -> None:
    # A pattern over all of the text sees what is before the bytes, and what is after them, each as a whole.
    replace = {"type": "Replace", "pattern": {"Regex": "^a"}, "content": "_"}
    tok = made({"type": "Sequence", "decoders": [{"type": "Fuse"}, replace]}, "a", "b")
    stream = tok.decoder()
    assert [stream.feed(item) for item in ([0, 0], b"a", [0, 1])] == ["", "_aa", ""]
    assert stream.finish().text == "_b"


def test_every_cut_is_the_whole_for_random_decoders() -> None:
    pick = random.Random(23)
    n_texts = n_with_both = 0
    for _ in range(400):
        tok = Tokenizer(
            _core.Tokenizer.from_tokenizer_json(file_with(decoder(pick)).encode()), "made", is_bundled=False
        )
        for _ in range(5):
            items: list[Item] = []
            for _ in range(pick.randint(1, 12)):
                if pick.random() < 0.4:
                    data = pick.choice([b"x y", b"\xe5\x8f\xab", b"\xe5", b"\xff", "▁é 😀".encode(), b"  "])
                    items += [data[at : at + 1] for at in range(len(data))]
                else:
                    items.append(pick.choice(BYTES) if pick.random() < 0.3 else pick.randrange(len(TOKENS)))
            grouped: list[Item | list[int]] = []
            for kind, group in groupby(items, type):
                part = list(group)
                grouped.append(b"".join(part) if kind is bytes else part)  # type: ignore[arg-type]
            n_texts += 1
            n_with_both += len(grouped) > 2
            assert streamed(tok, items) == streamed(tok, grouped), (json.loads(file_with(None)), items)
    assert n_with_both > 1000
    print(f"{n_texts:,} mixed streams, each cut everywhere and only between ids and bytes: none different")
