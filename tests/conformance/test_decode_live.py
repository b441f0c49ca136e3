"""Decoding against the references: every decoder of tokenizers in random sequences, and sentencepiece's own.

The vocabulary is of texts that decoders treat in their own ways, lists of them are random, and each stream is cut at
random as well. Where the reference panics (its Strip takes away more than there is), there is nothing to compare.
"""

from __future__ import annotations

import io
import json
import random
from typing import Any

import pytest
import sentencepiece
from tokenizers import Tokenizer

from piecework import DecodeError, _core
from tools.fixtures import fixture

TOKENS = tuple(
    dict.fromkeys([
        "<unk>", "▁", "▁the", "▁▁", "the", "##ing", "##", "<0xE5>", "<0x8F>", "<0xAB>", "<0x41>", "<0xff>", "<0x+5>", "<0xé>",
        "<0xzz>", " .", ".", "!", "'", "n't", "'s", "do", " do not", "</w>", "a</w>", "</w>b</w>", "<pad>", "|", "H", "HH",
        "HaH", " ", "  ", " a ", "Ġ", "Ġa", "Ã", "©", "é", "中", "ab", "aab", "b", "a", "ba", "<0x20>", "<0x0A>", "", "s", "'m",
        "x.y !", "re",
    ])
)  # fmt: skip
BYTES = tuple(TOKENS.index(token) for token in ("<0xE5>", "<0x8F>", "<0xAB>", "<0x41>", "<0xff>"))
ADDED = (("<s>", True), ("▁add", False))


def replace(pattern: str, content: str, kind: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def step(pick: random.Random) -> dict[str, Any]:
    """One decoder with random settings."""
    texts, patterns = (
        ("▁", "ab", "aab", "aa", " ", "ba"),
        (r"\s+", "a+", "(a)(b)", "b|a", r"\s+(?!\S)", "^a", ""),
    )
    steps: list[dict[str, Any]] = [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "WordPiece", "prefix": pick.choice(["##", "a", ""]), "cleanup": pick.random() < 0.7},
        {"type": "Metaspace", "replacement": pick.choice("▁ a"), "split": True,
         "prepend_scheme": pick.choice(["always", "first", "never"])},
        {"type": "BPEDecoder", "suffix": pick.choice(["</w>", "b"])},
        {"type": "CTC", "pad_token": pick.choice(["<pad>", "a"]), "word_delimiter_token": pick.choice("| "),
         "cleanup": pick.random() < 0.7},
        replace(pick.choice(texts), pick.choice([" ", "", "xx", "▁"]), "String"),
        replace(pick.choice(patterns), pick.choice([" ", "$1", "_"]), "Regex"),
        {"type": "Fuse"},
        {"type": "Strip", "content": pick.choice(" Ha"), "start": pick.randint(0, 3), "stop": pick.choice([0, 0, 1, 2])},
        {"type": "ByteFallback"},
    ]  # fmt: skip
    return pick.choice(steps)


def decoder(pick: random.Random) -> dict[str, Any] | None:
    """No decoder, one, or a sequence."""
    kind = pick.random()
    if kind < 0.05:
        return None
    if kind < 0.4:
        return step(pick)
    return {"type": "Sequence", "decoders": [step(pick) for _ in range(pick.randint(1, 5))]}


def file_with(made: dict[str, Any] | None) -> str:
    """A tokenizer.json of these tokens with this decoder."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [
        {"id": len(TOKENS) + at, "content": content, "special": special, **flags}
        for at, (content, special) in enumerate(ADDED)
    ]
    vocab = {token: id_ for id_, token in enumerate(TOKENS)}
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": None, "post_processor": None, "decoder": made,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "<unk>"},
    })  # fmt: skip


def ids_of(pick: random.Random, n_ids: int, rows: tuple[int, ...]) -> list[int]:
    """A list of ids; at times mostly of byte tokens, and with repetitions."""
    n = pick.choice([0, 1, 2, 3, 5, 8, 14])
    if pick.random() < 0.6:
        return [pick.randrange(n_ids) for _ in range(n)]
    return [pick.choice(rows) if pick.random() < 0.7 else pick.randrange(n_ids) for _ in range(n)]


def streamed(ours: _core.Tokenizer, ids: list[int], skip_special: bool, pick: random.Random) -> str:
    """The text of ids that come in random parts."""
    stream, out, at = ours.decoder(skip_special, "replace", []), "", 0
    while at < len(ids):
        n = pick.randint(0, 3)
        out += stream.feed(ids[at : at + n])
        at += n
    return out + stream.finish()[0]


def check_strict(ours: _core.Tokenizer, ids: list[int], skip_special: bool, text: str) -> None:
    """Strict decoding gives the same text, or names the first place that is none."""
    try:
        strict = ours.decode(ids, "strict", skip_special)
    except DecodeError as error:
        valid_up_to = error.fields()["valid_up_to"]
        assert isinstance(valid_up_to, int)
        valid = text.encode()[:valid_up_to].decode()
        assert text[len(valid) :].startswith("\ufffd")
        assert "\ufffd" not in valid
    else:
        assert strict == text


@pytest.mark.parametrize("seed", range(6))
def test_every_decoder_of_tokenizers(seed: int) -> None:
    pick = random.Random(seed)
    n_compared = 0
    for _ in range(60):
        made = decoder(pick)
        data = file_with(made)
        reference, ours = Tokenizer.from_str(data), _core.Tokenizer.from_tokenizer_json(data.encode())
        for _ in range(20):
            ids = ids_of(pick, len(TOKENS) + len(ADDED), BYTES)
            skip_special = pick.random() < 0.5
            try:
                expected = reference.decode(ids, skip_special_tokens=skip_special)
            except BaseException as error:
                if type(error).__name__ != "PanicException":
                    raise
                continue
            n_compared += 1
            assert ours.decode(ids, "replace", skip_special) == expected, (made, ids)
            assert streamed(ours, ids, skip_special, pick) == expected, (made, ids)
            check_strict(ours, ids, skip_special, expected)
    print(f"seed {seed}: {n_compared} lists of tokens compared, 0 different")
    assert n_compared > 1000


SENTENCES = (
    "the quick brown fox",
    "jumps over the lazy dog",
    "a cat and a hat",
    "they  ran   home",
    "x y z",
    "the the cat",
)


def sentencepiece_model(**settings: Any) -> bytes:
    """A small model, trained here."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20), model_writer=model, hard_vocab_limit=False, minloglevel=2,
        user_defined_symbols=["<user>", "▁<sep>▁"], **settings,
    )  # fmt: skip
    return model.getvalue()


@pytest.mark.parametrize("add_dummy_prefix", [True, False])
@pytest.mark.parametrize("remove_extra_whitespaces", [True, False])
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_sentencepiece(add_dummy_prefix: bool, remove_extra_whitespaces: bool, model_type: str) -> None:
    data = sentencepiece_model(
        vocab_size=330, byte_fallback=True, model_type=model_type, add_dummy_prefix=add_dummy_prefix,
        remove_extra_whitespaces=remove_extra_whitespaces,
    )  # fmt: skip
    reference = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = _core.Tokenizer.from_sentencepiece(data)
    n_ids = reference.get_piece_size()
    spaces = tuple(id_ for id_ in range(n_ids) if reference.id_to_piece(id_).startswith("▁"))
    rows = (
        *(reference.piece_to_id(f"<0x{byte:02X}>") for byte in (0xE5, 0x8F, 0xAB, 0x41, 0x20)),
        0,
        1,
        2,
        *spaces,
    )
    pick = random.Random(7)
    for _ in range(2000):
        ids = ids_of(pick, n_ids, rows)
        expected = reference.decode(ids)
        assert ours.decode(ids, "replace", False) == expected, [reference.id_to_piece(id_) for id_ in ids]
        assert streamed(ours, ids, False, pick) == expected
        check_strict(ours, ids, False, expected)


def test_b19_spaces_of_a_real_vocabulary_stream() -> None:
    ours = _core.Tokenizer.from_sentencepiece(fixture("mistral/tokenizer.model.v1").read_bytes())
    stream = ours.decoder(False, "replace", [])
    assert [stream.feed(id_) for id_ in (272, 2936, 5255)] == ["the", " quick", " cat"]
    assert [ours.piece(id_) for id_ in (272, 243, 1)] == [" the", r"\xf0", "<s>"]
    assert [ours.vocab_piece(id_) for id_ in (272, 243, 1)] == ["▁the", "<0xF0>", "<s>"]


@pytest.mark.parametrize("name", ["minilm_l6_v2", "llama2", "deepseek_v3"])
def test_real_files(name: str) -> None:
    data = fixture(f"{name}/tokenizer.json").read_bytes()
    reference, ours = Tokenizer.from_str(data.decode()), _core.Tokenizer.from_tokenizer_json(data)
    n_ids, pick = reference.get_vocab_size(), random.Random(3)
    for _ in range(300):
        ids = ids_of(pick, n_ids, (0, 1, 2, 230, 231, 232))
        skip_special = pick.random() < 0.5
        expected = reference.decode(ids, skip_special_tokens=skip_special)
        assert ours.decode(ids, "replace", skip_special) == expected, ids
        assert streamed(ours, ids, skip_special, pick) == expected, ids
