"""`piecework count` on folders: what git ignores, links and what is no text are left out, and named."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def tree(folder: Path) -> Path:
    """A small project with all that a folder may hold."""
    root = folder / "project"
    files: dict[str, bytes] = {
        ".gitignore": b"*.log\nbuild/\n!keep.log\n/only-at-root.txt\n",
        "a.txt": b"one",
        "keep.log": b"one two",
        "drop.log": b"dropped",
        "only-at-root.txt": b"dropped",
        "build/out.txt": b"dropped",
        "build/keep.log": b"dropped",
        "src/.gitignore": b"*.tmp\n!very.log\n",
        "src/b.py": b"one two three",
        "src/very.log": b"one two three four",
        "src/x.tmp": b"dropped",
        "src/only-at-root.txt": b"kept",
        "src/deep/y.tmp": b"dropped",
        ".git/config": b"dropped",
        ".git/info/exclude": b"secret*\n",
        "secret.txt": b"dropped",
        "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "wide.txt": "two".encode("utf-16"),
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


KEPT = {
    ".gitignore",
    "a.txt",
    "keep.log",
    "src/.gitignore",
    "src/b.py",
    "src/very.log",
    "src/only-at-root.txt",
}


def test_a_folder_without_what_git_ignores(run: Run, tree: Path) -> None:
    ran = run("count", "--json", "project", "-m", "gpt-4o")
    assert ran.code == 0
    assert {row["name"] for row in ran.json["texts"]} == {f"project/{name}" for name in KEPT}
    assert {(row["name"], row["reason"]) for row in ran.json["skipped"]} == {
        ("project/image.png", "binary"),
        ("project/wide.txt", "UTF-16"),
    }
    tok = pw.load("gpt-4o")
    expected = {f"project/{name}": tok.count((tree / name).read_text(encoding="utf-8")) for name in KEPT}
    assert {row["name"]: row["n_tokens"][0] for row in ran.json["texts"]} == expected
    assert ran.json["n_tokens"] == [sum(expected.values())]
    assert ran.json["n_texts"] == len(KEPT)


def test_rules_above_the_folder_hold_inside_it(run: Run, tree: Path) -> None:
    (tree / "src" / "z.log").write_text("dropped", encoding="utf-8")
    ran = run("count", "--json", "project/src")
    names = {row["name"] for row in ran.json["texts"]}
    assert names == {f"project/{name}" for name in KEPT if name.startswith("src/")}


def test_all_files(run: Run, tree: Path) -> None:
    assert tree.is_dir()
    names = {row["name"] for row in run("count", "--json", "--all-files", "project").json["texts"]}
    assert {"project/drop.log", "project/build/out.txt", "project/secret.txt"} <= names
    assert not any("/.git/" in name for name in names)


def test_a_folder_as_a_table(run: Run, tree: Path) -> None:
    assert tree.is_dir()
    ran = run("count", "project")
    assert ran.lines[-1][1:] == ["total", "of", str(len(KEPT))]
    assert "skipped project/image.png: binary" in ran.err
    assert "skipped project/wide.txt: UTF-16" in ran.err


def test_a_folder_shows_its_largest_files(run: Run, folder: Path) -> None:
    for n in range(30):
        (folder / f"f{n:02}").write_text("a " * (n + 1), encoding="utf-8")
    ran = run("count", ".")
    assert [line[-1] for line in ran.lines[:2]] == ["f29", "f28"]
    assert len(ran.lines) == 20 + 2
    assert len(run("count", ".", "--top", "0").lines) == 30 + 1


def test_links_and_pipes_are_not_followed(run: Run, folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "real.txt").write_text("one", encoding="utf-8")
    (folder / "in" / "link.txt").symlink_to("real.txt")
    (folder / "in" / "circle").symlink_to(".")
    os.mkfifo(folder / "in" / "pipe")
    ran = run("count", "--json", "in")
    assert [row["name"] for row in ran.json["texts"]] == ["in/real.txt"]
    assert {row["name"]: row["reason"] for row in ran.json["skipped"]} == {
        "in/link.txt": "a link",
        "in/circle": "a link",
        "in/pipe": "not a regular file",
    }


def test_an_empty_folder(run: Run, folder: Path) -> None:
    (folder / "empty").mkdir()
    ran = run("count", "empty")
    assert (ran.code, ran.lines) == (0, [["0", "total", "of", "0"]])


def test_a_folder_without_texts_is_said_so(run: Run, folder: Path) -> None:
    (folder / "e").mkdir()
    ran = run("count", "e", "-m", "gpt-4o")
    assert (ran.code, ran.err) == (0, "no text files in e\n")


def test_a_line_that_is_no_pattern_is_left_out_and_named(run: Run, folder: Path) -> None:
    (folder / ".gitignore").write_text("!\n\\\na\\\n[z-a]\n*.log\n", encoding="utf-8")
    (folder / "a").write_text("one", encoding="utf-8")
    (folder / "b.log").write_text("one", encoding="utf-8")
    ran = run("count", "--json", ".")
    assert ran.code == 0
    assert [row["name"] for row in ran.json["texts"]] == [".gitignore", "a"]
    for n, line in enumerate(["!", "\\", "a\\", "[z-a]"], 1):
        assert f".gitignore:{n}: {line} is no pattern" in ran.err
    assert ".gitignore:5" not in ran.err
    assert "pattern" not in run("count", "-q", ".").err


@pytest.mark.parametrize(
    "line", ["*a" * 14 + "*b", "*" * 40 + "b", "**/a/" * 14 + "b", "a/**/*a*a*a*a*a*a*a*b/**/b"]
)
def test_a_line_of_many_wildcards_takes_no_time(process: Start, folder: Path, line: str) -> None:
    (folder / ".gitignore").write_text(f"{line}\n", encoding="utf-8")
    (folder / ("a" * 200)).write_text("one", encoding="utf-8")
    deep = folder.joinpath(*["a"] * 100)
    deep.mkdir(parents=True)
    (deep / ("a" * 200)).write_text("one", encoding="utf-8")
    out, err = process("count", "--json", ".", "-m", "gpt-4o").communicate(timeout=60)
    assert b"pattern" not in err
    assert json.loads(out)["n_texts"] == 3


def test_many_wildcards_match_what_git_matches(run: Run, folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".gitignore").write_text(
        "*a*b*a.t\n?*x*?x\na/**/b/*c*/**/d\n**/p/**/q/**/r*s\n*[0-9]*[0-9].n\n**.m**\n", encoding="utf-8"
    )
    a = "aba.t ab.a.t xaxbxa.t ba.t ax1x axx xx xaxxx a/b/c/d a/1/b/xcx/2/d a/b/1/d a/b/b/c/d a/1/b/2/b/c/3/4/d/e"
    b = "1.n 11.n x1y2.n x12y.n p/q/rs z/p/q/1/q/r.s p/1/2/q/q/3/rxs p/q/x q/p/r/rs u.m.v um"
    names = f"{a} {b}".split()
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one", encoding="utf-8")
    git = ["git", "ls-files", "--others", "--exclude-standard"]
    kept = subprocess.run(git, cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    assert 5 < len(kept) < len(names)
    assert {row["name"] for row in run("count", "--json", ".").json["texts"]} == set(kept)


def test_a_pipe_as_gitignore_is_not_waited_for(process: Start, folder: Path) -> None:
    os.mkfifo(folder / ".gitignore")
    child = process("count", ".")
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_folders_nested_deeper_than_calls(process: Start, folder: Path) -> None:
    top = folder / "top"
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for n in range(1500):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        if n % 50 == 0:
            ignore = os.open(".gitignore", os.O_CREAT | os.O_WRONLY, dir_fd=here)
            os.write(ignore, b"*.log\n")
            os.close(ignore)
    os.close(here)
    try:
        out, err = process("count", "--json", "top", "-m", "gpt-4o").communicate(timeout=60)
    finally:
        # Deeper than the removal of temporary folders goes.
        subprocess.run(["rm", "-rf", top], check=True)
    assert b"Traceback" not in err
    assert json.loads(out)["n_texts"] == 30
