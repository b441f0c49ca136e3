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


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"a,b\n1,2\n\n3\n", "a.csv: the content is no csv: line 4: 1 cells, and the heading has 2"),
        ("a.csv", b'a,b\n"1"2,3\n', "line 2: "),
        ("a.csv", b"", "there is no heading"),
        ("a.jsonl", b'{"a": 1}\n\n{"a": NaN}\n', "line 3: NaN is no JSON"),
        ("a.jsonl", b'{"a": 1}\n{"b": 1, "b": 2}\n', "line 2: the key 'b' stands twice"),
        ("a.json", b"caf\xe9", "a.json: the content is not UTF-8 at byte 3"),
        ("a.yaml", b"a: 1\n---\nb: 2\n", "single document"),
    ],
)
def test_broken_content_names_the_file_and_the_line(
    run: Run, folder: Path, name: str, content: bytes, says: str
) -> None:
    (folder / name).write_bytes(content)
    ran = run("slim", "-m", "gpt-4o", name)
    assert (ran.code, ran.out) == (4, b"")
    assert says in ran.err
    # What other commands offer for such text, this one has not.
    assert "--errors" not in ran.err
