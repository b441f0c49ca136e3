"""Make the tables of the pre-tokenizers: what is punctuation, a word character, and of which script.

Run `python tools/make_pre_tokenizer_tables.py` to write them, with `--check` to compare them with what is
committed. The pre-tokenizers of the reference carry tables of their own, older than those of its patterns
(its punctuation knows 726 characters where Unicode 16.0 has 855), so each code point is asked of the live
reference; the pinned version gives the same bytes on any machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import tokenizers
from tokenizers import pre_tokenizers

TOKENIZERS = "0.23.3"
OUTPUT = Path(__file__).resolve().parent.parent / "crates/piecework-core/src/split/tables.rs"
WIDTH = 100

Pieces = Callable[[str], list[tuple[str, tuple[int, int]]]]
punctuation: Pieces = pre_tokenizers.Punctuation().pre_tokenize_str
words: Pieces = pre_tokenizers.Whitespace().pre_tokenize_str
scripts: Pieces = pre_tokenizers.UnicodeScripts().pre_tokenize_str


def scalars() -> Iterator[int]:
    """Yields every code point that can stand in a string of Rust: all but the surrogates."""
    yield from range(0xD800)
    yield from range(0xE000, 0x110000)


def ranges(has: Callable[[int], bool]) -> list[tuple[int, int]]:
    """Returns the code points with a property as inclusive ranges."""
    found: list[tuple[int, int]] = []
    for code in filter(has, scalars()):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def script_table() -> list[tuple[int, int, int]]:
    """Returns (first, last, script) of every range of one script, numbered as they are met.

    Two characters next to each other are of one script where the reference does not cut between them. 0 is
    what it cuts nowhere from: spaces and what it knows no script of.
    """
    samples: list[str] = []

    def same(left: str, right: str) -> bool:
        return len(scripts(left + right)) == 1

    def script_of(c: str, last: int) -> int:
        if len(scripts(c)) == 0:
            return 0
        if last and same(samples[last - 1], c):
            return last
        for number, sample in enumerate(samples, 1):
            if same(sample, c):
                return number
        samples.append(c)
        return len(samples)

    table = []
    last = 0
    for code in scalars():
        last = script_of(chr(code), last)
        table.append((code, last))
    runs = []
    for (_, script), run in groupby(enumerate(table), lambda entry: (entry[1][0] - entry[0], entry[1][1])):
        codes = [code for _, (code, _) in run]
        if script:
            runs.append((codes[0], codes[-1], script))
    return runs


def render(name: str, kind: str, about: str, rows: list[str]) -> str:
    """Returns one table as Rust."""
    lines, line = [], "   "
    for row in rows:
        if len(line) + len(row) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {row},"
    lines.append(line)
    body = "\n".join(lines)
    return f"/// {about}\n#[rustfmt::skip]\npub static {name}: [{kind}; {len(rows)}] = [\n{body}\n];\n"


def source() -> str:
    """Returns the whole module."""

    def pair(row: tuple[int, int]) -> str:
        return f"(0x{row[0]:X}, 0x{row[1]:X})"

    marks = ranges(lambda code: len(punctuation(f"a{chr(code)}a")) == 3)
    word = ranges(lambda code: len(words(f"a{chr(code)}a")) == 1)
    parts = [
        (
            "//! The pre-tokenizers' own tables, each code point asked of tokenizers "
            f"{TOKENIZERS}.\n//!\n//! Written by `tools/make_pre_tokenizer_tables.py`. Not edited by hand.\n"
        ),
        render(
            "PUNCTUATION",
            "(u32, u32)",
            "What `Punctuation` and BERT split off, first and last.",
            [pair(r) for r in marks],
        ),
        render(
            "WORD", "(u32, u32)", "What `Whitespace` joins to words, first and last.", [pair(r) for r in word]
        ),
        render(
            "SCRIPTS",
            "(u32, u32, u8)",
            "First and last of each run of one script, and the script's number; what is in none has no script.",
            [f"(0x{a:X}, 0x{b:X}, {script})" for a, b, script in script_table()],
        ),
    ]
    return "\n".join(parts)


def main() -> int:
    """Writes or checks the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    if tokenizers.__version__ != TOKENIZERS:
        sys.exit(f"tokenizers {TOKENIZERS} is needed, this is {tokenizers.__version__}")
    made = source()
    if arguments.check:
        return int(made != OUTPUT.read_text())
    OUTPUT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
