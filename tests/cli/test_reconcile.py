"""`piecework reconcile`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.unit.test_reconcile import rows


def written(folder: Path, made: list[dict[str, Any]]) -> None:
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")


def test_a_log_whose_causes_are_known(run: Run, folder: Path) -> None:
    made = rows(12, "cl100k_base")
    made[3]["response"]["choices"] = [{"finish_reason": "length"}]
    written(folder, made)
    ran = run("reconcile", "log.jsonl")
    assert ran.code == 1
    out = ran.out.decode()
    assert "ALARM wrong-tokenizer: o200k_base is off by" in out
    assert "ALARM cut-replies: 1 of 1 replies" in out
    value = run("reconcile", "log.jsonl", "--json").json
    assert (value["schema"], value["has_alarms"]) == ("piecework.reconcile/1", True)
    assert value["models"][0]["fits"][0]["tokenizer"] == "cl100k_base"
    right = run("reconcile", "log.jsonl", "-m", "cl100k_base", "--json").json
    assert "wrong-tokenizer" not in [cause["name"] for cause in right["models"][0]["causes"]]


def test_a_log_without_alarms_is_fine(run: Run, folder: Path) -> None:
    written(folder, rows(6, "o200k_base"))
    assert run("reconcile", "log.jsonl").code == 0


def test_a_calibration_is_kept_and_used(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "kept" / "calibrations.json"
    monkeypatch.setenv("PIECEWORK_CALIBRATIONS", str(path))
    written(folder, rows(12, "cl100k_base", model="zz-hosted-7", per_request=11, per_message=5))
    assert run("count", "--text", "Hello, world!", "-m", "zz-hosted-7").code == 3
    ran = run("reconcile", "log.jsonl", "--save")
    assert ran.code == 0
    assert f"kept in {path}" in ran.err
    counted = run("count", "--text", "Hello, world!", "-m", "zz-hosted-7")
    # cl100k_base counts 4, and a request and its message add nothing to a text alone.
    assert (counted.code, counted.out) == (0, b"4\n")
    assert "calibrated on 12 requests" in counted.err


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["gone.jsonl"], 4, "gone.jsonl"),
        ([], 2, "LOG"),
        (["log.jsonl", "--near", "0"], 2, "--near"),
        (["log.jsonl", "--assume", "gpt2"], 2, "no --assume"),
        (["empty.jsonl"], 4, "holds no usage record"),
    ],
)
def test_what_is_refused(run: Run, folder: Path, args: list[str], code: int, says: str) -> None:
    written(folder, rows(6, "o200k_base"))
    (folder / "empty.jsonl").write_text("\n", "utf-8")
    ran = run("reconcile", *args)
    assert ran.code == code
    assert says in ran.err


@pytest.mark.parametrize(
    "written", ["{row}\n{row}\n", "\n{row}\nno json\n{row}", "[{row},\n{row}]", "[{row}, {row}]"]
)
def test_lines_and_lists_are_read(run: Run, folder: Path, written: str) -> None:
    row = json.dumps({"model": "gpt-4o", "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
    (folder / "log.jsonl").write_text(written.replace("{row}", row), "utf-8")
    assert run("reconcile", "log.jsonl", "--json").json["models"][0]["n_requests"] == 2
    (folder / "one.json").write_text(json.dumps(json.loads(row), indent=2), "utf-8")
    assert run("reconcile", "one.json", "--json").json["models"][0]["n_requests"] == 1


def test_a_log_from_anybody_changes_no_terminal(run: Run, folder: Path) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    rows = [
        {
            "model": "gpt-4o",
            "usage": usage,
            "time": "\x1b[2J",
            "messages": [{"role": "\x1b[31m", "content": "x"}],
        },
        {"model": "\x1b[31m", "usage": usage},
        {"model": "gpt-4o", "usage": {"prompt_tokens": "\x1b[31m", "completion_tokens": 1}},
    ]
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    ran = run("reconcile", "log.jsonl")
    assert ran.code == 0
    assert "\x1b" not in ran.text + ran.err
