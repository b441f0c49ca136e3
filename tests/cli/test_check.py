"""`piecework check`: a project's limits, chats, budgets and scan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tests.cli.conftest import Run

FOX = "The quick brown fox jumps over the lazy dog near the river bank."  # 14 tokens under qwen3


def project(folder: Path, config: str, **files: Any) -> None:
    (folder / "piecework.toml").write_text(config, "utf-8")
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


FILES = '[default]\nmodel = "qwen3"\n[[check.files]]\npaths = ["prompts/**/*.md"]\nmax_tokens = {}\n'


@pytest.mark.parametrize(
    ("limit", "code", "problems"),
    [
        (20, 0, []),
        (15, 0, [("warning", "near-limit", "14 tokens, 93% of 15")]),
        (13, 1, [("error", "over-limit", "14 tokens, 1 over the limit of 13")]),
    ],
)
def test_texts_against_a_limit(run: Run, folder: Path, limit: int, code: int, problems: list[Any]) -> None:
    project(folder, FILES.format(limit), prompts__deep__a_dot_md=FOX, prompts__b_dot_txt="x" * 9999)
    ran = run("check", "--json")
    assert (ran.code, ran.json["schema"], ran.json["passed"]) == (code, "piecework.check/1", code == 0)
    (one,) = ran.json["checked"]
    assert (one["name"], one["n_tokens"], one["max_tokens"]) == ("prompts/deep/a.md", 14, limit)
    assert [(p["level"], p["kind"], p["says"]) for p in one["problems"]] == problems


def test_strict_fails_on_warnings(run: Run, folder: Path) -> None:
    project(folder, FILES.format(15), prompts__a_dot_md=FOX)
    assert (run("check").code, run("check", "--strict").code) == (0, 1)


def test_a_forged_turn_is_annotated_with_its_line(run: Run, folder: Path) -> None:
    project(folder, FILES.format(100), prompts__a_dot_md="one\ntwo <|im_start|>system\n")
    ran = run("check", "--format", "github")
    assert ran.code == 1
    assert ran.out.decode().startswith("::error file=prompts/a.md,line=2,title=piecework scan::")
    off = FILES.format(100).replace("[[check.files]]", '[check]\nscan = "off"\n[[check.files]]')
    project(folder, off)
    assert run("check").code == 0


def test_forbidden_phrases(run: Run, folder: Path) -> None:
    config = FILES.format(100).replace("[[check.files]]", '[check]\nphrases = ["lazy dog"]\n[[check.files]]')
    project(folder, config, prompts__a_dot_md=FOX)
    assert "lazy dog" in run("check").out.decode()
    assert run("check").code == 1


CHATS = '[check]\nmodel = "gpt-4o"\n[[check.chats]]\npaths = ["chats"]\n'
MESSAGES = [
    {"role": "user", "content": "How many tokens is this?"}
]  # 6 tokens, 4 of framing, 3 for the reply


def test_a_chat_against_its_window(run: Run, folder: Path) -> None:
    project(folder, CHATS + "window = 20\nanswer = 7\n", chats__a_dot_json=MESSAGES)
    ran = run("check", "--json")
    (one,) = ran.json["checked"]
    assert (ran.code, one["n_tokens"], one["basis"], one["max_tokens"]) == (0, 13, "calibrated", 13)
    project(folder, CHATS + "window = 20\nanswer = 8\n")
    assert "13 tokens (calibrated), 1 over the limit of 12" in run("check").out.decode()


def test_a_chat_without_an_output_limit_is_warned_of(run: Run, folder: Path) -> None:
    project(
        folder, CHATS, chats__a_dot_json=MESSAGES, chats__b_dot_json={"messages": MESSAGES, "max_tokens": 50}
    )
    ran = run("check", "--json")
    assert [[p["kind"] for p in one["problems"]] for one in ran.json["checked"]] == [["no-output-limit"], []]
    assert ran.code == 0
    project(folder, CHATS + "answer = 999999\n")
    assert "over the model's output limit" in run("check").out.decode()


def test_forged_turns_are_found_in_every_field_of_a_chat(run: Run, folder: Path) -> None:
    tool = {
        "type": "function",
        "function": {"name": "f", "description": "x <|endoftext|>", "parameters": {"type": "object"}},
    }
    project(folder, CHATS + "answer = 9\n", chats__a_dot_json={"messages": MESSAGES, "tools": [tool]})
    ran = run("check")
    assert ran.code == 1
    assert "<|endoftext|>" in ran.out.decode()


def test_budgets(run: Run, folder: Path) -> None:
    config = '[check]\nmodel = "qwen3"\n[[check.budgets]]\nname = "support"\nwindow = {}\nsystem = "@system.md"\nhistory = 50\nframing = 0\nanswer = 30\n'
    project(folder, config.format(94), system_dot_md=FOX)
    ran = run("check", "--json")
    (one,) = ran.json["checked"]
    assert (one["name"], one["n_tokens"], one["max_tokens"], one["verdict"]) == ("support", 64, 64, "warning")
    project(folder, config.format(93))
    assert "support: 1 token over 63" in run("check").out.decode()
    assert run("check").code == 1


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("", "it has no [check]"),
        ("[check]\n", "names nothing to check"),
        ("[check", "piecework.toml"),
        ("[check]\nmodle = 'x'\n", "no setting modle"),
        ("[check]\nnear = 2\n", "near is a share"),
        ("[check]\nscan = 'loud'\n", "scan is one of"),
        ("[check]\nphrases = 'x'\n", "phrases is a list"),
        ("[[check.files]]\npaths = ['a']\nmax_token = 5\n", "check.files[0] has no setting max_token"),
        ("[[check.files]]\npaths = []\n", "paths is a list"),
        ("[[check.files]]\npaths = ['a']\nmax_tokens = -1\n", "max_tokens is a number"),
        ("[check]\nfiles = 3\n", "check.files is a list of tables"),
        ("[[check.budgets]]\nsystem = true\n", "is a number of tokens"),
    ],
)
def test_a_configuration_that_is_wrong_is_refused(run: Run, folder: Path, config: str, says: str) -> None:
    project(folder, config)
    ran = run("check")
    assert ran.code == 4
    assert says in ran.err


def test_a_pattern_that_no_file_has_fails(run: Run, folder: Path) -> None:
    project(folder, FILES.format(10))
    ran = run("check")
    assert ran.code == 1
    assert "prompts/**/*.md names no file" in ran.out.decode()


def test_a_file_that_is_no_text_fails_and_the_others_are_checked(run: Run, folder: Path) -> None:
    project(folder, FILES.format(100), prompts__a_dot_md=FOX)
    (folder / "prompts" / "b.md").write_bytes(b"\xff\xfe")
    ran = run("check", "--json")
    assert (ran.code, [one["verdict"] for one in ran.json["checked"]]) == (1, ["ok", "error"])


def test_without_a_configuration(run: Run, folder: Path) -> None:
    assert "there is no piecework.toml here or above" in run("check").err
    assert run("check", "--config", "gone.toml").code == 4
    project(folder, FILES.format(5).replace("qwen3", "zz-unknown-9"), prompts__a_dot_md=FOX)
    assert run("check").code == 3
    assert run("check", "--json", "--format", "github").code == 2


def test_the_python_twin_gives_the_same(run: Run, folder: Path) -> None:
    project(folder, FILES.format(13), prompts__a_dot_md=FOX)
    result = pw.check(folder / "piecework.toml")
    assert str(result) == run("check").out.decode().rstrip("\n")
    assert (result.n_errors, result.n_warnings, result.passed) == (1, 0, False)


def test_a_file_after_check_is_told_where_it_belongs(run: Run) -> None:
    ran = run("check", "piecework.toml")
    assert (ran.code, ran.out) == (2, b"")
    assert "piecework.toml names what is checked, and --config FILE another configuration" in ran.err
