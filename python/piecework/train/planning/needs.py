"""What a training needs beside time: memory for its tables and its learning, room on the disk; and what would help."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework.memory.sizes import decimal
from piecework.train.planning.figures import Planned, estimated

if TYPE_CHECKING:
    from piecework.train.memory_limits import MemoryLimits
    from piecework.train.planning.words import CorpusWords

__all__ = ["Needs", "advice", "free_disk_bytes", "needs_of", "result_bytes"]

# A word's end and its count; a slot of the table, of which there are two for each word, and twice as many as it grows.
_WORD_BYTES = 16
_SLOT_BYTES = 8
# A table that goes to disk is between half and three quarters full, and its parts have some room to grow.
_SLOTS_AT_LIMIT = 1.6
_ROOM_AT_LIMIT = 1.1
# The length of a word in a run, and its count.
_RUN_WORD_BYTES = 3
# Blocks of text, and what each thread cuts them with.
_READING_BYTES = 24_000_000
_STEP_BYTES = 10_000_000
# Estimated distinct words may be a quarter fewer than there are: what is advised holds then, too.
_SHORT_BY = 4
_LEAST_COUNTS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a training needs.

    Attributes:
        table_bytes: Memory to count.
        learning_bytes: Memory to learn.
        building_bytes: Memory to make a tokenizer of what was learned.
        run_bytes: Room on the disk while it counts.
    """

    table_bytes: Planned
    learning_bytes: Planned
    building_bytes: Planned
    run_bytes: Planned

    @property
    def memory_bytes(self) -> Planned:
        """Memory at its peak."""
        n_last = round(self.learning_bytes.value + self.building_bytes.value)
        n_first = round(self.table_bytes.value)
        what = "counting" if n_first > n_last else "learning, and making the tokenizer"
        return estimated(max(n_first, n_last), f"that of {what}")


def needs_of(
    words: CorpusWords,
    limits: MemoryLimits,
    *,
    n_entries: int,
    min_word_count: int,
    n_threads: int | None,
) -> Needs:
    """What counting and learning need."""
    n_threads = n_threads or _n_processors()
    n_held = _held(words, n_threads)
    limit = limits.max_table_bytes
    tables = f"tables of {n_threads} threads"
    if limit is None or n_held <= limit:
        table_bytes, run_bytes = n_held, estimated(0, "the tables fit into memory")
    else:
        table_bytes, run_bytes = limit, _runs(words, limit, n_threads)
        tables = f"{tables}, which go to disk at {decimal(limit)}"
    n_kept = round(words.kept(min_word_count).value)
    return Needs(
        estimated(_READING_BYTES + table_bytes, tables),
        estimated(
            _core.learning_bytes(n_kept, words.symbol_bytes(min_word_count)),
            f"{n_kept:,} distinct words and what they are cut into",
        ),
        estimated(_core.ENTRY_BYTES * n_entries, f"{n_entries:,} entries"),
        run_bytes,
    )


def _held(words: CorpusWords, n_threads: int) -> int:
    """Memory of the tables when they are put together: one of all words, and what each other thread has."""
    mean = words.mean_bytes
    n_all = round(words.n_distinct.value)
    n_each = min(n_all, words.growth.n_distinct_at(words.n_words.value / n_threads))
    n_slots = 1 << math.ceil(math.log2(max(2 * n_all, 16)))
    others = (n_threads - 1) * n_each * (mean + _WORD_BYTES)
    return round(n_all * (mean + _WORD_BYTES) + _SLOT_BYTES * n_slots + others)


def _runs(words: CorpusWords, limit: int, n_threads: int) -> Planned:
    """Bytes of the sorted runs that tables become, each time they are full."""
    mean = words.mean_bytes
    each = limit / n_threads / _ROOM_AT_LIMIT
    n_distinct = each / (mean + _WORD_BYTES + _SLOT_BYTES * _SLOTS_AT_LIMIT)
    n_between = words.growth.n_words_at(n_distinct)
    n_runs = max(n_threads, math.ceil(words.n_words.value / n_between))
    n_bytes = round(n_runs * min(n_distinct, words.n_distinct.value) * (mean + _RUN_WORD_BYTES))
    return estimated(n_bytes, f"at most; about {n_runs:,} sorted runs, which vanish with the process")


def result_bytes(learned: dict[str, Any], n_entries: int) -> Planned:
    """Bytes of a tokenizer.json with so many entries, if they are like those that were learned from the sample."""
    tokens: list[str] = learned["tokens"]
    lengths = [len(json.dumps(token, ensure_ascii=False).encode()) for token in tokens]
    n_vocab = sum(length + len(str(at)) + 4 for at, length in enumerate(lengths))
    n_merges = sum(lengths[left] + lengths[right] + 6 for left, right, _, _ in learned["merges"])
    n_bytes = round((n_vocab + n_merges) * n_entries / len(tokens))
    return estimated(n_bytes, "tokenizer.json with entries as long as those learned from the sample")


def free_disk_bytes() -> int | None:
    """What the folder for temporary files has left."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        return None


def _n_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def advice(
    words: CorpusWords, needs: Needs, *, max_bytes: int | None, free_memory: int | None, free_disk: int | None
) -> tuple[bool, tuple[str, ...]]:
    """Whether it fits, as far as is known, and what would help where it does not, or would go slowly."""
    found: list[str] = []
    needed = round(needs.memory_bytes.value)
    fits = max_bytes is None or needed <= max_bytes
    if max_bytes is not None and not fits:
        found.extend(_less_memory(words, max_bytes - round(needs.building_bytes.value)))
        enough = needed if words.is_exact else needed * _SHORT_BY // (_SHORT_BY - 1)
        enough = -(-enough // _STEP_BYTES) * _STEP_BYTES
        if free_memory is not None and free_memory * 4 // 5 >= enough:
            found.append(f"max_memory={decimal(enough)!r} would do, and this machine has it.")
    n_runs = round(needs.run_bytes.value)
    if n_runs:
        found.append(
            f"Counting goes over the disk: {decimal(n_runs)} of sorted runs in {tempfile.gettempdir()}."
        )
        if free_disk is not None and n_runs > free_disk:
            fits = False
            found.append(f"There are {decimal(free_disk)} left: TMPDIR names a folder with more room.")
    return fits, tuple(found)


def _less_memory(words: CorpusWords, max_bytes: int) -> list[str]:
    for count in _LEAST_COUNTS:
        n_kept = round(words.kept(count).value)
        if n_kept and _core.learning_bytes(n_kept, words.symbol_bytes(count)) <= max_bytes:
            n_all = words.n_distinct.value
            return [
                f"min_word_count={count} would keep about {n_kept:,} of {n_all:,} distinct words, and fit."
            ]
    return []
