"""`piecework models` and `piecework info`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from piecework._files.registry import ENCODINGS, model_rows
from tests.cli.conftest import Run
from tests.made_files import llama3_with_begin


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
