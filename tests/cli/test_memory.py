"""`piecework memory`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

QWEN3_8B: dict[str, Any] = {
    "model_type": "qwen3",
    "hidden_size": 4096,
    "num_hidden_layers": 36,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151_936,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}


@pytest.fixture(autouse=True)
def model(folder: Path) -> Path:
    """A model's folder with nothing but its config."""
    path = folder / "model"
    path.mkdir()
    (path / "config.json").write_text(json.dumps(QWEN3_8B), encoding="utf-8")
    return path


def test_the_worked_case(run: Run) -> None:
    ran = run("memory", "model", "--tokens", "20000", "--dtype", "fp16")
    assert ran.code == 0
    assert "a token    147,456 bytes" in ran.text
    assert "needed     2.95 GB (2,949,120,000 bytes), exact" in ran.text
    assert "151,936 × 4,096 = 622,329,856 values in bfloat16" in ran.text


def test_json_has_both_numbers_and_the_table(run: Run) -> None:
    value = run(
        "memory", "model/config.json", "--tokens", "17", "--batch", "2", "--engine", "vllm", "--json"
    ).json
    assert value["schema"] == "piecework.memory/1"
    assert (value["n_bytes"], value["reserved"]["n_bytes"]) == (2 * 17 * 147_456, 2 * 32 * 147_456)
    assert value["reserved"]["basis"] == "calibrated"
    assert value["embedding"]["total_bytes"] == 2 * 622_329_856 * 2


def test_a_config_without_tables_has_none(run: Run, folder: Path) -> None:
    (folder / "bare.json").write_text(json.dumps({**QWEN3_8B, "vocab_size": None}), encoding="utf-8")
    assert run("memory", "bare.json", "--tokens", "1", "--json").json["embedding"] is None


def test_a_format_that_tables_do_not_have(run: Run, folder: Path) -> None:
    (folder / "odd.json").write_text(json.dumps({**QWEN3_8B, "dtype": "float7"}), encoding="utf-8")
    value = run("memory", "odd.json", "--tokens", "1", "--dtype", "fp16", "--json").json
    assert value["embedding"]["dtype"] == "float16"


def test_pages_and_states(run: Run) -> None:
    ran = run("memory", "model", "--tokens", "10", "--page-tokens", "64", "--dtype", "int8")
    assert "reserved" in ran.text
    assert "scales     a 16-bit scale and zero point" in ran.text


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["model"], 2, "--tokens"),
        (["--tokens", "5"], 2, "CONFIG"),
        (["gone", "--tokens", "5"], 4, "No such file or directory\nhint: name a model's config.json"),
        (["model", "--tokens", "-1"], 2, "--tokens"),
        (["model", "--tokens", "5", "--dtype", "fp17"], 2, "fp17"),
        (["model", "--tokens", "5", "--engine", "nano"], 2, "nano"),
        (["model", "--tokens", "5", "--engine", "vllm", "--dtype", "q8_0"], 2, "q8_0"),
        (["short.json", "--tokens", "5"], 3, "num_key_value_heads"),
        (["broken.json", "--tokens", "5"], 3, "no JSON"),
    ],
)
def test_errors(run: Run, folder: Path, args: list[str], code: int, says: str) -> None:
    (folder / "short.json").write_text('{"model_type": "qwen3", "num_hidden_layers": 2, "dtype": "bf16"}')
    (folder / "broken.json").write_text("{")
    ran = run("memory", *args)
    assert (ran.code, ran.out) == (code, b"")
    assert says in ran.err
