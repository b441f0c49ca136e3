"""The record of a benchmark: what a partial run replaces, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benches import records


def row(what: str, seconds: float, text: str = "english") -> dict[str, Any]:
    return {"what": what, "tokenizer": "gpt2", "text": text, "median": {"piecework": seconds}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(records, "_FOLDER", tmp_path / "record")
    return tmp_path / "record"


def test_a_partial_run_replaces_its_own_rows_and_no_other(folder: Path) -> None:
    first = records.write_rows([row("encode", 1), row("train", 2), row("train", 3, "code")], {"a": "1"})
    second = records.write_rows([row("train", 4), row("load", 5)], {"b": "2"}, training={"threads": 2})
    assert first == second
    record = json.loads(second.read_text(encoding="utf-8"))
    assert record["rows"] == [row("encode", 1), row("train", 4), row("train", 3, "code"), row("load", 5)]
    assert record["versions"] == {"a": "1", "b": "2"}
    assert record["training"] == {"threads": 2}
    assert [path.name for path in folder.iterdir()] == [second.name]


def test_figures_of_two_machines_do_not_stand_in_one_record(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = records.write_rows([row("train", 1)], {})
    monkeypatch.setattr(records, "_processor", lambda: "another")
    second = records.write_rows([row("train", 2)], {})
    assert records.write_rows([row("load", 3)], {}) == second
    assert sorted(path.name for path in folder.iterdir()) == sorted([first.name, second.name])
    assert json.loads(first.read_text(encoding="utf-8"))["rows"] == [row("train", 1)]
    assert json.loads(second.read_text(encoding="utf-8"))["rows"] == [row("train", 2), row("load", 3)]


def test_figures_of_two_versions_do_not_stand_in_one_record() -> None:
    first = records.write_rows([row("train", 1)], {"a": "1", "b": "1"})
    assert records.write_rows([row("train", 2)], {"a": "2"}) != first
    assert records.write_rows([row("train", 3)], {"b": "1"}) == first
    assert json.loads(first.read_text(encoding="utf-8"))["rows"] == [row("train", 3)]
