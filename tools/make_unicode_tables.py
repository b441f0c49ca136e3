"""Make the Unicode tables of the engine: character classes, and what normalizers know of characters.

Run `python -m tools.make_unicode_tables` to write them, with `--check` to compare them with what is
committed. The same pinned packages give the same bytes on any machine.

Classes are Unicode 16.0, as the regex engines of both references have them. Normalization is what
tokenizers does, and its data is older (Unicode 9.0): decompositions are asked of the live reference,
combining classes are those of 16.0 for the marks that the reference knows as marks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import tokenizers
import unicodedata2
from tokenizers import normalizers

from tools.make_unicode_tables_normalizers import treatments_source
from tools.make_unicode_tables_rust import N_CODES, blocks, char, header, scalars, static

UNICODE = "16.0.0"
TOKENIZERS = "0.23.3"
OUTPUT = Path(__file__).resolve().parent.parent / "crates/piecework-core/src/unicode"

UPPER, LOWER, OTHER_LETTER, MARK, NUMBER, SPACE, NEWLINE = (1 << bit for bit in range(7))
CLASS_OF_CATEGORY = {
    "Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Lm": OTHER_LETTER, "Lo": OTHER_LETTER,
    "Mn": MARK, "Mc": MARK, "Me": MARK, "Nd": NUMBER, "Nl": NUMBER, "No": NUMBER,
    "Zs": SPACE, "Zl": SPACE, "Zp": SPACE,
}  # fmt: skip
# White_Space is the separators and these controls.
CLASS_OF_CONTROL = {0x0A: SPACE | NEWLINE, 0x0D: SPACE | NEWLINE} | dict.fromkeys(
    (0x09, 0x0B, 0x0C, 0x85), SPACE
)

# Bits of one normalization property.
STARTS_CLUSTER, CHANGES, MAY_COMPOSE, DECOMPOSES = 1, 2, 4, 8

HANGUL_VOWELS = range(0x1161, 0x1176)
HANGUL_TRAILERS = range(0x11A8, 0x11C3)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)

nfc: Callable[[str], str] = normalizers.NFC().normalize_str
nfd: Callable[[str], str] = normalizers.NFD().normalize_str


def class_of(code: int) -> int:
    """Returns the class bits of one code point."""
    category = unicodedata2.category(chr(code))
    return CLASS_OF_CONTROL.get(code, CLASS_OF_CATEGORY.get(category, 0))


def is_reordered(mark: str) -> bool:
    """Returns whether the reference moves `mark` across a neighbor of class 1 or of class 240."""
    return nfd("\u0345" + mark) != "\u0345" + mark or nfd(mark + "\u0334") != mark + "\u0334"


def combining_class(code: int) -> int:
    """Returns the class of a mark as the reference has it: 0 where it does not know the mark."""
    known = unicodedata2.combining(chr(code))
    return known if known and is_reordered(chr(code)) else 0


def decompositions() -> dict[int, str]:
    """Returns the full canonical decompositions of the reference, Hangul syllables left out."""
    codes = (code for code in scalars() if code not in HANGUL_SYLLABLES)
    return {code: full for code in codes if (full := nfd(chr(code))) != chr(code)}


def compositions(decomposed: dict[int, str]) -> list[tuple[int, int, int]]:
    """Returns (second, first, composed), sorted, for every pair that composes, without Hangul.

    Raises:
        SystemExit: A character that stays as it is in NFC is not made by one pair. The engine's
            algorithm rests on that.
    """
    pairs = []
    for code, full in decomposed.items():
        if nfc(chr(code)) != chr(code):
            continue
        first, second = nfc(full[:-1]), full[-1]
        if len(first) != 1 or nfc(first + second) != chr(code):
            raise SystemExit(f"U+{code:04X} is not composed of one pair in the reference")
        pairs.append((ord(second), ord(first), code))
    return sorted(pairs)


def groups(pairs: list[tuple[int, int, int]]) -> dict[int, tuple[int, int]]:
    """Returns (start, length) of the pairs of each second character; Hangul is arithmetic."""
    found = dict.fromkeys((*HANGUL_VOWELS, *HANGUL_TRAILERS), (0, 0))
    for at, (second, _, _) in enumerate(pairs):
        start, length = found.get(second, (at, 0))
        found[second] = (start, length + 1)
    return found


def properties(
    decomposed: dict[int, str], pairs: list[tuple[int, int, int]]
) -> list[tuple[int, int, int, int, int]]:
    """Returns for each code point flags, class, class of the decomposition's last mark, group."""
    classes = [combining_class(code) for code in range(N_CODES)]
    seconds = groups(pairs)
    rows = []
    for code in range(N_CODES):
        full = decomposed.get(code, chr(code))
        lead = ord(full[0])
        flags = 0 if classes[lead] or lead in seconds else STARTS_CLUSTER
        if code in decomposed:
            flags |= DECOMPOSES if nfc(chr(code)) == chr(code) else DECOMPOSES | CHANGES
        if code in seconds:
            flags |= MAY_COMPOSE
        rows.append((flags, classes[code], classes[ord(full[-1])], *seconds.get(code, (0, 0))))
    return rows


def is_steady(row: tuple[int, int, int, int, int]) -> bool:
    """Returns whether a character of these properties begins a cluster and stays as it is in NFC."""
    return row[0] & (STARTS_CLUSTER | CHANGES) == STARTS_CLUSTER


def steady_bytes(rows: list[tuple[int, int, int, int, int]]) -> Iterator[str]:
    """Yields for each byte whether it leads steady characters only, or continues one."""
    leads: dict[int, bool] = dict.fromkeys(range(0x80, 0xC0), True)
    for code in scalars():
        lead = chr(code).encode()[0]
        leads[lead] = leads.get(lead, True) and is_steady(rows[code])
    yield from (str(leads.get(lead, False)).lower() for lead in range(256))


def classes_source() -> str:
    """Returns the Rust source of the class tables."""
    values = bytes(class_of(code) for code in range(N_CODES))
    return header("Class bits of every code point, Unicode 16.0.", f"unicodedata2 {UNICODE}") + blocks(
        "CLASSES", "Class bits by block, then by the low eight bits.", values, 256
    )


def canonical_source() -> str:
    """Returns the Rust source of the normalization tables."""
    decomposed = decompositions()
    pairs = compositions(decomposed)
    rows = properties(decomposed, pairs)
    kinds = {row: n for n, row in enumerate(sorted(set(rows), key=lambda row: (not is_steady(row), row)))}
    n_steady = sum(map(is_steady, kinds))
    values = bytes(kinds[row] for row in rows)
    letters = "".join(decomposed.values())
    keys, start = [], 0
    for code, full in decomposed.items():
        keys.append(f"({char(code)}, {start}, {len(full)})")
        start += len(full)
    return header(
        "Data of canonical normalization as tokenizers has it, Unicode 9.0.",
        f"tokenizers {TOKENIZERS} and unicodedata2 {UNICODE}",
    ) + f"/// Kinds below it are steady.\npub(super) const N_STEADY: u8 = {n_steady};\n\n" + "\n".join([
        static("PROPERTIES", "By kind: flags, combining class, class of the decomposition's last mark,\n"
               "/// start and length in COMPOSITIONS of the pairs that have it as second.",
               "(u8, u8, u8, u16, u8)", map(str, kinds)),
        blocks("KINDS", "Kind by block, then by the low seven bits.", values, 128),
        static("STEADY_BYTES", "Whether a byte leads steady characters only, or continues one.",
               "bool", steady_bytes(rows)),
        static("DECOMPOSITIONS", "(character, start in LETTERS, length), sorted.",
               "(char, u16, u8)", keys),
        static("LETTERS", "The full decompositions one after another.",
               "char", (char(ord(letter)) for letter in letters)),
        static("COMPOSITIONS", "(second, first, what the pair composes to), sorted.",
               "(char, char, char)",
               (f"({', '.join(map(char, pair))})" for pair in pairs)),
    ])  # fmt: skip


SOURCES: dict[str, Callable[[], str]] = {
    "classes_table.rs": classes_source,
    "canonical_table.rs": canonical_source,
    "treatments_table.rs": lambda: treatments_source(f"tokenizers {TOKENIZERS}"),
}


def require_versions() -> None:
    """Raises SystemExit unless the packages are the pinned ones."""
    found = (unicodedata2.unidata_version, tokenizers.__version__)
    if found != (UNICODE, TOKENIZERS):
        raise SystemExit(f"need unicodedata2=={UNICODE} and tokenizers=={TOKENIZERS}, found {found}")


def write(path: Path, text: str) -> None:
    """Writes `text` under its final name only once it is whole."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path)


def main() -> int:
    """Writes or checks the tables; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    require_versions()
    stale = 0
    for name, source in SOURCES.items():
        path, text = OUTPUT / name, source()
        if not check:
            write(path, text)
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is not what this program makes", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
