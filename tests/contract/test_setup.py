"""A machine that lacks something is told in one line what to install; a broken .venv is made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL_TOOLS = ("sh", "sed", "grep", "rm", "mkdir", "cat")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A clone's scripts in a folder with a space, and beside it `bin` with a shell's own tools and nothing else."""
    clone = tmp_path / "a clone"
    (clone / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "setup.sh", clone / "tools")
    shutil.copy(ROOT / "Cargo.toml", clone)
    for name in SHELL_TOOLS:
        link(clone, name, shutil.which(name))
    return clone


def link(clone: Path, name: str, target: str | None) -> None:
    assert target is not None, f"this test needs {name}"
    folder = clone.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to(target)


def script(clone: Path, name: str, text: str) -> None:
    folder = clone.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def setup(clone: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": str(clone.parent / "bin"), "HOME": str(clone.parent), **environment}
    return subprocess.run(
        ["/bin/sh", "tools/setup.sh", *arguments],
        cwd=clone,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_missing_tool_has_its_line(machine: Path) -> None:
    result = setup(machine, "need", "python", "rust", "cc")
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert [line.split(" is missing")[0] for line in lines] == [
        "Python 3.11 or later",
        "Rust 1.88 or later",
        "A C compiler",
    ]
    assert all("install" in line for line in lines)


def test_nothing_is_said_where_nothing_is_missing(machine: Path) -> None:
    link(machine, "python3.12", sys.executable)
    script(machine, "cargo", "exit 0")
    script(machine, "rustc", "echo 'rustc 1.88.0 (6b00bc388 2025-06-23)'")
    script(machine, "clang", "exit 0")
    result = setup(machine, "need", "python", "rust", "cc")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_old_rust_is_told_from_a_new_one(machine: Path) -> None:
    script(machine, "cargo", "exit 0")
    script(machine, "rustc", "echo 'rustc 1.87.0 (17067e9ac 2025-05-09)'")
    result = setup(machine, "need", "rust")
    assert result.returncode == 1
    assert result.stderr == "Rust 1.87 is too old: run `rustup update` for 1.88 or later\n"


def test_named_python_is_used_or_refused(machine: Path) -> None:
    script(machine, "oldpython", "exit 1")
    link(machine, "python3", sys.executable)
    result = setup(machine, "need", "python", PYTHON="oldpython")
    assert result.returncode == 1
    assert result.stderr.startswith("PYTHON=oldpython does not run as CPython 3.11")


def test_venv_is_kept_while_it_works_and_made_anew_when_moved(machine: Path) -> None:
    link(machine, "python3", os.path.realpath(sys.executable))
    assert "Making .venv with Python" in setup(machine, "venv").stdout
    marker = machine / ".venv" / ".stamps" / "base"
    marker.touch()
    assert setup(machine, "venv").stdout == ""
    assert marker.exists()
    moved = machine.rename(machine.with_name("another clone"))
    assert "Making .venv with Python" in setup(moved, "venv").stdout
    assert not (moved / ".venv" / ".stamps" / "base").exists()


def test_first_run_is_told_how_long_it_takes(machine: Path) -> None:
    assert "minutes" in setup(machine, "expect", "demo").stdout
    stamps = machine / ".venv" / ".stamps"
    stamps.mkdir(parents=True)
    (stamps / "extension").touch()
    assert setup(machine, "expect", "demo").stdout == ""


def test_build_shows_progress_and_errors_without_remarks_and_keeps_its_status(machine: Path) -> None:
    script(
        machine,
        "builder",
        """echo '🔗 Found pyo3 bindings with abi3-py3.11 support' >&2
echo '   Compiling piecework-core v0.1.0' >&2
echo "pip is quiet: $PIP_QUIET, arguments: $*"
echo '🛠 Installed piecework-0.1.0'
[ "$1" = good ] && exit 0
echo 'error[E0433]: no such thing' >&2
printf '💥 maturin failed'
exit 7""",
    )
    shown = "   Compiling piecework-core v0.1.0\npip is quiet: 1, arguments: {}\n"
    good = setup(machine, "build", "builder", "good", "a b")
    assert (good.returncode, good.stdout, good.stderr) == (0, shown.format("good a b"), "")
    bad = setup(machine, "build", "builder", "bad")
    assert (bad.returncode, bad.stderr) == (7, "")
    assert bad.stdout == shown.format("bad") + "error[E0433]: no such thing\n💥 maturin failed\n"
