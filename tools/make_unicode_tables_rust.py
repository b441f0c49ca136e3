"""Writes tables as Rust source: what the programs that make Unicode tables share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

N_CODES = 0x110000
WIDTH = 100


def scalars() -> Iterator[int]:
    """Yields every code point that can stand in a string of Rust: all but the surrogates."""
    yield from range(0xD800)
    yield from range(0xE000, N_CODES)


def two_stages(values: bytes, block_size: int) -> tuple[bytes, bytes]:
    """Returns (block number per block of code points, the distinct blocks one after another)."""
    numbers: dict[bytes, int] = {}
    index = [
        numbers.setdefault(values[start : start + block_size], len(numbers))
        for start in range(0, len(values), block_size)
    ]
    return bytes(index), b"".join(numbers)


def wrapped(items: Iterable[str]) -> Iterator[str]:
    """Yields lines of source that hold `items`, comma separated."""
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            yield line
            line = "   "
        line += f" {item},"
    yield line


def static(name: str, doc: str, kind: str, items: Iterable[str]) -> str:
    """Returns the source of one table; `kind` is the type of one item."""
    cells = list(items)
    body = "\n".join(wrapped(cells))
    return f"/// {doc}\n#[rustfmt::skip]\npub(super) static {name}: [{kind}; {len(cells)}] = [\n{body}\n];\n"


def char(code: int) -> str:
    """Returns a Rust character literal."""
    return f"'\\u{{{code:x}}}'"


def blocks(name: str, what: str, values: bytes, block_size: int) -> str:
    """Returns the source of a two-stage table."""
    index, data = two_stages(values, block_size)
    about_index = f"Number of the block in {name} of each {block_size} code points."
    return static(f"{name}_INDEX", about_index, "u8", map(str, index)) + static(
        name, what, "u8", map(str, data)
    )


def header(about: str, source: str) -> str:
    """Returns the head of a generated file."""
    return (
        f"//! {about}\n//!\n//! Made by `tools/make_unicode_tables.py` from {source}. Not edited by hand.\n"
        '#![allow(clippy::unreadable_literal, reason = "a table, written by a program")]\n\n'
    )
