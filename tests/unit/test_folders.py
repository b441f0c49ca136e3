"""A model's folder: which file is the tokenizer, and what the files around it add to it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._files import formats
from piecework._files.literals import template_literals
from tests.made_files import model_folder, small_byte_level
from tools.fixtures import fixture

R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def controls(tok: pw.Tokenizer) -> dict[str, str]:
    return {row.token: row.reason for row in tok.info().control_tokens}


def weights(n_rows: int, name: str = "model.embed_tokens.weight") -> bytes:
    header = json.dumps({name: {"dtype": "BF16", "shape": [n_rows, 4], "data_offsets": [0, 0]}}).encode()
    return struct.pack("<Q", len(header)) + header


# --- which file is the tokenizer ----------------------------------------------------------------------------------------


def test_a_tokenizer_json_goes_before_all_others(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, vocab={"a": 0}, merges_txt=b"#version: 0.2\n")
    (folder / "tokenizer.model").write_bytes(b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02")
    assert pw.load(folder) == pw.load(folder / "tokenizer.json")


@pytest.mark.parametrize(
    "content",
    [
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        b"<!DOCTYPE html>",
        b"",
        b"\x89PNG\r\n\x1a\n",
    ],
)
def test_a_tokenizer_json_that_is_none_is_not_passed_over(tmp_path: Path, content: bytes) -> None:
    folder = model_folder(tmp_path, tokenizer_json=content)
    (folder / "ranks.tiktoken").write_bytes(b"IQ== 0\n")
    with pytest.raises(pw.FormatError, match=r"tokenizer\.json: this looks like"):
        pw.load(folder)


def test_ranks_under_the_name_of_a_sentencepiece_model(tmp_path: Path) -> None:
    shutil.copy(fixture("tiktoken/r50k_base.tiktoken"), tmp_path / "tokenizer.model")
    with pytest.raises(pw.LoadError, match="ranks and no pattern"):
        pw.load(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(
        '{"bos_token": "<|begin|>", "add_bos_token": true}', encoding="utf-8"
    )
    tok = pw.load(tmp_path, pattern=R50K_PATTERN)
    assert tok.ids("Hello world") == pw.load("r50k_base").ids("Hello world")
    assert tok.ids("Hello", add_special_tokens=True)[0] == tok.special_tokens["<|begin|>"] == 50256


def test_the_ranks_of_llama_3_with_its_config(tmp_path: Path) -> None:
    shutil.copy(fixture("llama3_tiktoken/tokenizer.model"), tmp_path / "tokenizer.model")
    shutil.copy(fixture("llama3/tokenizer_config.json"), tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama", "vocab_size": 128256}', encoding="utf-8")
    tok, converted = pw.load(tmp_path), pw.load(fixture("llama3/tokenizer.json").parent)
    assert tok.special_tokens == converted.special_tokens
    text = "HELLOWorld 123456 I'm <|begin_of_text|> preguiçosa 🚀 日本語\n\n  x"
    assert tok.ids(text, special="parse") == converted.ids(text, special="parse")
    assert tok.info().findings == ()


def test_ids_between_the_added_tokens_are_reserved_as_the_reference_does(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(b"IQ== 0\nIg== 1\n")
    config: dict[str, Any] = {"added_tokens_decoder": {"4": {"content": "<e>", "special": True}}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    tok = pw.load(tmp_path, pattern=".")
    assert [tok.piece(id_) for id_ in range(5)] == [
        "!",
        '"',
        "<|reserved_token_2|>",
        "<|reserved_token_3|>",
        "<e>",
    ]
    config["added_tokens_decoder"]["4000000000"] = {"content": "<far>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(pw.FormatError, match="4,000,000,000 lies far beyond the 2 ranks"):
        pw.load(tmp_path, pattern=".")


def test_a_folder_with_nothing_useful_says_what_it_has_and_what_is_needed(tmp_path: Path) -> None:
    for name in ("README.md", "model.safetensors", "vocab.json"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(pw.LoadError) as raised:
        pw.load(tmp_path)
    text = str(raised.value)
    assert "README.md, model.safetensors, vocab.json" in text
    assert "a tekken.json" in text
    assert "merges.txt is missing" in text
    assert raised.value.searched == (str(tmp_path),)


def test_an_empty_folder_and_one_of_two_tokenizers(tmp_path: Path) -> None:
    with pytest.raises(pw.LoadError, match="which is empty"):
        pw.load(tmp_path)
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(pw.LoadError, match=r"several tokenizers: a\.gguf, b\.gguf"):
        pw.load(tmp_path)


# --- what the files around it add ---------------------------------------------------------------------------------------


def test_the_real_folder_is_the_bundled_tokenizer() -> None:
    tok = pw.load(fixture("qwen3/tokenizer.json").parent)
    assert tok == pw.load("qwen3")
    assert controls(tok) == controls(pw.load("qwen3"))


def test_what_names_a_token_makes_it_a_control_token(tmp_path: Path) -> None:
    added = [
        ("<s>", True),
        ("[INST]", False),
        ("[stop]", False),
        ("[pad]", False),
        ("[other]", False),
        ("  ", False),
    ]
    folder = model_folder(
        tmp_path,
        tokenizer_json=small_byte_level(*added),
        tokenizer_config={"pad_token": "[pad]"},
        generation_config={"eos_token_id": [260]},
        chat_template_jinja=b"{{ '[INST]' + content }}  {# [other] #}",
    )
    lone = pw.load(folder / "tokenizer.json")
    tok = pw.load(folder)
    assert controls(lone) == {"<s>": "special"}
    assert controls(tok) == {
        "<s>": "special",
        "[INST]": "chat_template",
        "[stop]": "generation_config",
        "[pad]": "special",
    }
    assert tok != lone
    assert tok.count("[INST]") == lone.count("l[INST]") - 1 + 5
    assert tok.ids("[INST]", special="parse") == [259]
    assert tok.encode("x [other]").ids[-1] == 262


def test_a_template_is_not_part_of_the_fingerprint(tmp_path: Path) -> None:
    one = pw.load(model_folder(tmp_path / "one", chat_template_jinja=b"{{ '<|end|>' }}"))
    two = pw.load(model_folder(tmp_path / "two", chat_template_jinja=b"something else"))
    assert one == two


def test_a_token_that_only_the_config_names_is_added(tmp_path: Path) -> None:
    decoder = {
        "258": {"content": "<|end|>", "special": True, "normalized": False},
        "300": {"content": "<new>"},
    }
    folder = model_folder(tmp_path, tokenizer_config={"added_tokens_decoder": decoder, "eos_token": "<eos>"})
    tok = pw.load(folder)
    # The next free ids, whatever the config says: so does the reference.
    assert [tok.id(token) for token in ("<|end|>", "<new>", "<eos>")] == [258, 259, 260]
    assert tok.special_tokens == {"<|end|>": 258, "<eos>": 260}


def test_special_tokens_map_and_added_tokens_are_read_where_the_config_has_no_list(tmp_path: Path) -> None:
    folder = model_folder(
        tmp_path,
        special_tokens_map={
            "mask_token": {"content": "<mask>", "lstrip": True},
            "additional_special_tokens": ["<x>"],
        },
        added_tokens={"<y>": 260, "<x>": 259},
    )
    tok = pw.load(folder)
    assert {token: tok.id(token) for token in ("<x>", "<y>", "<mask>")} == {
        "<x>": 259,
        "<y>": 260,
        "<mask>": 261,
    }
    # The reference does not make the list's tokens special; they steer the model all the same.
    assert set(tok.special_tokens) == {"<|end|>", "<mask>"}
    assert controls(tok)["<x>"] == "tokenizer_config"
    assert tok.ids("a  <mask>", special="parse") == [*tok.ids("a"), 261]


def test_a_tokenizer_json_decides_what_is_put_around_a_text(tmp_path: Path) -> None:
    tok = pw.load(model_folder(tmp_path, tokenizer_config={"add_bos_token": True, "bos_token": "<|end|>"}))
    assert tok.added_around == ([], [])
    assert any(
        "add_bos_token: true, and the tokenizer's own file adds none" in text for text in tok.info().findings
    )


def test_templates_by_name_and_in_files_of_their_own(tmp_path: Path) -> None:
    listed = [{"name": "default", "template": "{{ 'a' }}"}, {"name": "tool_use", "template": "{{ '<t>' }}"}]
    tokenizer = small_byte_level(("<t>", False), ("<r>", False))
    config = {"chat_template": listed}
    tok = pw.load(model_folder(tmp_path, tokenizer_json=tokenizer, tokenizer_config=config))
    assert controls(tok) == {"<t>": "chat_template"}
    more = tmp_path / "additional_chat_templates"
    more.mkdir()
    (more / "rag.jinja").write_text("{% if x == '<r>' %}", encoding="utf-8")
    assert controls(pw.load(tmp_path)) == {"<r>": "chat_template"}


def test_a_tokenizer_from_a_folder_pickles_whole(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", config={"vocab_size": 300}, chat_template_jinja=b"{{ '<|end|>' }}")
    tok = pw.load(folder)
    again = pickle.loads(pickle.dumps(tok))
    shutil.rmtree(folder)
    assert again == tok
    assert again.info() == tok.info()
    assert again.ids("hello <|end|>") == tok.ids("hello <|end|>")


# --- files that are broken ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b'{"eos_token": ', "line 1 column 15"),
        (b"[1, 2]", "expected a JSON object, found an array"),
        (b'{"a": ' + b"[" * 200_000, "nests too deeply"),
        (b'{"a": ' + b"9" * 9_000 + b"}", "digits"),
        (b"\xff{}", "not UTF-8"),
        (b"", "line 1 column 1"),
    ],
)
@pytest.mark.parametrize(
    "name", ["tokenizer_config", "special_tokens_map", "added_tokens", "generation_config"]
)
def test_a_broken_file_that_decides_ids_is_an_error_with_its_place(
    tmp_path: Path, name: str, content: bytes, match: str
) -> None:
    folder = model_folder(tmp_path, **{name: content})
    with pytest.raises(pw.FormatError, match=match) as raised:
        pw.load(folder)
    assert raised.value.path == str(folder / f"{name}.json")


def test_a_broken_config_of_the_model_is_a_finding(tmp_path: Path) -> None:
    tok = pw.load(model_folder(tmp_path, config=b"{"))
    assert any(finding.startswith("config.json cannot be read") for finding in tok.info().findings)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "<xyz>",
        [],
        {},
        {"258": 3},
        {"x": {"content": 5}},
        {"258": {"content": ""}},
        {"-1": {"content": "<n>"}},
    ],
)
def test_fields_of_another_shape_are_no_crash(tmp_path: Path, value: Any) -> None:
    config = {
        "added_tokens_decoder": value,
        "eos_token": value,
        "chat_template": value,
        "additional_special_tokens": value,
    }
    folder = model_folder(
        tmp_path,
        tokenizer_config=config,
        config={"vocab_size": value, "text_config": value},
        generation_config={"eos_token_id": value},
    )
    tok = pw.load(folder)
    assert tok.info().n_base == 258


def test_links_in_a_circle_pipes_and_devices(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "tokenizer_config.json").symlink_to(folder / "tokenizer_config.json")
    with pytest.raises(pw.LoadError, match=r"tokenizer_config\.json cannot be read"):
        pw.load(folder)
    (folder / "tokenizer_config.json").unlink()
    os.mkfifo(folder / "tokenizer_config.json")
    with pytest.raises(pw.LoadError, match="is a pipe"):
        pw.load(folder)
    (folder / "tokenizer_config.json").unlink()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").symlink_to("/dev/zero")
    with pytest.raises(pw.LoadError, match="is a device"):
        pw.load(folder)


def test_a_file_too_large_for_what_it_is_is_not_read(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    with (folder / "tokenizer_config.json").open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(pw.LoadError, match="1,073,741,824 bytes"):
        pw.load(folder)


# --- what the model's files say -----------------------------------------------------------------------------------------


def test_numbers_are_reconciled(tmp_path: Path) -> None:
    folder = tmp_path / "qwen3"
    shutil.copytree(fixture("qwen3/tokenizer.json").parent, folder)
    (folder / "config.json").write_text('{"vocab_size": 151936, "eos_token_id": 151645}', encoding="utf-8")
    (folder / "model.safetensors").write_bytes(weights(151936))
    info = pw.load(folder).info()
    assert info.reconciled == (
        "151,669 = 151,643 learned + 26 added; 151,936 embedding rows (model.safetensors): 267 rows are padding"
    )
    assert info.findings == ()
    assert [row.file for row in info.embedding_rows] == ["config.json", "model.safetensors"]
    record = next(file for file in info.files if file.name == "tokenizer.json")
    assert (record.n_bytes, record.sha256) == (
        11_422_654,
        "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
    )
    assert next(file for file in info.files if file.name == "model.safetensors").sha256 is None
    assert (info.digits, info.turn_markers) == ("each alone", ("<|im_start|>", "<|im_end|>"))
    roles = {row.token: row.role for row in info.control_tokens}
    assert roles["<|im_end|>"] == "end, turn end"
    assert roles["<|endoftext|>"] == "padding, end"


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        (
            {"config": {"vocab_size": 250}},
            "9 ids lie beyond the 250 embedding rows of config.json: 250 to 258",
        ),
        (
            {"config": {"text_config": {"vocab_size": 258}}},
            "1 id lies beyond the 258 embedding rows of config.json: 258",
        ),
        (
            {"config": {"vocab_size": 300}, "model_safetensors": weights(320)},
            "config.json 300, model.safetensors 320",
        ),
        (
            {"config": {"eos_token_id": 4}, "tokenizer_config": {"eos_token": "<|end|>"}},
            "config.json has eos_token_id 4",
        ),
        (
            {"generation_config": {"pad_token_id": 999}},
            "generation_config.json has pad_token_id 999, which is no token",
        ),
        ({"model_safetensors": b"\xff" * 20}, "the weights' header cannot be read"),
        (
            {"model_safetensors": struct.pack("<Q", 1 << 63) + b"{}"},
            "a header of 9,223,372,036,854,775,808 bytes",
        ),
    ],
)
def test_what_does_not_fit_is_found(tmp_path: Path, files: dict[str, Any], finding: str) -> None:
    info = pw.load(model_folder(tmp_path, **files)).info()
    assert any(finding in found for found in info.findings), info.findings
    assert finding in str(info)


def test_the_embedding_is_found_through_the_index_of_shards(tmp_path: Path) -> None:
    index = {
        "weight_map": {
            "visual.embed_tokens.weight": "b.safetensors",
            "model.embed_tokens.weight": "a.safetensors",
        }
    }
    folder = model_folder(tmp_path, a_safetensors=weights(270))
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert [tuple(row) for row in pw.load(folder).info().embedding_rows] == [("a.safetensors", 270)]
    index["weight_map"]["model.embed_tokens.weight"] = "../outside.safetensors"
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    (tmp_path.parent / "outside.safetensors").write_bytes(weights(9))
    assert pw.load(folder).info().embedding_rows == ()


@pytest.mark.parametrize(
    ("name", "rule"), [("gpt-4o", "3 at a time, from the left"), ("qwen3", "each alone"), ("gpt2", "not cut")]
)
def test_the_digits_rule_is_measured(name: str, rule: str) -> None:
    assert pw.load(name).info().digits == rule


@pytest.mark.parametrize(
    "template",
    ["{{ '" * 50_000, "{%" * 50_000, "{#" * 50_000, "{% raw %}" * 20_000, "{{ \"'" * 50_000, "'\\" * 50_000],
)
def test_a_hostile_template_is_read_in_one_pass(template: str) -> None:
    assert "".join(template_literals(template)).strip()


@pytest.mark.parametrize(
    ("name", "markers"),
    [
        ("google-gemma-2-2b-it", ["<start_of_turn>", "<end_of_turn>"]),
        ("Qwen-Qwen3-0.6B", ["<|im_start|>", "<|im_end|>", "<think>", "<tool_call>"]),
        ("meta-llama-Llama-3.1-8B-Instruct", ["<|start_header_id|>", "<|eot_id|>", "<|python_tag|>"]),
        ("mistralai-Mistral-Nemo-Instruct-2407", ["[INST]", "[/INST]", "[TOOL_CALLS]"]),
        ("openai-gpt-oss-120b", ["<|start|>", "<|message|>", "<|end|>"]),
        ("deepseek-ai-DeepSeek-V3.1", ["<｜User｜>", "<｜Assistant｜>", "</think>"]),
    ],
)
def test_the_markers_of_published_templates_stand_in_literals(name: str, markers: list[str]) -> None:
    template = fixture(f"chat_templates/{name}.jinja").read_text(encoding="utf-8")
    literals = template_literals(template)
    for marker in markers:
        assert any(marker in literal for literal in literals), marker
    assert not any("{%" in literal or "{{-" in literal for literal in literals)


def test_a_kind_that_a_build_lacks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats._CONSTRUCTORS, "gguf", ("from_gguf_of_later", False))
    (tmp_path / "m.gguf").write_bytes(b"GGUF\x03\0\0\0")
    with pytest.raises(pw.FormatError, match="a GGUF model file, which this build does not read") as raised:
        pw.load(tmp_path)
    assert raised.value.path == str(tmp_path / "m.gguf")


def test_one_half_of_a_tokenizer_names_the_other(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1}', encoding="utf-8")
    (tmp_path / "only.txt").write_text("#version: 0.2\na b\n", encoding="utf-8")
    with pytest.raises(pw.FormatError, match=r"put merges\.txt beside it"):
        pw.load(tmp_path / "vocab.json")
    with pytest.raises(pw.FormatError, match=r"put vocab\.json beside it"):
        pw.load(tmp_path / "only.txt")


def test_a_class_that_renumbers_pieces_needs_its_tokenizer_json(tmp_path: Path) -> None:
    shutil.copy(
        fixture("sentencepiece_test/botchan_en_unigram_1000.model"), tmp_path / "sentencepiece.bpe.model"
    )
    config = {"tokenizer_class": "XLMRobertaTokenizer"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(pw.FormatError):
        pw.load(tmp_path)
