"""The fetched files, for tests, benchmarks and the packer: by name, already checked, never skipped."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tools.fetch.store import cache_folder, file_path
from tools.fetch.table import BENCH_GROUP, File, Package, Table, read_table
from tools.fetch.texts import TextFile, is_built, text_files

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "MissingFixtureError",
    "TextFile",
    "fixture",
    "fixture_sha256",
    "fixture_source",
    "text_file",
    "text_set",
    "text_sets",
]


class MissingFixtureError(Exception):
    """A fixture that the table has and the cache lacks, or that the table does not have."""


@cache
def _table() -> Table:
    return read_table()


def fixture(name: str) -> Path:
    """The path of a fetched file.

    Args:
        name: As in tools/fixtures.toml, such as "qwen3/tokenizer.json". The two files of one tokenizer lie in one folder.

    Returns:
        An existing file with the pinned content.

    Raises:
        MissingFixtureError: It has not been fetched (run `make fixtures`), or the table has no such name.
    """
    package, file = _row(name)
    path = file_path(package, file.path, cache_folder())
    if not path.is_file():
        raise MissingFixtureError(f"{name} is not in {cache_folder()}: run `make fixtures`")
    return path


def fixture_sha256(name: str) -> str:
    """The pinned hex SHA-256 of a file of the table, whether fetched or not."""
    return _row(name)[1].sha256


def fixture_source(name: str) -> str:
    """The package, version and path that a file comes from, as one line."""
    package, file = _row(name)
    return f"{package.label} {file.path}"


def text_sets() -> list[str]:
    """The names of the text sets that `make fixtures` brings, in the order of the table; those of benchmarks apart."""
    return [text.name for text in _table().everyday.texts]


def text_set(name: str) -> list[TextFile]:
    """The files of a text set, sorted by name: their languages or kinds, sizes and paths.

    Raises:
        MissingFixtureError: It has not been built (run `make fixtures`, or `make bench`), or the table has no such set.
    """
    for text in _table().texts:
        if text.name == name:
            if not is_built(text, cache_folder()):
                target = "bench" if text.group == BENCH_GROUP else "fixtures"
                raise MissingFixtureError(f"text set {name} is not in {cache_folder()}: run `make {target}`")
            return list(text_files(text, cache_folder()))
    raise MissingFixtureError(f"tools/fixtures.toml has no text set {name}; it has {', '.join(text_sets())}")


def text_file(set_name: str, name: str) -> TextFile:
    """One file of a text set, such as `text_file("languages", "tha")`.

    Raises:
        MissingFixtureError: It has not been built (run `make fixtures`), or there is no such file.
    """
    for file in text_set(set_name):
        if file.name == name:
            return file
    raise MissingFixtureError(f"text set {set_name} has no file {name}")


def _row(name: str) -> tuple[Package, File]:
    for package in _table().packages:
        for file in package.files:
            if file.name == name:
                return package, file
    raise MissingFixtureError(f"tools/fixtures.toml has no file {name}")
