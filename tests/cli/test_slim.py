"""`piecework slim`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

LAMPS = '[{"name": "Ada", "age": 36}, {"name": "Bo", "age": 41}]'


def test_forms_are_listed_and_nothing_is_written(run: Run, folder: Path) -> None:
    (folder / "lamps.json").write_text(LAMPS, encoding="utf-8")
    ran = run("slim", "lamps.json", "-m", "gpt-4o")
    assert (ran.code, ran.lines[1][:2]) == (0, ["as", "given"])
    assert ran.lines[2][0] in {"csv", "table"}
    assert [path.name for path in folder.iterdir()] == ["lamps.json"]
    assert (folder / "lamps.json").read_text(encoding="utf-8") == LAMPS


def test_a_form_is_written_on_request(run: Run, folder: Path) -> None:
    ran = run("slim", "--text", LAMPS, "-m", "gpt-4o", "--write", "csv", "-o", "out.csv")
    assert (ran.code, ran.out) == (0, b"")
    assert (folder / "out.csv").read_bytes() == b"name,age\nAda,36\nBo,41"
    assert "csv: " in ran.err


def test_json(run: Run) -> None:
    value = run("slim", "--json", "--text", LAMPS, "-m", "gpt-4o").json
    assert value["schema"] == "piecework.slim/1"
    assert value["forms"][0]["is_same_data"] is True


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--text", "[1", "--from", "json"], 4),
        (["--text", "[1]", "--write", "csv"], 2),
        (["--text", "[1]", "--write", "zzz"], 2),
        (["gone.json"], 4),
        (["a", "b"], 2),
    ],
)
def test_errors(run: Run, args: list[str], code: int) -> None:
    ran = run("slim", "-m", "gpt-4o", *args)
    assert (ran.code, ran.out) == (code, b"")
