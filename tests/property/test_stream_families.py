"""Streams of tokenizers of other families, on small vocabularies: any cut joins to the whole, and what can stream does."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piecework import _core
from piecework._tokenizer import Tokenizer
from tests.property.test_stream_cuts import cuts, parts

LETTERS = "abcdefgh"
WORDS = ("ab", "abc", "cab", "de", "fade", "▁ab", "▁abc", "▁b", "bead", "each", "▁▁")
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
LLAMA_DECODER = {"type": "Sequence", "decoders": [REPLACE, {"type": "ByteFallback"}, {"type": "Fuse"}, STRIP]}


def metaspace(**settings: Any) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True, **settings}


def word_piece() -> dict[str, Any]:
    vocab = [
        "[UNK]",
        *LETTERS,
        *(f"##{letter}" for letter in LETTERS),
        "ab",
        "##ab",
        "bead",
        "!",
        "'",
        "é",
        ",",
        "[X]",
    ]
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20,
            "vocab": {token: id_ for id_, token in enumerate(vocab)}}  # fmt: skip


def unigram() -> dict[str, Any]:
    pieces = [
        ["<unk>", 0.0],
        ["▁", -2.0],
        *([letter, -4.0] for letter in LETTERS),
        *([word, -5.0] for word in WORDS),
    ]
    return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False}


def bpe(*merges: str, **settings: Any) -> dict[str, Any]:
    tokens = [
        "<unk>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "▁",
        *LETTERS,
        *(m.replace(" ", "") for m in merges),
    ]
    return {"type": "BPE", "vocab": {token: id_ for id_, token in enumerate(tokens)}, "merges": list(merges),
            "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, **settings}  # fmt: skip


BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
MERGES = ("a b", "ab c", "d e", "▁ ab", "▁ b", "c ab", "▁ab c", "▁ ▁")
# Each with whether it streams.
FAMILIES: dict[str, tuple[dict[str, Any], bool]] = {
    "bert": ({"normalizer": BERT, "pre_tokenizer": {"type": "BertPreTokenizer"}, "model": word_piece(),
              "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True}}, True),
    "t5": ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace()]},
            "model": unigram(), "decoder": metaspace()}, True),
    "words": ({"normalizer": {"type": "NFKC"}, "pre_tokenizer": metaspace(prepend_scheme="first"), "model": unigram(),
               "decoder": metaspace()}, True),
    "mistral": ({"pre_tokenizer": metaspace(prepend_scheme="first", split=False), "model": bpe(*MERGES),
                 "decoder": LLAMA_DECODER}, True),
    "whole": ({"pre_tokenizer": None, "model": unigram(), "decoder": metaspace()}, False),
    "llama": ({"normalizer": {"type": "Sequence", "normalizers": [
                  {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
               "pre_tokenizer": None, "model": bpe(*MERGES), "decoder": LLAMA_DECODER}, False),
}  # fmt: skip
ADDED = (
    {"content": "<s>", "special": True},
    {"content": "bad", "normalized": True},
    {"content": "<l>", "lstrip": True},
    {"content": "<r>", "rstrip": True},
    {"content": "head", "single_word": True},
)


@cache
def family(name: str, n_added: int) -> Tokenizer:
    """The tokenizer of a family, with so many of the added tokens."""
    parts_, _ = FAMILIES[name]
    flags = {"special": False, "normalized": False, "lstrip": False, "rstrip": False, "single_word": False}
    added = [{"id": 1000 + at, **flags, **token} for at, token in enumerate(ADDED[:n_added])]
    empty = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "normalizer": None,
        "post_processor": None,
    }
    data = json.dumps({**empty, "added_tokens": added, **parts_}).encode()
    return Tokenizer(_core.Tokenizer.from_tokenizer_json(data), name, is_bundled=False)


families = st.builds(family, st.sampled_from(sorted(FAMILIES)), st.sampled_from([0, 1, 2, len(ADDED)]))
_UNITS = st.sampled_from([
    *LETTERS, *"  \t\n!'▁éÉ中", "\u0301", "\u0308", "\u1100", "\u1161", "ab", "bead", "bad", " head", "<s>", "<l>", "<r>", "<", ">",
    "de de", "\xa0", "\u3000", "ﬁ", "½",
])  # fmt: skip
texts = st.lists(_UNITS, max_size=30).map("".join)
specials = st.sampled_from(["text", "parse"])


@given(families, texts, cuts, specials)
def test_text_becomes_the_ids_of_the_whole(tok: Tokenizer, text: str, at: list[int], special: Any) -> None:
    stream = tok.encoder(special=special)
    ids = [id_ for part in parts(len(text), at) for id_ in stream.feed(text[part])]
    assert [*ids, *stream.finish()] == tok.ids(text, special=special).tolist()


@given(families, st.data(), cuts, st.booleans())
def test_ids_become_the_text_of_the_whole(
    tok: Tokenizer, data: st.DataObject, at: list[int], skip_special: bool
) -> None:
    known = [id_ for id_ in range(tok.vocab_size) if id_ < 1000 or id_ - 1000 < tok.n_tokens - tok.n_base]
    known = [id_ for id_ in known if id_ < tok.n_base or id_ >= 1000]
    ids = data.draw(st.lists(st.sampled_from(known), max_size=30))
    stream = tok.decoder(skip_special=skip_special)
    out = "".join(stream.feed(ids[part]) for part in parts(len(ids), at))
    whole = tok.decode(ids, skip_special=skip_special)
    assert whole.startswith(out)
    assert out + stream.finish().text == whole


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_what_can_stream_does(name: str) -> None:
    stream = family(name, 0).encoder()
    assert stream.streams is FAMILIES[name][1]
    given_out = sum(len(stream.feed(char)) for char in "abc de bead ab")
    assert (given_out > 0) is stream.streams
