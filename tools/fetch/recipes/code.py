"""Source code and what stands beside it, one text for each language, whole files up to a cap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.fetch.store import Archive

_CAP_BYTES = 6_000_000

# name of the text -> the packages it is taken from, each with the paths that count
_SOURCES: dict[str, list[tuple[str, str]]] = {
    "c": [("zstandard", r".*\.[ch]")],
    "cpp": [("sentencepiece", r"(?!.*normalization_rule).*\.(cc|h)")],
    "css": [("Django", r".*\.css")],
    "html": [("Django", r".*\.html"), ("sqlglot", r".*\.html")],
    "javascript": [("typescript", r"lib/typescript\.js"), ("Django", r".*/admin/js/[^/]*\.js")],
    "markdown": [("ruff", r".*\.md")],
    "python": [
        ("Django", r".*\.py"),
        ("sympy", r"sympy/(core|solvers|matrices|printing)/.*\.py"),
        ("sqlglot", r".*\.py"),
    ],
    "rust": [("ruff", r".*\.rs"), ("zstandard", r".*\.rs")],
    "sql": [("sqlglot", r".*\.sql")],
    "typescript": [("typescript", r"lib/(lib\..*|typescript)\.d\.ts")],
}


def code(archives: Mapping[str, Archive]) -> dict[str, str]:
    """One text for each programming language."""
    return {name: _joined(archives, sources) for name, sources in _SOURCES.items()}


def _joined(archives: Mapping[str, Archive], sources: list[tuple[str, str]]) -> str:
    """Whole files in the order of their names, the last one cut at a line where the cap is reached."""
    parts: list[str] = []
    left = _CAP_BYTES
    for package, pattern in sources:
        for name in archives[package].names():
            if left <= 0 or not re.fullmatch(pattern, name):
                continue
            part = _up_to(archives[package].read(name), left)
            parts.append(part)
            left -= len(part.encode("utf-8")) + 1
    return "\n".join(parts)


def _up_to(data: bytes, n_bytes: int) -> str:
    if len(data) > n_bytes:
        data = data[: data.rfind(b"\n", 0, n_bytes) + 1]
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
