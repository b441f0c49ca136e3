"""Llama 3's own tokenizer.model, which is ranks without a pattern: opened by its path alone, as Meta's package opens it.

Each test prints how many ids it compared.
"""

from __future__ import annotations

import base64
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
import tiktoken

import piecework as pw
from tests.conformance.test_save_live import MORE, TEXTS
from tools import fixtures
from tools.fixtures import fixture
from tools.references import hf_tokenizer

# As llama_models 0.3.0 writes them in llama3/tokenizer.py.
PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
NAMED = [
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|step_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
]
N_TEXT_BYTES = 20_000


@cache
def meta() -> tiktoken.Encoding:
    lines = fixture("llama3_tiktoken/tokenizer.model").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    special = NAMED + [f"<|reserved_special_token_{2 + i}|>" for i in range(256 - len(NAMED))]
    return tiktoken.Encoding(
        name="tokenizer.model",
        pat_str=PATTERN,
        mergeable_ranks=ranks,
        special_tokens={token: len(ranks) + i for i, token in enumerate(special)},
    )


@cache
def opened() -> pw.Tokenizer:
    return pw.load(fixture("llama3_tiktoken/tokenizer.model"))


def roles(tok: pw.Tokenizer) -> Mapping[str, str]:
    assert tok._origin is not None
    return tok._origin.roles


def long_texts() -> list[str]:
    return [
        file.path.read_bytes()[:N_TEXT_BYTES].decode("utf-8", "ignore")
        for text_set in ("english", "code", "languages", "emoji")
        for file in fixtures.text_set(text_set)
    ]


def test_the_special_tokens_are_those_of_metas_package() -> None:
    tok = opened()
    assert tok.vocab_size == meta().n_vocab == 128_256
    assert tok.special_tokens == meta()._special_tokens
    by_hand = {
        "<|begin_of_text|>": 128_000,
        "<|end_of_text|>": 128_001,
        "<|start_header_id|>": 128_006,
        "<|end_header_id|>": 128_007,
        "<|eot_id|>": 128_009,
        "<|reserved_special_token_2|>": 128_012,
        "<|reserved_special_token_245|>": 128_255,
    }
    assert {token: tok.special_tokens[token] for token in by_hand} == by_hand
    assert tok.info().n_special == 256
    assert roles(tok)["end"] == "<|end_of_text|>"


def test_ids_are_tiktokens() -> None:
    n_ids = 0
    texts = [*TEXTS, *long_texts()]
    for text in texts:
        expected = meta().encode_ordinary(text)
        assert opened().ids(text).tolist() == expected, text
        parsed = meta().encode(text, allowed_special="all")
        assert opened().ids(text, special="parse").tolist() == parsed, text
        assert opened().decode(expected) == text
        n_ids += len(expected) + len(parsed)
    print(f"llama3 tokenizer.model: {len(texts)} texts, {n_ids:,} ids of tiktoken, none different")


def test_ids_are_those_of_the_published_tokenizer_json() -> None:
    n_ids = 0
    texts = [text for text in (*TEXTS, *long_texts()) if "<|" not in text]
    wanted = hf_tokenizer("llama3").encode_batch(texts, add_special_tokens=False)
    for text, expected in zip(texts, wanted, strict=True):
        assert opened().ids(text).tolist() == expected.ids, text
        n_ids += len(expected.ids)
    print(f"llama3 tokenizer.model: {n_ids:,} ids of tokenizers, none different")


@pytest.mark.parametrize("config", [None, "params.json"])
def test_a_folder_as_meta_publishes_it(config: str | None, tmp_path: Path) -> None:
    shutil.copy(fixture("llama3_tiktoken/tokenizer.model"), tmp_path)
    if config is not None:
        (tmp_path / config).write_text('{"dim": 4096, "vocab_size": 128256}', encoding="utf-8")
    tok = pw.load(tmp_path)
    assert tok == opened()
    assert roles(tok)["begin"] == "<|begin_of_text|>"


def test_what_the_caller_says_goes_first() -> None:
    path = fixture("llama3_tiktoken/tokenizer.model")
    older = pw.load(path, special_tokens={"<|begin_of_text|>": 128_000, "<|eot_id|>": 128_009})
    assert older.special_tokens == {"<|begin_of_text|>": 128_000, "<|eot_id|>": 128_009}
    assert older.ids(MORE[4]) == opened().ids(MORE[4])
    assert pw.load(path, pattern=PATTERN).special_tokens == {}


def test_saved_ranks_open_again_and_other_ranks_say_how(tmp_path: Path) -> None:
    saved = opened().save(tmp_path / "llama3.tiktoken")
    assert saved.left_out == ()
    assert saved.paths[0].read_bytes() == fixture("llama3_tiktoken/tokenizer.model").read_bytes()
    assert pw.load(saved.paths[0]) == opened()
    fewer = saved.paths[0].read_bytes().rpartition(b"\n")[0].rpartition(b"\n")[0]
    (tmp_path / "other.tiktoken").write_bytes(fewer)
    with pytest.raises(pw.LoadError, match="of no known encoding") as raised:
        pw.load(tmp_path / "other.tiktoken")
    assert "piecework.load('other.tiktoken', pattern=…, special_tokens=…)" in str(raised.value.hint)
