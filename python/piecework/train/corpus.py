"""A corpus in files: its units, the part of them that is counted here, and what says that it is the same corpus."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from piecework.train.sources.formats import file_status, paths_of
from piecework.train.sources.packed import naming
from piecework.train.sources.units import file_units, in_order, share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from piecework.train.mix_file import Mix
    from piecework.train.sources.batch import Unit

__all__ = ["Corpus", "corpus_of"]

# Two shards of one size seldom begin alike.
_HEAD_BYTES = 4 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A corpus in files.

    Attributes:
        files: The files, each with its source in a mix.
        units: Its units.
        chosen: Those of the part that is counted.
        field: The field of the text.
        mix: The mix that it is drawn by, or None.
    """

    files: Sequence[tuple[int, Path]]
    units: Sequence[Unit]
    chosen: Sequence[Unit]
    field: str
    mix: Mix | None

    def identity(self) -> dict[str, object]:
        """What a checkpoint compares: the files with their sizes and times, and the mix."""
        files = []
        for source, path in self.files:
            status = file_status(path)
            files.append([str(path), status.st_size, status.st_mtime_ns, source])
        return {"files": sorted(files), "field": self.field, "mix": self._mix()}

    def fingerprint(self) -> str:
        """SHA-256 over the names of the files without their folders, their sizes and beginnings, the field and the mix."""
        seen = []
        for source, path in self.files:
            with naming(path), path.open("rb") as stream:
                head = hashlib.sha256(stream.read(_HEAD_BYTES)).hexdigest()
            seen.append([path.name, file_status(path).st_size, head, source])
        what = {"files": sorted(seen), "field": self.field, "mix": self._mix()}
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def _mix(self) -> object:
        if self.mix is None:
            return None
        sources = [
            [source.name, source.field, str(source.weight), source.sample_bytes]
            for source in self.mix.sources
        ]
        return [self.mix.seed, self.mix.sample_bytes, str(self.mix.temperature), sources]


def corpus_of(
    files: object, mix: Mix | None, *, field: str, part: tuple[int, int] | None, is_ordered: bool
) -> Corpus:
    """The corpus of files, or of a mix.

    Args:
        files: Paths, where there is no mix.
        mix: A mix, or None.
        field: The field of the text in files.
        part: The part that is counted; None for all.
        is_ordered: Whether units are put in an order that does not depend on that of the files.

    Raises:
        InputError: A file is missing, is no regular file, or is not what its suffix says.
        TypeError: `files` are no paths.
    """
    listed: list[tuple[int, Path]] = []
    units: list[Unit] = []
    if mix is None:
        listed = [(0, path) for path in paths_of(files)]
        fields = [field]
    else:
        listed = [(at, path) for at, source in enumerate(mix.sources) for path in source.files]
        fields = [source.field for source in mix.sources]
    for source, path in listed:
        units.extend(file_units(path, fields[source], source=source))
    chosen = share(units, part)
    return Corpus(
        files=listed,
        units=units,
        chosen=in_order(chosen) if is_ordered else chosen,
        field=field,
        mix=mix,
    )
