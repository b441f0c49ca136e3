"""The texts that trainers are measured on: one file of real text each, no part of it given twice.

English: speeches, a novel, reviews, definitions and e-mails, then the manuals of two clouds and exercises, which are two
thirds. Languages: declarations, scripture, translated programs and devices.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from benches.texts import documents
from tools import fixtures

__all__ = ["TRAIN_SETS", "TrainText", "write_text"]

_MB = 1_000_000

# For each text its fetched sets, and the megabytes of it that are measured.
TRAIN_SETS = {
    "english": (("english", "english_manuals"), 100.0),
    "languages": (("languages", "languages_home"), 48.0),
}


@dataclass(frozen=True)
class TrainText:
    """A file to train on.

    Attributes:
        name: One of `TRAIN_SETS`.
        path: Where it lies: UTF-8, lines ended by a line feed.
        n_bytes: Its size.
        n_distinct_bytes: The size of its distinct lines.
        n_languages: How many languages it is taken from, in turn.
        sha256: Of its content.
    """

    name: str
    path: Path
    n_bytes: int
    n_distinct_bytes: int
    n_languages: int
    sha256: str

    @property
    def label(self) -> str:
        """The name with the size, as the record has it."""
        return f"{self.name}, {self.n_bytes / _MB:.3g} MB"

    @property
    def description(self) -> str:
        """What the file is, as one line."""
        languages = "1 language" if self.n_languages == 1 else f"{self.n_languages} languages"
        return (
            f"{self.label}: {self.n_bytes:,} bytes, {self.n_distinct_bytes:,} of them in distinct lines, "
            f"{languages}, SHA-256 {self.sha256[:12]}"
        )


def write_text(name: str, megabytes: float | None, folder: Path) -> TrainText:
    """Writes one of the texts.

    Args:
        name: One of `TRAIN_SETS`.
        megabytes: About how much; None for what is measured.
        folder: Where to.
    """
    sets, full_megabytes = TRAIN_SETS[name]
    max_bytes = int((megabytes or full_megabytes) * _MB)
    parts = [part if part.endswith("\n") else part + "\n" for part in documents(*sets, max_bytes=max_bytes)]
    data = "".join(parts).encode()
    path = folder / f"{name}.txt"
    path.write_bytes(data)
    return TrainText(
        name=name,
        path=path,
        n_bytes=len(data),
        n_distinct_bytes=sum(len(line) + 1 for line in set(data.split(b"\n")[:-1])),
        n_languages=_n_languages(name, sets),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _n_languages(name: str, sets: tuple[str, ...]) -> int:
    if name != "languages":
        return 1
    files = [file.name for text_set in sets for file in fixtures.text_set(text_set)]
    return len({file.partition("-")[0] for file in files})
