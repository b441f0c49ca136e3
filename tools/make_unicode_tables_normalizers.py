"""What the normalizers of tokenizers do with each character, asked of the live reference.

Its parts carry tables of different ages (compatibility decompositions and marks of Unicode 9.0, BERT's
categories older still, lower case of the compiler that built it), so no edition of Unicode is assumed.
"""

from __future__ import annotations

from collections.abc import Callable

from tokenizers import normalizers

from tools.make_unicode_tables_rust import N_CODES, blocks, char, header, scalars, static

# Bits of one treatment, as in unicode/treatments.rs.
COMPATIBLE, UPPER, MARK, NONSPACING, CONTROL, BLANK, SPACE = (1 << bit for bit in range(7))

Normalize = Callable[[str], str]


def bert(*, clean_text: bool, strip_accents: bool) -> Normalize:
    """Returns a part of BERT's normalizer by itself."""
    whole = normalizers.BertNormalizer(
        clean_text=clean_text, handle_chinese_chars=False, strip_accents=strip_accents, lowercase=False
    )
    normalize: Normalize = whole.normalize_str
    return normalize


nfd: Normalize = normalizers.NFD().normalize_str
nfkd: Normalize = normalizers.NFKD().normalize_str
lowercase: Normalize = normalizers.Lowercase().normalize_str
strip: Normalize = normalizers.Strip().normalize_str
strip_accents: Normalize = normalizers.StripAccents().normalize_str
bert_clean = bert(clean_text=True, strip_accents=False)
bert_accents = bert(clean_text=False, strip_accents=True)


def treatment(code: int) -> int:
    """Returns the bits of one code point."""
    c = chr(code)
    between = f"a{c}b"
    cleaned = bert_clean(between)
    found = {
        COMPATIBLE: nfkd(c) != nfd(c),
        UPPER: lowercase(c) != c,
        MARK: strip_accents(between) == "ab",
        NONSPACING: bert_accents(between) == "ab",
        CONTROL: cleaned == "ab",
        # A space is blank too, and stays.
        BLANK: cleaned == "a b",
        SPACE: strip(c + "b") == "b",
    }
    return sum(bit for bit, has in found.items() if has)


def compatible(codes: list[int]) -> tuple[list[str], str]:
    """Returns (character, start, length in bytes) of each decomposition, and their texts joined."""
    rows, starts, joined, n_bytes = [], dict[str, int](), "", 0
    for code in codes:
        full = nfkd(chr(code))
        if full not in starts:
            starts[full] = n_bytes
            joined += full
            n_bytes += len(full.encode())
        rows.append(f"({char(code)}, {starts[full]}, {len(full.encode())})")
    return rows, joined


def literal(text: str) -> str:
    """Returns a Rust string over several lines."""
    cells = [c if c.isascii() and c.isalnum() else f"\\u{{{ord(c):x}}}" for c in text]
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) > 96:
            lines.append(line)
            line = ""
        line += cell
    return "\\\n".join([*lines, line])


def texts_source(joined: str) -> str:
    """Returns the source of the string that holds all decompositions."""
    about = "/// The full compatibility decompositions one after another."
    return f'{about}\npub(super) static COMPATIBLE_TEXTS: &str = "\\\n{literal(joined)}";\n'


def treatments_source(source: str) -> str:
    """Returns the Rust source of the table; `source` names where it comes from."""
    bits = [0] * N_CODES
    for code in scalars():
        bits[code] = treatment(code)
    rows, joined = compatible([code for code in scalars() if bits[code] & COMPATIBLE])
    lower = {code: lowercase(chr(code)) for code in scalars() if bits[code] & UPPER}
    return header("What the normalizers of tokenizers do with each character.", source) + "\n".join([
        blocks("TREATMENTS", "Bits by block, then by the low seven bits.", bytes(bits), 128),
        static("COMPATIBLE", "(character, start in `COMPATIBLE_TEXTS`, length in bytes), sorted.",
               "(char, u16, u8)", rows),
        texts_source(joined),
        static("LOWER", "(character, its lower case, a mark that follows it or NUL), sorted.",
               "(char, char, char)",
               (f"({char(code)}, {char(ord(low[0]))}, {char(ord(low[1:] or chr(0)))})"
                for code, low in lower.items())),
    ])  # fmt: skip
