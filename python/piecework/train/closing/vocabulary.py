"""What is in a vocabulary: its longest entries, those of little use, its alphabet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING

from piecework._chat.served.scripts import script_runs
from piecework.train.closing.figures import Alphabet, Junk, LongToken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from piecework import _core

__all__ = ["alphabet_of", "entries_of", "junk_of", "longest_of"]


@dataclass(frozen=True, slots=True)
class _Entry:
    id: int
    data: bytes
    text: str | None
    """None where the bytes are no whole characters."""


def entries_of(native: _core.Tokenizer) -> list[_Entry]:
    """The learned entries: all but added tokens.

    Complexity: O(vocabulary).
    """
    info = native.info()
    prefix = (info["model"].get("continuing_subword_prefix") or "").encode()
    added = {int(token["id"]) for token in native.added_tokens}
    return [_entry(native, at, prefix) for at in _ids(native, info["holes"]) if at not in added]


def _ids(native: _core.Tokenizer, holes: list[tuple[int, int]]) -> Iterator[int]:
    start = 0
    for first, end in [*holes, (native.vocab_size, native.vocab_size)]:
        yield from range(start, first)
        start = end


def _entry(native: _core.Tokenizer, at: int, prefix: bytes) -> _Entry:
    data = native.piece_bytes(at)
    if len(data) > len(prefix):
        data = data.removeprefix(prefix)
    try:
        return _Entry(at, data, data.decode())
    except UnicodeDecodeError:
        return _Entry(at, data, None)


def longest_of(
    native: _core.Tokenizer, entries: list[_Entry], n_times: Mapping[int, int], n_longest: int
) -> tuple[LongToken, ...]:
    """The entries of most bytes; of equally many those of most characters, then of the smallest id."""
    longest = nsmallest(n_longest, entries, key=lambda one: (-len(one.data), -_n_chars(one), one.id))
    return tuple(
        LongToken(
            id=one.id,
            piece=native.piece(one.id),
            n_bytes=len(one.data),
            n_chars=_n_chars(one),
            n_times=n_times.get(one.id, 0),
        )
        for one in longest
    )


def _n_chars(entry: _Entry) -> int:
    return len(entry.data.decode(errors="ignore") if entry.text is None else entry.text)


def junk_of(entries: list[_Entry], n_times: Mapping[int, int]) -> Junk:
    """Counts the entries that may be of little use."""
    runs = [one.text for one in entries if one.text is not None and len(one.text) > 1]
    return Junk(
        n_unused=sum(one.id not in n_times for one in entries),
        n_whitespace=sum(map(str.isspace, runs)),
        n_digits=sum(map(str.isdecimal, runs)),
        n_partial=sum(one.text is None and len(one.data) > 1 for one in entries),
    )


def alphabet_of(entries: list[_Entry], n_times: Mapping[int, int]) -> Alphabet:
    """The single bytes and characters of the entries."""
    by_byte = {one.data[0]: one.id for one in entries if len(one.data) == 1}
    singles = [one for one in entries if one.text is not None and len(one.text) == 1]
    is_bytes = len(by_byte) == 256
    own = list(by_byte.values()) if is_bytes else [one.id for one in singles]
    characters = "".join(sorted({one.text for one in singles if one.text is not None}))
    scripts = Counter(script_runs(character)[0][0] for character in characters)
    return Alphabet(
        n_bytes=256 if is_bytes else sum(one.text is None and len(one.data) == 1 for one in entries),
        characters=characters,
        scripts=dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0]))),
        n_entries=len(own),
        n_used=sum(at in n_times for at in own),
    )
