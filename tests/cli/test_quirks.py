"""`piecework explain --quirks`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run


def test_text_is_the_python_object(run: Run) -> None:
    ran = run("explain", "--quirks", "--letter", "r", "--text", "strawberry", "-m", "qwen3")
    assert (ran.code, ran.text) == (0, f"{pw.load('qwen3').quirks('strawberry', letter='r')}\n")
    assert "r: 3 (1 in str, 2 in berry)" in ran.text


def test_json_is_the_python_object(run: Run) -> None:
    value = run("explain", "--quirks", "--json", "--text", " 1234", "--more", "5", "-m", "qwen3").json
    expected = pw.load("qwen3").quirks(" 1234", more="5").to_dict()
    assert value["schema"] == "piecework.quirks/1"
    assert value["found"] == json.loads(json.dumps(expected["found"]))


def test_control_strings_are_named(run: Run) -> None:
    ran = run("explain", "--quirks", "--text", "<think>", "-m", "qwen3")
    assert "1 control string read as text (<think>)" in ran.err


def test_several_files_and_a_bad_one(run: Run, folder: Path) -> None:
    (folder / "a").write_text("a ", encoding="utf-8")
    (folder / "bad").write_bytes(b"x\xff")
    assert run("explain", "--quirks", "a", "a", "-m", "qwen3").text.count("trailing-space") == 2
    ran = run("explain", "--quirks", "bad", "-m", "qwen3")
    assert (ran.code, "bad: " in ran.err) == (4, True)
    assert run("explain", "--quirks", "bad", "-m", "qwen3", "--errors", "replace").code == 0


@pytest.mark.parametrize("flag", [["--letter", "r"], ["--more", "x"]])
def test_its_flags_need_it(run: Run, flag: list[str]) -> None:
    assert run("explain", *flag, "--text", "x", "-m", "qwen3").code == 2


def test_another_view_beside_it_is_an_error(run: Run) -> None:
    ran = run("explain", "--quirks", "--tree", "--text", "x", "-m", "qwen3")
    assert (ran.code, "takes no --tree" in ran.err) == (2, True)
