"""Checks of whatever lies in a folder: pipes and devices, loops, names without end, and files that hold something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import piecework as pw
from piecework.errors import InputError


def check(folder: Path, config: str) -> pw.Check:
    (folder / "piecework.toml").write_text(config, "utf-8")
    return pw.check(folder / "piecework.toml")


def says(result: pw.Check) -> list[str]:
    return [problem.says for problem in result.all_problems]


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "folder"])
def test_what_has_no_end_is_not_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "hi"}]', "utf-8")
    for config in (
        f'[[check.budgets]]\nwindow = 100\nanswer = 1\nsystem = "@{name}"\n',
        f'[[check.chats]]\npaths = ["chat.json"]\nmodel = "gpt-4o"\nanswer = 1\ntools = "{name}"\n',
    ):
        (said,) = says(check(tmp_path, config))
        assert "is a folder, a pipe or a device, and no file" in said
    with pytest.raises(InputError, match="no file"):
        pw.check(tmp_path / name)


@pytest.mark.parametrize("pattern", ["a" * 5000, "a**b", "[", "~", "\\u0000", "gone/**"])
def test_a_pattern_that_names_nothing_is_an_error(tmp_path: Path, pattern: str) -> None:
    result = check(tmp_path, f'[[check.files]]\npaths = ["{pattern}"]\nmax_tokens = 5\n')
    assert [problem.kind for problem in result.all_problems] == ["nothing-found"]


def test_links_in_circles_and_a_file_named_twice(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("hi", "utf-8")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "dangling").symlink_to(tmp_path / "gone")
    result = check(tmp_path, '[[check.files]]\npaths = ["a", "**/*.md", "a/x.md"]\nmax_tokens = 5\n')
    assert [one.name for one in result.checked] == ["a/x.md"]
    assert result.passed


HELD = {
    "deep": "[" * 100_000,
    "number": "5",
    "nan": "NaN",
    "null": "null",
    "text": '"hello"',
    "digits": "1" * 5000,
    "empty": "",
    "other": '{"a": 1}',
    "role": '[{"role": "\\u001b[31m", "content": 5}]',
    "surrogate": '[{"role": "user", "content": "\\ud800"}]',
}


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5"])
@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_a_file_that_is_no_chat_fails_alone(tmp_path: Path, held: str, model: str) -> None:
    (tmp_path / "a.json").write_text(held, "utf-8")
    (tmp_path / "b.json").write_text('[{"role": "user", "content": "hi"}]', "utf-8")
    result = check(tmp_path, f'[[check.chats]]\npaths = ["*.json"]\nmodel = "{model}"\nanswer = 1\n')
    first, second = result.checked
    assert {problem.kind for problem in first.problems} == {"unreadable"}
    assert not second.problems


def test_an_answer_beyond_the_window_leaves_no_room_and_no_less(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '{"messages": [{"role": "user", "content": "x"}], "max_tokens": 5000}', "utf-8"
    )
    result = check(tmp_path, '[[check.chats]]\npaths = ["a.json"]\nmodel = "gpt-4o"\nwindow = 100\n')
    assert result.checked[0].max_tokens == 0
    assert any("over the limit of 0" in said for said in says(result))


@pytest.mark.parametrize(
    "lines",
    [
        "{window = 5}",
        '{model = "x"}',
        "{answer = 5}",
        "{left = 5}",
        '{"template framing" = 5}',
        "{system = 1}",
    ],
)
def test_a_line_of_a_budget_has_a_name_of_its_own(tmp_path: Path, lines: str) -> None:
    with pytest.raises(InputError, match="no line of one's own"):
        check(tmp_path, f"[[check.budgets]]\nwindow = 100\nlines = {lines}\n")
