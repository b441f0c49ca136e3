"""Files other than tokenizer.json give the ids of the library that reads each itself."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import transformers

from piecework import _core
from tools.fixtures import fixture
from tools.gguf_texts import generated

MODELS = (
    "mistral/tokenizer.model.v1",
    "mistral/tokenizer.model.v2",
    "mistral/tokenizer.model.v3",
    "mistral/tokenizer.model.v7",
    "sentencepiece_test/botchan_en_bpe_1000.model",
    "sentencepiece_test/botchan_en_unigram_1000.model",
    "sentencepiece_test/kyoto_ja_unigram_8000.model",
    "curated_toy/toy.model",
)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    prose = fixture("sentencepiece_test/botchan.txt").read_text(encoding="utf-8")
    return [*generated(1500, seed=5), *prose.split("\n")[:1000], prose[:50_000]]


def _ids(tok: _core.Tokenizer, text: str) -> list[int]:
    return list(tok.ids(text, "text", False, "strict"))


@pytest.mark.parametrize("name", MODELS)
def test_sentencepiece(name: str, texts: list[str]) -> None:
    data = fixture(name).read_bytes()
    reference = sentencepiece.SentencePieceProcessor()
    reference.LoadFromSerializedProto(data)
    tok = _core.Tokenizer.from_sentencepiece(data)
    for text in texts:
        ids = reference.encode(text)
        assert _ids(tok, text) == ids, text
        assert tok.decode(ids, "replace", False) == reference.decode(ids), text


@pytest.mark.parametrize("name", ["mistral/tekken_240718.json", "mistral/tekken_240911.json"])
def test_tekken(name: str, texts: list[str]) -> None:
    data = fixture(name).read_bytes()
    file: dict[str, Any] = json.loads(data)
    config = file["config"]
    n_special: int = config["default_num_special_tokens"]
    n_learned = config["default_vocab_size"] - n_special
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in file["vocab"][:n_learned]}
    reference = tiktoken.Encoding(
        "tekken", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    tok = _core.Tokenizer.from_tekken(data)
    for text in texts:
        assert _ids(tok, text) == [rank + n_special for rank in reference.encode_ordinary(text)], text


@pytest.mark.parametrize(
    "options", [{}, {"do_lower_case": False}, {"strip_accents": False, "tokenize_chinese_chars": False}]
)
def test_wordpiece(options: dict[str, Any], texts: list[str], tmp_path: Path) -> None:
    vocab = fixture("minilm_l6_v2/vocab.txt").read_bytes()
    (tmp_path / "vocab.txt").write_bytes(vocab)
    tok = _core.Tokenizer.from_wordpiece(vocab, json.dumps(options))
    _same(transformers.BertTokenizer, options, tok, texts, tmp_path)


@pytest.mark.parametrize("name", ["CLIPTokenizer", "OpenAIGPTTokenizer"])
def test_words_with_an_end(name: str, texts: list[str], tmp_path: Path) -> None:
    merges = fixture("clip/merges.txt").read_bytes()
    options = {"tokenizer_class": name, "unk_token": "<|endoftext|>"}
    _same_pair(_clip_vocab(merges), _clip_merges(merges), options, texts, tmp_path)


@pytest.mark.parametrize("name", ["GPT2Tokenizer", "Qwen2Tokenizer"])
def test_bytes(name: str, texts: list[str], tmp_path: Path) -> None:
    model: dict[str, Any] = json.loads(fixture("qwen3/tokenizer.json").read_bytes())["model"]
    vocab = json.dumps(model["vocab"], ensure_ascii=False).encode()
    merges = "\n".join(["#version: 0.2", *(" ".join(pair) for pair in model["merges"]), ""]).encode()
    _same_pair(vocab, merges, {"tokenizer_class": name}, texts, tmp_path)


def _same_pair(vocab: bytes, merges: bytes, options: dict[str, Any], texts: list[str], folder: Path) -> None:
    (folder / "vocab.json").write_bytes(vocab)
    (folder / "merges.txt").write_bytes(merges)
    tok = _core.Tokenizer.from_vocab_merges(vocab, merges, json.dumps(options))
    _same(getattr(transformers, options["tokenizer_class"]), options, tok, texts, folder)


def _same(kind: Any, options: dict[str, Any], tok: _core.Tokenizer, texts: list[str], folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps(options), encoding="utf-8")
    reference = kind.from_pretrained(folder).backend_tokenizer
    for text in texts:
        assert list(tok.ids(text, "parse", True, "strict")) == reference.encode(text).ids, text


def _clip_merges(data: bytes) -> bytes:
    """The merges that CLIP has: its file holds more."""
    return b"\n".join(data.split(b"\n")[: 1 + 49152 - 256 - 2])


def _clip_vocab(merges: bytes) -> bytes:
    """The vocabulary that CLIP builds from its merges: bytes, bytes that end a word, products, two markers."""
    shown = _core.byte_alphabet()
    # Those that show themselves come first, as in the published table.
    singles = sorted(shown, key=lambda char: (ord(char) >= 0x100, ord(char)))
    products = ["".join(line.split()) for line in _clip_merges(merges).decode().split("\n")[1:]]
    tokens = [*singles, *(char + "</w>" for char in singles), *products, "<|startoftext|>", "<|endoftext|>"]
    return json.dumps({token: id_ for id_, token in enumerate(tokens)}, ensure_ascii=False).encode()
