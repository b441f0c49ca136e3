"""Read the code blocks of Markdown documents, and run them as a reader would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the line on which the text starts."""

    path: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One `$ ` line of a console block, and what the document says that it prints."""

    text: str
    printed: str


def blocks(path: Path, language: str) -> Iterator[Block]:
    """The fenced blocks of a document in one language."""
    document = path.read_text(encoding="utf-8")
    for found in _FENCE.finditer(document):
        if found[1] == language:
            yield Block(path, document.count("\n", 0, found.start(2)) + 1, language, found[2])


def commands(block: Block) -> list[Command]:
    """The commands of a console block; a line that ends in a backslash goes on.

    Raises:
        ValueError: The block does not start with a command.
    """
    found: list[tuple[str, list[str]]] = []
    lines = iter(block.text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = f"{command}\n{next(lines)}"
            found.append((command, []))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{block}: a console block starts with a line like `$ command`")
    return [Command(text, "\n".join(printed).rstrip()) for text, printed in found]


def run(command: Command, root: Path) -> str:
    """What a command prints at the root of the project with .venv active, both streams as a terminal mixes them."""
    scripts = str(Path(sys.executable).parent)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PIECEWORK_")},
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }
    result = subprocess.run(
        ["bash", "-c", command.text],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIMEOUT_S,
        check=False,
    )
    lines = result.stdout.decode("utf-8").splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip()


def agrees(printed: str, expected: str) -> bool:
    """Whether output is what a document says; a line `...` of the document stands for any lines."""
    lines = [".*" if line.strip() == "..." else re.escape(line.rstrip()) for line in expected.splitlines()]
    return re.fullmatch("\n".join(lines), printed, re.DOTALL) is not None


def links(path: Path) -> Iterator[str]:
    """The files that a document links to by a relative path."""
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            yield target
