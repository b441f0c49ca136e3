"""Help: every command is listed, has an example for each use, and each example runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from piecework._cli.app import app
from piecework._cli.table import COMMANDS
from tests.cli.conftest import Run
from tools.fixtures import fixture

CONTEXT = click.Context(app)


def command(name: str) -> click.Command:
    found = app.get_command(CONTEXT, name)
    assert found is not None
    return found


def examples(name: str) -> tuple[str, ...]:
    found = getattr(command(name), "examples", ())
    assert isinstance(found, tuple)
    return found


NAMES = [row.name for row in COMMANDS]


def test_each_file_is_a_command_and_has_its_line() -> None:
    folder = Path(__file__).resolve().parents[2] / "python" / "piecework" / "_cli" / "commands"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_help_says_what_it_does_and_shows_examples(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert examples(name)
    for example in examples(name):
        assert f"  {example}\n" in ran.text
    for parameter in command(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_group_help_lists_all(run: Run) -> None:
    text = run("--help").text
    for row in COMMANDS:
        assert re.search(rf"^  {row.name} +{re.escape(row.help)}$", text, re.MULTILINE)
    assert "130  interrupted" in text


def test_a_mistyped_command_is_recognized(run: Run) -> None:
    ran = run("cuont", "x")
    assert ran.code == 2
    assert ran.err.startswith("error[usage]: No such command 'cuont'; did you mean count?\n")
    assert "did you mean" not in run("zzz").err


@pytest.mark.parametrize(
    ("name", "example"), [(name, example) for name in NAMES for example in examples(name)]
)
def test_each_example_runs(folder: Path, name: str, example: str) -> None:
    assert example.split(" | ", maxsplit=1)[0].startswith(("piecework", "cat"))
    for file in ("prompt.txt", "log.txt"):
        (folder / file).write_text("Hello, world!\n" * 40, encoding="utf-8")
    config = {"num_hidden_layers": 36, "num_key_value_heads": 8, "head_dim": 128, "dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "forbidden.txt").write_text("ignore previous\n", encoding="utf-8")
    usage = '{"model": "claude-sonnet-4-5", "usage": {"input_tokens": 9, "output_tokens": 3}}'
    (folder / "usage.jsonl").write_text(f"{usage}\n", encoding="utf-8")
    (folder / "src").mkdir()
    (folder / "prompts").mkdir()
    check = '[check]\nnear = 0.001\n[[check.files]]\npaths = ["{}prompt.txt"]\nmax_tokens = 10000\n'
    (folder / "piecework.toml").write_text(check.format(""), encoding="utf-8")
    (folder / "prompts" / "piecework.toml").write_text(check.format("../"), encoding="utf-8")
    (folder / "data").mkdir()
    for tag, line in (
        ("eng_Latn", "Hello, world!"),
        ("deu_Latn", "Hallo, Welt!"),
        ("hin_Deva", "नमस्ते दुनिया!"),
    ):
        (folder / "data" / f"flores.{tag}.txt").write_text(f"{line}\n", encoding="utf-8")
    (folder / "src" / "a.py").write_text("print()\n", encoding="utf-8")
    messages = '[{"role": "user", "content": "Hello, world!"}]'
    for file in ("messages.json", "old.json", "chat.json"):
        (folder / file).write_text(messages, encoding="utf-8")
    tools = '[{"name": "now", "description": "The time.", "input_schema": {"type": "object"}}]'
    (folder / "tools.json").write_text(tools, encoding="utf-8")
    (folder / "template.jinja").write_bytes(fixture("chat_templates/Qwen-Qwen3-0.6B.jinja").read_bytes())
    (folder / "tokenizer.json").write_bytes(fixture("qwen3/tokenizer.json").read_bytes())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", example],
        cwd=folder,
        env={**os.environ, "PATH": path, "PIECEWORK_CALIBRATIONS": str(folder / "calibrations.json")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, (name, result.stderr)
    assert result.stdout or any(
        (folder / file).exists() for file in ("ids.txt", "short.txt", "figures.csv", "packed.json")
    )
    assert "error[" not in result.stderr
