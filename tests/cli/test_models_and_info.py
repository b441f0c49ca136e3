"""`piecework models` and `piecework info`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import piecework as pw
from piecework._files.registry import ENCODINGS, model_rows
from tests.cli.conftest import Run
from tests.fake_hub import COMMIT, FakeHub, fake_hub
from tests.made_files import llama3_with_begin, model_folder, small_byte_level


def test_models_lists_every_name_with_its_source(run: Run) -> None:
    ran = run("models")
    assert ran.code == 0
    assert ran.err == ""
    assert len(ran.lines) == 1 + len(ENCODINGS) + len(model_rows())
    assert any(line[:2] == ["gpt-4o", "o200k_base"] and "tiktoken" in line for line in ran.lines)
    assert any(line[:2] == ["Qwen/Qwen3-8B", "qwen3"] for line in ran.lines)


def test_models_looks_names_up(run: Run) -> None:
    ran = run("models", "gpt-4o-2024-08-06", "o1", "qwen3")
    assert ran.lines == [["gpt-4o-2024-08-06", "o200k_base"], ["o1", "o200k_base"], ["qwen3", "qwen3"]]


def test_models_names_what_is_unknown(run: Run) -> None:
    ran = run("models", "gpt-4o-min")
    assert (ran.code, ran.out) == (3, b"")
    assert "error[unknown-tokenizer]: " in ran.err
    assert "gpt-4o-mini" in ran.err


def test_models_json(run: Run) -> None:
    value = run("models", "--json").json
    assert value["schema"] == "piecework.models/1"
    by_name = {row["name"]: row for row in value["models"]}
    assert by_name["gpt-4o"]["encoding"] == "o200k_base"
    assert by_name["gpt-4o"]["checked"]


@pytest.mark.parametrize("args", [["qwen3"], ["-m", "qwen3"], ["Qwen/Qwen3-8B"]])
def test_info(run: Run, args: list[str]) -> None:
    ran = run("info", *args)
    assert ran.code == 0
    assert ran.text == f"{pw.load('qwen3').info()}\n"
    assert "151,669 = 151,643 learned + 26 added" in ran.text


def test_info_of_a_file(run: Run, tmp_path: Path) -> None:
    path = str(llama3_with_begin(tmp_path))
    ran = run("info", path)
    assert "128,256 = 128,000 learned + 256 added" in ran.text
    assert "<|begin_of_text|> text" in ran.text


def test_info_json_is_the_python_object(run: Run) -> None:
    value = run("info", "--json", "gpt-4o").json
    expected = json.loads(json.dumps(pw.load("gpt-4o").info().to_dict()))
    assert value["schema"] == "piecework.info/1"
    assert value["model"] == "gpt-4o"
    assert {key: value[key] for key in expected} == expected


def test_info_of_two_is_a_usage_error(run: Run) -> None:
    assert run("info", "qwen3", "-m", "gpt-4o").code == 2
    assert run("info", "no-such-model").code == 3


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub with one repository, and an empty cache."""
    for name in ("HUGGINGFACE_HUB_CACHE", "HF_HOME", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with fake_hub(
        "acme/words", {"tokenizer.json": small_byte_level(), "model.safetensors": b"w" * 99}
    ) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        yield served


@pytest.mark.usefixtures("hub")
def test_models_add_prints_size_revision_and_hashes(run: Run) -> None:
    data = small_byte_level()
    ran = run("models", "add", "acme/words")
    assert ran.code == 0
    assert f"fetching acme/words: 1 files, {len(data):,} bytes, revision {COMMIT}" in ran.err
    assert ["revision", COMMIT] in ran.lines
    assert ["size", f"{len(data):,}", "bytes", "in", "1", "files"] in ran.lines
    assert ["tokenizer.json", f"{len(data):,}", "sha256", hashlib.sha256(data).hexdigest()] in ran.lines
    counted = run("count", "--text", "hello", "-m", "acme/words")
    assert (counted.code, counted.out) == (0, b"3\n")
    assert "exact · acme/words" in counted.err
    assert "bytes  sha256" in run("info", "acme/words").text


@pytest.mark.usefixtures("hub")
def test_models_add_json(run: Run) -> None:
    value = run("models", "add", "--json", f"acme/words@{COMMIT}", "-q").json
    assert value["schema"] == "piecework.models-add/1"
    (added,) = value["added"]
    assert (added["name"], added["revision"]) == (f"acme/words@{COMMIT}", COMMIT)
    assert added["fingerprint"] == pw.load("acme/words@" + COMMIT).fingerprint


def test_models_add_offline_or_of_nothing(run: Run, hub: FakeHub) -> None:
    ran = run("models", "add", "--offline", "acme/words")
    assert (ran.code, ran.out) == (3, b"")
    assert "error[fetch]: acme/words is not fetched" in ran.err
    assert hub.asked == []
    assert run("models", "add").code == 2


def test_a_repository_that_is_not_cached_names_the_command(run: Run, hub: FakeHub) -> None:
    ran = run("count", "--text", "x", "-m", "acme/words")
    assert ran.code == 3
    assert "piecework models add acme/words" in ran.err
    assert hub.asked == []


def test_info_of_a_folder_has_files_and_findings(run: Run, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", config={"vocab_size": 250}, chat_template_jinja=b"{{ '<|end|>' }}")
    ran = run("info", str(folder))
    assert ran.code == 0
    assert "259 = 258 learned + 1 added; 250 embedding rows (config.json): 9 too few" in ran.text
    assert "finding: 9 ids lie beyond the 250 embedding rows of config.json: 250 to 258" in ran.text
    assert ["chat_template.jinja", "15", "bytes"] in [line[:3] for line in ran.lines]
    value = run("info", "--json", str(folder)).json
    assert value["findings"] == list(pw.load(folder).info().findings)
    assert [file["name"] for file in value["files"]] == [
        "tokenizer.json",
        "config.json",
        "chat_template.jinja",
    ]
    assert value["embedding_rows"] == [{"file": "config.json", "n_rows": 250}]
    assert value["special_tokens"] == [
        {"token": "<|end|>", "id": 258, "reason": "special", "role": "turn end"}
    ]


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        (b"", "an empty file"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"<html>", "a web page"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x80\x04\x95", "a Python pickle"),
        (b'\x10\0\0\0\0\0\0\0{"a": {}}', "safetensors weights"),
        (b"#version: 0.2\na b\n", "a merges.txt"),
        (b'{"architectures": ["X"]}', "a config of a model"),
    ],
)
def test_a_file_that_is_no_tokenizer_says_what_it_looks_like(
    run: Run, tmp_path: Path, content: bytes, looks_like: str
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    ran = run("info", str(path))
    assert ran.code == 3
    assert f"error[format]: {path}: this looks like {looks_like}" in ran.err
