"""Commands run in this process, in an empty folder and a clean environment; `process` runs them in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from piecework._cli.app import app


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def lines(self) -> list[list[str]]:
        """Standard output as lines of words."""
        return [line.split() for line in self.text.splitlines()]

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty folder that commands run in."""
    for name in ("PIECEWORK_MODEL", "PIECEWORK_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


Run = Callable[..., Ran]


@pytest.fixture
def run() -> Run:
    """Runs a command in this process: `run("count", "-", stdin=b"text")`."""

    def _run(*args: str, stdin: bytes = b"") -> Ran:
        result = CliRunner().invoke(app, list(args), input=stdin, catch_exceptions=False)
        return Ran(result.exit_code, result.stdout_bytes, result.stderr)

    return _run


@pytest.fixture
def process(folder: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a command in a process of its own."""

    def _start(*args: str, **options: Any) -> subprocess.Popen[bytes]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [sys.executable, "-m", "piecework", *args]
        return subprocess.Popen(command, cwd=folder, env=dict(os.environ), **{**pipes, **options})

    return _start
