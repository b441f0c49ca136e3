"""What tests of every level share: fetched files, and the reference libraries on them. Nothing here skips.

A missing fixture raises `MissingFixtureError`, which names `make fixtures`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
import tokenizers

from tools import fixtures, references

# A shell without job control starts what it puts in the background deaf to Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder of example inputs."""
    return ROOT / "examples"


@pytest.fixture(scope="session")
def fetched() -> Callable[[str], Path]:
    """The path of a fetched file by its name in tools/fixtures.toml, such as "qwen3/tokenizer.json"."""
    return fixtures.fixture


@pytest.fixture(scope="session")
def text_set() -> Callable[[str], list[fixtures.TextFile]]:
    """The files of a fetched text set, such as "languages"."""
    return fixtures.text_set


@pytest.fixture(scope="session")
def tiktoken_encoding() -> Callable[[str], tiktoken.Encoding]:
    """An encoding of tiktoken by name, such as "o200k_base"."""
    return references.tiktoken_encoding


@pytest.fixture(scope="session")
def hf_tokenizer() -> Callable[[str], tokenizers.Tokenizer]:
    """A Hugging Face tokenizer by the folder of its fetched tokenizer.json, such as "qwen3"."""
    return references.hf_tokenizer


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what conformance tests say they compared: "passed" alone does not tell how much that was."""
    reports = [
        report for report in terminalreporter.stats.get("passed", ()) if "/conformance/" in report.nodeid
    ]
    lines = [line for report in reports for line in report.capstdout.splitlines() if line.strip()]
    if lines:
        terminalreporter.section("compared with the reference libraries")
        for line in lines:
            terminalreporter.write_line(line)
