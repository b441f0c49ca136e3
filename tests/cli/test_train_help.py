"""The trainers' help: each shows its own options, and an example for each use that runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from piecework._cli.app import app
from piecework._cli.commands.train import command as group
from piecework._cli.train_flags import as_flags
from piecework._cli.train_options import NORMALIZERS
from piecework._cli.train_table import TRAINERS
from piecework.train import stages
from tests.cli.conftest import Run

NAMES = [row.name for row in TRAINERS]


def trainer(name: str) -> click.Command:
    found = group.get_command(click.Context(app), name)
    assert found is not None
    return found


def examples(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(trainer(name), "examples", ())
    return found


def test_the_group_lists_each(run: Run) -> None:
    text = run("train", "--help").text
    for row in TRAINERS:
        assert f"  {row.name}" in text
        assert row.help in text


def test_help_of_the_group_imports_no_trainer(folder: Path) -> None:
    code = (
        "import sys; from piecework._cli.app import app; app.main(['train', '--help'], standalone_mode=False);"
        "print([name for name in sys.modules if name.startswith(('piecework._cli.train_', 'piecework.train'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "['piecework._cli.train_table']"


@pytest.mark.parametrize("name", NAMES)
def test_help_says_what_it_does_and_shows_examples(run: Run, name: str) -> None:
    ran = run("train", name, "--help")
    assert ran.code == 0
    assert examples(name)
    for example in examples(name):
        assert f"  {example}\n" in ran.text
    for parameter in trainer(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_a_trainer_shows_its_own_options_only(run: Run) -> None:
    assert "--merges" in run("train", "bpe", "--help").text
    assert "--merges" not in run("train", "wordlevel", "--help").text
    assert "FOLDER|FILE" in run("train", "wordlevel", "--help").text


@pytest.mark.parametrize("name", NAMES)
def test_each_option_stands_once_under_a_heading(run: Run, name: str) -> None:
    text = run("train", name, "--help").text
    assert "\nWords:\n" in text
    assert "[FILES]" not in text.partition("\n")[2]
    for parameter in trainer(name).params:
        if isinstance(parameter, click.Option):
            assert len(re.findall(rf"^  (?:-\w, )?{parameter.opts[-1]}(?![\w-])", text, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    ("name", "example"), [(name, example) for name in NAMES for example in examples(name)]
)
def test_each_example_runs(folder: Path, name: str, example: str) -> None:
    for file in ("prompt.txt", "log.txt"):
        (folder / file).write_text("Hello, world!\nnumb numbers\n" * 40, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", example],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, (name, result.stderr)
    assert result.stdout
    assert "error[" not in result.stderr


def test_names_of_normalizers_are_those_of_the_trainers() -> None:
    assert set(NORMALIZERS) == set(stages.NORMALIZERS)


@pytest.mark.parametrize(
    ("python", "flags"),
    [
        ("give one of vocab_size= and n_merges=", "give one of --vocab-size and --merges"),
        ("end_of_word= goes with", "--end-of-word goes with"),
        ("ties='first-seen' counts", "--ties first-seen counts"),
        ("vocab_size=1,300 is", "--vocab-size 1,300 is"),
        ("max_memory='2GB'.", "--max-memory 2GB."),
        ("steps=True shows", "--steps shows"),
        ("initial_alphabet holds single characters", "--initial-alphabet holds single characters"),
        ("errors is none", "--errors is none"),
        ("the errors is", "the errors is"),
        ("some_unk= and base", "some_unk= and base"),
    ],
)
def test_flags_of_arguments(python: str, flags: str) -> None:
    assert as_flags(python) == flags
