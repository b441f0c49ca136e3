"""What is given twice where one is meant, and names that are none: said, never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.made_files import model_folder


@pytest.mark.parametrize(
    "args",
    [
        ["explain", "--text", "x", "-m", "gpt2", "-m", "qwen3"],
        ["encode", "--text", "x", "-m", "gpt2", "--model", "qwen3"],
        ["decode", "1", "-m", "gpt2", "-m", "qwen3"],
        ["truncate", "-n", "1", "--text", "x", "-m", "gpt2", "-m", "qwen3"],
        ["info", "-m", "gpt2", "-m", "qwen3"],
        ["count", "--text", "x", "-t", "y"],
        ["truncate", "-n", "1", "--text", "x", "--text", "y"],
        ["encode", "--text", "x", "--text", "y"],
        ["show", "--text", "x", "--text", "y"],
        ["explain", "--text", "x", "--text", "y"],
        ["count", "--text", "x", "-m", "no-such", "--assume", "gpt2", "--assume", "qwen3"],
        ["count", "--text", "x", "-o", "one", "-o", "two"],
    ],
)
def test_a_second_value_is_a_usage_error(run: Run, folder: Path, args: list[str]) -> None:
    ran = run(*args)
    assert (ran.code, ran.out) == (2, b"")
    assert f"error[usage]: {args[0]} takes one --" in ran.err
    assert list(folder.iterdir()) == []


def test_several_tokenizers_stay_where_they_are_compared(run: Run) -> None:
    for command in ("count", "show"):
        ran = run(command, "--text", "x", "-m", "gpt2", "-m", "qwen3")
        assert ran.code == 0
        assert "gpt2" in ran.text
        assert "qwen3" in ran.text


def test_a_folder_of_that_name_is_meant_and_no_name_like_it(run: Run, folder: Path) -> None:
    (folder / "qwen").mkdir()
    ran = run("count", "--text", "x", "-m", "qwen")
    assert ran.code == 3
    assert "for the file or folder of that name here, write ./qwen" in ran.err
    assert "close names" not in ran.err


@pytest.mark.parametrize("name", ["a/b/c", "nothere/"])
def test_what_can_only_be_a_folder_is_said_to_be_missing(run: Run, folder: Path, name: str) -> None:
    ran = run("count", "--text", "x", "-m", name)
    assert ran.code == 3
    assert f"there is no such folder: {folder / name}" in ran.err


@pytest.mark.parametrize("name", ["tok/", "m/minilm"])
def test_a_relative_folder_is_meant_from_where_the_setting_is(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    model_folder(folder / name)
    (folder / "piecework.toml").write_text(f'[default]\nmodel = "{name}"\n', encoding="utf-8")
    inner = folder / "deep" / "er"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    ran = run("count", "--text", "hello")
    assert (ran.code, ran.err.startswith("model ")) == (0, True)
    assert ran.text == run("count", "--text", "hello", "-m", str(folder / name)).text


@pytest.mark.parametrize(
    ("args", "variable", "named"),
    [(["--offline"], "", "--offline"), ([], "1", "HF_HUB_OFFLINE")],
)
def test_the_refusal_to_fetch_names_what_forbids_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, args: list[str], variable: str, named: str
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", variable)
    ran = run("models", "add", "acme/words", *args)
    assert (ran.code, ran.out) == (3, b"")
    assert f"the network is not to be asked ({named})" in ran.err
