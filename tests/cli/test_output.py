"""Where results go: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from piecework._cli.output import Output, open_output
from piecework.errors import OutputError
from tests.cli.conftest import Run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_with_the_result(run: Run, folder: Path) -> None:
    ran = run("encode", "--text", "Hello", "-m", "gpt-4o", "-o", "ids.txt")
    assert (ran.code, ran.out) == (0, b"")
    assert (folder / "ids.txt").read_text(encoding="utf-8") == "13225\n"
    assert names(folder) == ["ids.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(run: Run, folder: Path) -> None:
    (folder / "out").write_text("old", encoding="utf-8")
    (folder / "bad").write_bytes(b"\xff")
    (folder / "good").write_bytes(b"x")
    assert run("encode", "good", "bad", "-o", "out").code == 4
    assert (folder / "out").read_text(encoding="utf-8") == "old"
    assert names(folder) == ["bad", "good", "out"]


def test_dash_is_standard_output(run: Run) -> None:
    assert run("encode", "--text", "Hello", "-m", "gpt-4o", "-o", "-").text == "13225\n"


def test_a_link_stays_one(run: Run, folder: Path) -> None:
    (folder / "real").write_text("old", encoding="utf-8")
    (folder / "link").symlink_to("real")
    assert run("encode", "--text", "Hello", "-m", "gpt-4o", "-o", "link").code == 0
    assert (folder / "link").is_symlink()
    assert (folder / "real").read_text(encoding="utf-8") == "13225\n"


def test_modes_are_kept_or_those_of_any_new_file(run: Run, folder: Path) -> None:
    (folder / "old").write_text("", encoding="utf-8")
    (folder / "old").chmod(0o640)
    (folder / "plain").write_text("", encoding="utf-8")
    for name in ("old", "new"):
        assert run("encode", "--text", "x", "-o", name).code == 0
    assert (folder / "old").stat().st_mode & 0o777 == 0o640
    assert (folder / "new").stat().st_mode == (folder / "plain").stat().st_mode


def test_a_device_is_written_to(run: Run) -> None:
    assert run("encode", "--text", "x", "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["no/such/folder/out", "."])
def test_what_cannot_be_written_is_named(run: Run, folder: Path, name: str) -> None:
    ran = run("encode", "--text", "x", "-o", name)
    assert ran.code == 2
    assert f"error[output]: {name} cannot be written: " in ran.err
    assert names(folder) == []


class FullDisk:
    def write(self, _: bytes) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_named() -> None:
    stream: Any = FullDisk()
    with pytest.raises(OutputError, match="standard output cannot be written: No space left"):
        Output(stream, "standard output").bytes(b"x")


def test_an_error_in_between_is_not_taken_for_one_of_the_file(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _fail_in_between(folder)
    assert names(folder) == []


def _fail_in_between(folder: Path) -> None:
    with open_output("out") as output:
        output.line("half")
        (folder / "gone").read_bytes()


def test_json_of_lone_surrogates(folder: Path) -> None:
    with open_output("out") as output:
        output.json("x/1", {"name": "\udcff", "list": [1]})
    assert (folder / "out").read_bytes() == b'{\n  "schema": "x/1",\n  "name": "\\udcff",\n  "list": [1]\n}\n'


def test_an_unforeseen_error_is_no_finding(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def _fail(*_args: object, **_options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("piecework._cli.commands.count.plan", _fail)
    ran = run("count", "--text", "x")
    assert (ran.code, ran.text) == (70, "")
    assert ran.err.splitlines()[-2] == "error[internal]: KeyError: 'lost'"
    assert ran.err.splitlines()[-1].startswith("hint: ")
    monkeypatch.setenv("PIECEWORK_DEBUG", "1")
    with pytest.raises(KeyError):
        run("count", "--text", "x")
