"""Folders without a tokenizer.json: each format by its usual names, with what the files around it say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import transformers

import piecework as pw
from tools.fixtures import fixture

TEXT = "Hello, world! 123456 I'm here  ÀÉ naïve 日本語 🚀"


def folder_of(folder: Path, config: dict[str, Any] | None = None, **files: str) -> Path:
    """A folder with these fetched files; `tokenizer__model` is the name tokenizer.model."""
    for name, source in files.items():
        shutil.copy(fixture(source), folder / name.replace("__", "."))
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_a_wordpiece_folder_is_its_tokenizer_json(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        vocab__txt="minilm_l6_v2/vocab.txt",
        tokenizer_config__json="minilm_l6_v2/tokenizer_config.json",
        special_tokens_map__json="minilm_l6_v2/special_tokens_map.json",
    )
    tok = pw.load(folder)
    assert tok == pw.load(fixture("minilm_l6_v2/tokenizer.json").parent)
    auto = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    for add in (False, True):
        expected = auto(TEXT, add_special_tokens=add)["input_ids"]
        assert tok.ids(TEXT, special="parse", add_special_tokens=add).tolist() == expected


@pytest.mark.parametrize(
    ("config", "around"),
    [
        (None, ([1], [])),
        ({"tokenizer_class": "LlamaTokenizer"}, ([1], [])),
        ({"tokenizer_class": "LlamaTokenizer", "add_bos_token": False}, ([], [])),
        ({"add_bos_token": True, "add_eos_token": True, "eos_token": "</s>", "bos_token": "<s>"}, ([1], [2])),
        ({"tokenizer_class": "T5Tokenizer"}, ([], [2])),
    ],
)
def test_begin_and_end_of_a_sentencepiece_folder(
    tmp_path: Path, config: dict[str, Any] | None, around: tuple[list[int], list[int]]
) -> None:
    tok = pw.load(folder_of(tmp_path, config, tokenizer__model="mistral/tokenizer.model.v1"))
    assert tok.added_around == around
    assert tok.ids(TEXT) == pw.load(fixture("mistral/tokenizer.model.v1")).ids(TEXT)
    assert tok.info().profile.startswith("sentencepiece")
    assert tok.info().findings == ()


def test_names_for_pieces_of_the_model_add_none(tmp_path: Path) -> None:
    config = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    tok = pw.load(folder_of(tmp_path, config, tokenizer__model="mistral/tokenizer.model.v1"))
    assert tok.special_tokens == {"<s>": 1, "</s>": 2, "<pad>": 32000}
    assert tok.vocab_size == 32001


def test_a_class_that_renumbers_the_pieces_is_refused(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path, {"tokenizer_class": "XLMRobertaTokenizer"}, spiece__model="mistral/tokenizer.model.v1"
    )
    with pytest.raises(pw.FormatError, match="XLMRobertaTokenizer renumbers the pieces"):
        pw.load(folder)


@pytest.mark.parametrize("name", ["botchan_en_unigram_1000", "kyoto_ja_unigram_8000", "botchan_en_bpe_1000"])
def test_a_sentencepiece_model_by_any_name(tmp_path: Path, name: str) -> None:
    source = f"sentencepiece_test/{name}.model"
    tok = pw.load(folder_of(tmp_path, words__model=source))
    assert tok == pw.load(fixture(source))
    assert tok.decode(tok.ids("Hello")) == "Hello"


@pytest.mark.parametrize("name", ["qwen2", "llama-spm", "bert-bge"])
def test_a_folder_of_one_gguf(tmp_path: Path, name: str) -> None:
    tok = pw.load(folder_of(tmp_path, model__gguf=f"gguf/{name}.gguf"))
    assert tok == pw.load(fixture(f"gguf/{name}.gguf"))
    assert tok.info().profile.startswith("llama.cpp")


def test_a_folder_of_a_tekken_json(tmp_path: Path) -> None:
    tok = pw.load(folder_of(tmp_path, tekken__json="mistral/tekken_240718.json"))
    assert (tok.n_base, tok.vocab_size) == (130_072, 131_072)
    assert tok.decode(tok.ids(TEXT)) == TEXT


def test_a_vocab_json_with_its_merges(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        vocab__json="curated_toy/robbert-vocab-1000.json",
        merges__txt="curated_toy/robbert-merges-1000.txt",
    )
    tok = pw.load(folder)
    assert tok == pw.load(folder / "vocab.json")
    assert [file.name for file in pw.load(folder / "vocab.json").info().files] == ["vocab.json", "merges.txt"]
    assert tok.decode(tok.ids("de wereld")) == "de wereld"


def test_a_live_tokenizer_of_transformers_that_is_a_wordpiece_one() -> None:
    folder = fixture("minilm_l6_v2/tokenizer.json").parent
    auto = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    assert pw.load(auto).ids(TEXT) == pw.load(folder).ids(TEXT)
