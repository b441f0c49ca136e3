"""A model's folder gives the ids that AutoTokenizer of transformers gives for it, begin and end tokens included."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import transformers

import piecework as pw
from tests.made_files import model_folder, small_byte_level
from tools.fixtures import fixture

TEXTS = (
    "Hello, world! 123456 I'm here",
    "  two  spaces\n\n\nand\tlines\r\n",
    "A raposa preguiçosa: 1969 🚀 日本語",
    "<|im_start|>user\n<think>x</think><|endoftext|>",
    "<｜begin▁of▁sentence｜>hi<｜tool▁calls▁begin｜><|begin_of_text|><|eot_id|><|return|>",
    "",
)
FOLDERS = ("qwen3", "gpt35turbo", "gptoss", "llama3", "deepseek_v3")


@cache
def reference(folder: Path) -> Any:
    # What is asked is the file's tokenizer: it is local, and no network is needed.
    return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)


def check(tok: pw.Tokenizer, auto: Any, texts: tuple[str, ...]) -> int:
    compared = 0
    for text in texts:
        for add in (False, True):
            expected = auto(text, add_special_tokens=add)["input_ids"]
            assert tok.ids(text, special="parse", add_special_tokens=add).tolist() == expected, (text, add)
            for skip in (False, True):
                decoded = auto.decode(expected, skip_special_tokens=skip, clean_up_tokenization_spaces=False)
                assert tok.decode(expected, skip_special=skip) == decoded, (text, skip)
            compared += len(expected)
    return compared


@pytest.mark.parametrize("name", FOLDERS)
def test_a_real_folder(name: str) -> None:
    folder = fixture(f"{name}/tokenizer.json").parent
    tok, auto = pw.load(folder), reference(folder)
    n_ids = check(tok, auto, TEXTS)
    assert tok.n_tokens == len(auto)
    assert set(auto.all_special_tokens) <= set(tok.special_tokens)
    print(f"{name}: {n_ids} ids of AutoTokenizer, none different")


@pytest.mark.parametrize("name", ["minilm_l6_v2", "gemma3", "xlmr_multilingual_e5_small"])
def test_a_real_folder_of_another_family(name: str) -> None:
    folder = fixture(f"{name}/tokenizer.json").parent
    tok, auto = pw.load(folder), reference(folder)
    # The file's own limits act where the caller asks for them.
    auto.backend_tokenizer.no_truncation()
    auto.backend_tokenizer.no_padding()
    n_ids = 0
    for text in (*TEXTS, "[CLS] a [MASK] b <mask> c <start_of_turn>user ÀÉ naïve CAFÉ"):
        for add in (False, True):
            expected = auto(text, add_special_tokens=add)["input_ids"]
            assert tok.ids(text, special="parse", add_special_tokens=add).tolist() == expected, (text, add)
            n_ids += len(expected)
    assert tok.n_tokens == len(auto)
    assert tok.info().findings == ()
    print(f"{name}: {n_ids} ids of AutoTokenizer, none different")


def test_where_the_reference_puts_the_first_space_elsewhere_the_file_is_followed() -> None:
    folder = fixture("llama2/tokenizer.json").parent
    tok, auto = pw.load(folder), reference(folder)
    live = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    text = "  two spaces"
    assert tok.ids(text).tolist() == live.encode(text, add_special_tokens=False).ids
    assert auto(text, add_special_tokens=False)["input_ids"] != tok.ids(text).tolist()
    assert any("LlamaTokenizer" in finding for finding in tok.info().findings)


SMALL: dict[str, dict[str, Any]] = {
    "named tokens": {"tokenizer_config": {"eos_token": "<eos>", "bos_token": "<|end|>", "pad_token": "ll"}},
    "a token with options": {
        "tokenizer_config": {
            "mask_token": {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": True}
        }
    },
    "a list of added tokens": {
        "tokenizer_config": {
            "added_tokens_decoder": {
                "258": {"content": "<|end|>", "special": True, "normalized": False},
                "261": {"content": "<late>", "special": False, "normalized": True},
                "259": {"content": "<early>", "special": False, "rstrip": True},
            },
            "eos_token": "<late>",
        }
    },
    "extra tokens": {
        "tokenizer_config": {"additional_special_tokens": ["<x>", "<|end|>"], "image_token": "<img>"}
    },
    "a map of special tokens": {
        "special_tokens_map": {
            "mask_token": {"content": "<mask>", "lstrip": True},
            "additional_special_tokens": ["<x>"],
        },
        "added_tokens": {"<y>": 260, "<x>": 259},
    },
    "begin and end switched on": {
        "tokenizer_config": {
            "add_bos_token": True,
            "add_eos_token": True,
            "bos_token": "<s>",
            "eos_token": "</s>",
        }
    },
}
SMALL_TEXTS = (
    "hello <eos>ll<|end|> x",
    "a  <mask>  b <late> c<early>  d",
    "<x><y><img><s>hell</s>",
    "he<x> <x>llo",
)


@pytest.mark.parametrize("case", SMALL)
def test_what_the_files_around_a_tokenizer_add(tmp_path: Path, case: str) -> None:
    files = SMALL[case]
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **files.get("tokenizer_config", {})}
    folder = model_folder(tmp_path, **{**files, "tokenizer_config": config})
    check(pw.load(folder), reference(folder), SMALL_TEXTS)


def test_where_the_reference_rebuilds_the_tokenizer_the_file_is_followed() -> None:
    # tokenizer_config.json calls o200k's conversion a GPT2Tokenizer: transformers then cuts with GPT-2's pattern.
    folder = fixture("gpt4o/tokenizer.json").parent
    tok, auto = pw.load(folder), reference(folder)
    text = "HELLOWorld 123456 I'M"
    assert tok.ids(text) == pw.load("o200k_base").ids(text)
    assert auto(text)["input_ids"] != tok.ids(text).tolist()
    assert any("GPT2Tokenizer" in finding for finding in tok.info().findings)


@pytest.mark.parametrize("name", ["qwen3", "llama3"])
def test_a_live_tokenizer_of_transformers_is_its_folder(name: str) -> None:
    folder = fixture(f"{name}/tokenizer.json").parent
    auto = reference(folder)
    tok = pw.load(auto)
    check(tok, auto, TEXTS)
    assert tok.ids(TEXTS[3], special="parse") == pw.load(folder).ids(TEXTS[3], special="parse")
    assert [row.token for row in tok.info().control_tokens] == [
        row.token for row in pw.load(folder).info().control_tokens
    ]
    auto.add_special_tokens({"additional_special_tokens": ["<only-here>"]})
    assert pw.load(auto).id("<only-here>") == len(auto) - 1
    reference.cache_clear()


def test_a_folder_that_transformers_saved(tmp_path: Path) -> None:
    original = tmp_path / "original"
    shutil.copytree(fixture("qwen3/tokenizer.json").parent, original)
    auto = reference(original)
    auto.save_pretrained(tmp_path / "saved")
    assert (tmp_path / "saved" / "chat_template.jinja").is_file()
    assert pw.load(tmp_path / "saved") == pw.load("qwen3")
    assert json.loads((tmp_path / "saved" / "tokenizer_config.json").read_text(encoding="utf-8"))


def test_the_small_tokenizer_has_no_begin() -> None:
    assert json.loads(small_byte_level())["post_processor"] is None
