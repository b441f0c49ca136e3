"""Single fields of the files in a model's folder: the ids they give, and text in them that is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tests.made_files import model_folder, small_byte_level

SURROGATE = "\ud800"


def folder_with(folder: Path, **files: dict[str, Any]) -> Path:
    model_folder(folder, tokenizer_json=small_byte_level())
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("tokenizer_config", {"unk_token": "<unk>", "bos_token": SURROGATE}, "bos_token"),
        ("tokenizer_config", {"eos_token": {"content": f"a{SURROGATE}"}}, "eos_token.content"),
        ("tokenizer_config", {SURROGATE: 1}, "\\\\ud800"),
        ("tokenizer_config", {"chat_template": "{{ '\udfff' }}"}, "chat_template"),
        (
            "tokenizer_config",
            {"added_tokens_decoder": {"300": {"content": SURROGATE}}},
            "added_tokens_decoder.300.content",
        ),
        ("tokenizer_config", {"extra_special_tokens": ["<x>", SURROGATE]}, "extra_special_tokens.1"),
        ("special_tokens_map", {"pad_token": SURROGATE}, "pad_token"),
        ("added_tokens", {SURROGATE: 300}, "\\\\ud800"),
        ("generation_config", {"eos_token_id": [1, SURROGATE]}, "eos_token_id.1"),
    ],
)
def test_half_a_character_in_a_file_is_an_error_with_its_place(
    tmp_path: Path, name: str, content: dict[str, Any], field: str
) -> None:
    folder = folder_with(tmp_path, **{name: content})
    with pytest.raises(
        pw.FormatError, match=rf"{name}\.json: {field}: the text has a lone surrogate"
    ) as raised:
        pw.load(folder)
    assert raised.value.path == str(folder / f"{name}.json")


def test_half_a_character_in_a_file_ends_the_command_as_any_file_that_cannot_be_loaded(
    tmp_path: Path,
) -> None:
    folder = folder_with(tmp_path, tokenizer_config={"bos_token": SURROGATE})
    command = [sys.executable, "-m", "piecework", "count", "-m", str(folder)]
    done = subprocess.run(command, input=b"x", capture_output=True, check=False)
    assert done.returncode == 3
    assert b"tokenizer_config.json: bos_token: the text has a lone surrogate" in done.stderr


def test_half_a_character_where_nothing_is_decided_is_a_remark(tmp_path: Path) -> None:
    tok = pw.load(folder_with(tmp_path, config={"vocab_size": 300, "model_type": SURROGATE}))
    assert "config.json cannot be read: model_type" in str(tok.info().findings)


def test_a_character_that_is_written_as_two_halves_is_one(tmp_path: Path) -> None:
    tok = pw.load(folder_with(tmp_path, tokenizer_config={"bos_token": "\U0001f600"}))
    assert "\U0001f600" in tok.special_tokens


# --- the ids of new tokens, as AutoTokenizer of transformers 5.24 gives them ----------------------------------------------

ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def new_ids(folder: Path, config: dict[str, Any], **files: dict[str, Any]) -> list[str]:
    """The tokens that a folder's files add, in the order of their ids."""
    special = pw.load(folder_with(folder, tokenizer_config=config, **files)).special_tokens
    return sorted((token for token in special if token != "<|end|>"), key=lambda token: special[token])


def test_new_tokens_get_their_ids_by_role(tmp_path: Path) -> None:
    named = {f"{role}_token": f"<{role}>" for role in reversed(ROLES)}
    assert new_ids(tmp_path, named) == [f"<{role}>" for role in ROLES]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"extra_special_tokens": ["<img>"], "additional_special_tokens": ["<x>"]}, ["<img>"]),
        ({"extra_special_tokens": [], "additional_special_tokens": ["<x>"]}, ["<x>"]),
        ({"extra_special_tokens": {}, "additional_special_tokens": ["<x>"]}, ["<x>"]),
        ({"extra_special_tokens": None, "additional_special_tokens": ["<x>"]}, ["<x>"]),
        (
            {"extra_special_tokens": {"image_token": "<img>"}, "additional_special_tokens": ["<x>"]},
            ["<img>", "<x>"],
        ),
        ({"model_specific_special_tokens": {"image_token": "<y>"}}, ["<y>"]),
        ({"model_specific_special_tokens": {"y": "<y>", "pad_token": "<z>"}}, ["<z>", "<y>"]),
        ({"model_specific_special_tokens": {"y": "<y>"}, "z_token": "<z>"}, ["<z>"]),
        (
            {"model_specific_special_tokens": {"y": "<y>"}, "extra_special_tokens": {"image_token": "<img>"}},
            ["<img>"],
        ),
        ({"z_token": {"content": "<z>"}}, []),
    ],
)
def test_which_lists_and_names_make_tokens(
    tmp_path: Path, config: dict[str, Any], expected: list[str]
) -> None:
    assert new_ids(tmp_path, config) == expected


def test_names_of_both_files(tmp_path: Path) -> None:
    both = new_ids(tmp_path, {"z_token": "<z>"}, special_tokens_map={"y_token": "<y>"})
    assert both == ["<y>", "<z>"]
