"""A sample of a corpus, spread over its files: which parts is decided by sizes alone, so that it is the same each time."""

from __future__ import annotations

import io
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from piecework import _core
from piecework.train.sources.batch import Reading, Unit
from piecework.train.sources.feeding import documents
from piecework.train.sources.groups import groups
from piecework.train.sources.packed import naming
from piecework.train.sources.units import read_unit

__all__ = ["Sample", "Size", "sampled"]

_SAMPLE_BYTES = 16 << 20
_BLOCK_BYTES = 64 << 10
# Whatever is no plain text is read some megabytes at a time: fewer and larger parts of it.
_BLOCKS_OF_OTHERS = 8
_READING = Reading(errors="replace")
# Groups of pieces, in the order in which an eighth, a quarter, a half and all of them are evenly spread.
_GROUPS = (0, 4, 2, 6, 1, 5, 3, 7)
_NESTED = (1, 2, 4, 8)


@dataclass(slots=True)
class Size:
    """What a source holds.

    Attributes:
        n_plain: Bytes of files that are text as they are.
        n_other: Bytes of the others: compressed, or records with a field of text.
        n_read: Bytes of the others that were read.
        n_text: Bytes of text that were in them.
        n_unread: How many of the others are not read to their end.
    """

    n_plain: int = 0
    n_other: int = 0
    n_read: int = 0
    n_text: int = 0
    n_unread: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether `n_text_bytes` is no estimate."""
        return not self.n_unread

    @property
    def n_file_bytes(self) -> int:
        """Bytes of its files; of Parquet, those of its column before compression."""
        return self.n_plain + self.n_other

    @property
    def n_text_bytes(self) -> int:
        """Bytes of text."""
        if self.is_exact:
            return self.n_plain + self.n_text
        return self.n_plain + (self.n_other * self.n_text // self.n_read if self.n_read else self.n_other)


@dataclass(slots=True)
class Sample:
    """Words of a sample.

    Attributes:
        sizes: What each source holds.
        words: The words and their counts.
        n_words: Words, each as often as it occurs.
        n_bytes: Bytes of text.
        n_pieces: How many pieces it is of.
        growth: Words and distinct words of an eighth, a quarter, a half and all of the pieces.
        seconds: How long reading and counting took.
        n_unread: How many units of the corpus are not in it as a whole.
    """

    sizes: list[Size]
    words: Counter[bytes] = field(default_factory=Counter)
    n_words: int = 0
    n_bytes: int = 0
    n_pieces: int = 0
    growth: list[tuple[int, int]] = field(default_factory=list)
    seconds: float = 0.0
    n_unread: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole corpus."""
        return not self.n_unread


def sampled(
    units: Sequence[Unit],
    stages: bytes,
    *,
    n_sources: int,
    is_by_line: bool,
    n_threads: int | None,
    reading: Reading = _READING,
) -> Sample:
    """Counts the words of a sample of about 16 MB, or of the whole corpus where it is no larger.

    Args:
        units: The corpus.
        stages: A tokenizer.json with what stands before the model.
        n_sources: How many sources the units are of.
        is_by_line: Whether each line is a text of its own.
        n_threads: Threads that count; None for all processors.
        reading: How archives are read: they are unpacked, and may hold a line that fills the memory.

    Raises:
        InputError: A file cannot be read, is not what its suffix says, or is an archive with a line that is too long.

    Complexity: O(files + sample).
    """
    sample = Sample(sizes=[Size() for _ in range(n_sources)], n_unread=len(units))
    for unit in units:
        size = sample.sizes[unit.source]
        if _is_plain(unit):
            size.n_plain += unit.n_bytes
        else:
            size.n_other += unit.n_bytes
            size.n_unread += 1
    groups: list[list[bytes]] = [[] for _ in _GROUPS]
    start = time.perf_counter()
    for texts in _pieces(units, sample, reading, is_by_line=is_by_line):
        groups[sample.n_pieces % len(_GROUPS)] += texts
        sample.n_pieces += 1
    counts = [_counted(stages, texts, is_by_line=is_by_line, n_threads=n_threads) for texts in groups]
    sample.seconds = time.perf_counter() - start
    sample.n_bytes = sum(len(text) for texts in groups for text in texts)
    for n_groups, group in enumerate(_GROUPS, 1):
        sample.words.update(dict(counts[group].items()))
        sample.n_words += counts[group].n_words
        if n_groups in _NESTED:
            sample.growth.append((sample.n_words, len(sample.words)))
    return sample


def _counted(
    stages: bytes, texts: list[bytes], *, is_by_line: bool, n_threads: int | None
) -> _core.WordCounts:
    counter = _core.WordCounter(stages, is_by_line)
    counter.feed(texts, "replace", n_threads)
    return counter.finish()


def _is_plain(unit: Unit) -> bool:
    """Whether the bytes of the file are the text."""
    return unit.format.kind == "lines" and not unit.format.packed


def _pieces(
    units: Sequence[Unit], sample: Sample, reading: Reading, *, is_by_line: bool
) -> Iterator[list[bytes]]:
    """Texts in pieces of about the size of a block."""
    n_left = 4 * _SAMPLE_BYTES
    for unit, part, n_wanted in _parts(units):
        if _is_plain(unit):
            sample.n_unread -= part == unit
            for block in _cut(_block(unit, part)):
                yield [block] if is_by_line else io.BytesIO(block).readlines()
            continue
        size = sample.sizes[unit.source]
        n_before = size.n_text
        is_read, is_given = yield from _texts(
            part, min(n_wanted, n_left), size, reading if part.format.packed else _READING
        )
        n_left -= size.n_text - n_before
        size.n_unread -= is_read and part == unit
        sample.n_unread -= is_given and part == unit


def _parts(units: Sequence[Unit]) -> list[tuple[Unit, Unit, int]]:
    """Units, the part to read of each, and how many bytes of text are wanted of it."""
    n_all = sum(unit.n_bytes for unit in units)
    if n_all <= _SAMPLE_BYTES:
        return [(unit, unit, 4 * _SAMPLE_BYTES) for unit in units]
    ends = list(accumulate(unit.n_bytes for unit in units))
    n_blocks = _SAMPLE_BYTES // _BLOCK_BYTES
    places = [(2 * at + 1) * n_all // (2 * n_blocks) for at in range(n_blocks)]
    found: list[tuple[Unit, Unit, int]] = []
    others: list[tuple[Unit, int]] = []
    for place in places:
        at = bisect_right(ends, place)
        unit, offset = units[at], place - (ends[at] - units[at].n_bytes)
        if _is_plain(unit):
            found.append((unit, _range(unit, offset, _BLOCK_BYTES), _BLOCK_BYTES))
        else:
            others.append((unit, offset))
    return found + _parts_of_others(others)


def _parts_of_others(places: Sequence[tuple[Unit, int]]) -> list[tuple[Unit, Unit, int]]:
    """The parts to read around places in units that are not plain text: of some neighbors one, and more text there."""
    found: list[tuple[Unit, Unit, int]] = []
    wanted: dict[int, tuple[Unit, int]] = {}
    for first in range(0, len(places), _BLOCKS_OF_OTHERS):
        some = places[first : first + _BLOCKS_OF_OTHERS]
        unit, offset = some[len(some) // 2]
        n_bytes = len(some) * _BLOCK_BYTES
        if unit.format.kind == "jsonl" and not unit.format.packed:
            found.append((unit, _range(unit, offset, n_bytes), n_bytes))
        else:
            # It is read from its beginning only.
            wanted[id(unit)] = unit, wanted.get(id(unit), (unit, 0))[1] + n_bytes
    return found + [(unit, unit, n_bytes) for unit, n_bytes in wanted.values()]


def _range(unit: Unit, offset: int, n_bytes: int) -> Unit:
    """So many bytes of a unit around an offset in it."""
    first = max(0, min(offset - n_bytes // 2, unit.n_bytes - n_bytes))
    n_bytes = min(n_bytes, unit.n_bytes)
    return replace(unit, start=unit.start + first, end=unit.start + first + n_bytes, n_bytes=n_bytes)


def _block(unit: Unit, part: Unit) -> bytes:
    """A range of a file of lines, without the lines that it cuts; of a longer line what is there of it."""
    with naming(unit.path), unit.path.open("rb") as stream:
        stream.seek(part.start)
        block = stream.read(part.n_bytes)
    first = 0 if part.start == unit.start else block.find(b"\n") + 1
    last = len(block) if part.end == unit.end else block.rfind(b"\n") + 1
    if first < last:
        return block[first:last]
    return block.decode("utf-8", "ignore").encode()


def _cut(block: bytes) -> Iterator[bytes]:
    """A block in pieces that end where lines do."""
    at = 0
    while at < len(block):
        end = block.find(b"\n", at + _BLOCK_BYTES) + 1 or len(block)
        yield block[at:end]
        at = end


def _texts(
    part: Unit, n_wanted: int, size: Size, reading: Reading
) -> Generator[list[bytes], None, tuple[bool, bool]]:
    """Texts of a part from its beginning, in pieces; returns whether all was read, and whether all was given."""
    n_done = n_given = n_text = n_told = 0
    for batch in read_unit(part, reading):
        if n_given >= n_wanted:
            return False, False
        for texts, _ in documents(part, batch, reading):
            n_text += sum(map(len, texts))
            for piece in groups(texts, _BLOCK_BYTES):
                if n_given < n_wanted:
                    n_given += sum(map(len, piece))
                    yield piece
        size.n_read += batch.n_done - n_done
        size.n_text += n_text - n_told
        n_done, n_told = batch.n_done, n_text
    size.n_read += part.n_bytes - n_done
    return True, n_given == n_text
