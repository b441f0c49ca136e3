"""The engine's character classes against the regex engines of both references, at every code point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import tiktoken
from tokenizers import Regex, pre_tokenizers

from piecework import _core

UPPER, LOWER, OTHER_LETTER, MARK, NUMBER, SPACE, NEWLINE = (1 << bit for bit in range(7))
CLASSES = {
    r"\p{L}": UPPER | LOWER | OTHER_LETTER,
    r"\p{Lu}|\p{Lt}": UPPER,
    r"\p{Ll}": LOWER,
    r"\p{Lm}|\p{Lo}": OTHER_LETTER,
    r"\p{M}": MARK,
    r"\p{N}": NUMBER,
    r"\s": SPACE,
    r"[\r\n]": NEWLINE,
}
WORD = UPPER | LOWER | OTHER_LETTER | MARK
N_CODES = 0x110000
# Long enough to be quick, short enough for a readable difference.
BATCH = 0x1000


@cache
def scalars() -> str:
    """Every character but the surrogates, in order."""
    return "".join(map(chr, (*range(0xD800), *range(0xE000, N_CODES))))


@cache
def our_classes() -> bytes:
    return bytes(_core._debug_class(code) for code in range(N_CODES))


def matched_by_tokenizers(pattern: str, text: str) -> str:
    """The matches of the pattern in the text, joined: what is left once the rest is removed."""
    split = pre_tokenizers.Split(Regex(pattern), behavior="removed", invert=True)
    return "".join(piece for piece, _ in split.pre_tokenize_str(text))


def matched_by_tiktoken(pattern: str, text: str) -> str:
    """The matches of the pattern in the text, joined: tiktoken drops what its pattern does not match."""
    encoding = tiktoken.Encoding(
        "classes",
        pat_str=pattern,
        mergeable_ranks={bytes([byte]): byte for byte in range(256)},
        special_tokens={},
    )
    return encoding.decode_bytes(encoding.encode_ordinary(text)).decode()


REFERENCES = {"tokenizers": matched_by_tokenizers, "tiktoken": matched_by_tiktoken}
Matched = Callable[[str, str], str]


@pytest.fixture(params=REFERENCES)
def matched(request: pytest.FixtureRequest) -> Matched:
    return REFERENCES[request.param]


@pytest.mark.parametrize("pattern", CLASSES)
def test_every_code_point(pattern: str, matched: Matched) -> None:
    ours, bits = our_classes(), CLASSES[pattern]
    n_matched = 0
    for start in range(0, len(scalars()), BATCH):
        batch = scalars()[start : start + BATCH]
        expected = matched(pattern, batch)
        n_matched += len(expected)
        assert "".join(c for c in batch if ours[ord(c)] & bits) == expected
    print(f"{pattern}: {len(scalars())} code points compared, {n_matched} in the class")
    # The reference really looked: an empty answer for every batch would agree with empty tables.
    assert n_matched == sum(ours[ord(c)] & bits != 0 for c in scalars()) > 0


def test_classes_exclude_each_other() -> None:
    categories = UPPER | LOWER | OTHER_LETTER | MARK | NUMBER | SPACE
    for code, bits in enumerate(our_classes()):
        assert (bits & categories).bit_count() <= 1, hex(code)
        assert not bits & NEWLINE or bits & SPACE, hex(code)
        assert bits < NEWLINE << 1, hex(code)


@pytest.mark.parametrize("code", [0xD800, 0xDFFF])
def test_surrogates_have_no_class(code: int) -> None:
    assert _core._debug_class(code) == 0


CONTRACTIONS = {"s": "s", "t": "t", "m": "m", "d": "d", "l": "ll", "v": "ve", "r": "re"}


@pytest.mark.parametrize("letter", CONTRACTIONS)
def test_only_the_long_s_is_an_unusual_letter_of_a_contraction(letter: str, matched: Matched) -> None:
    """Which letters and marks stand for a letter where the patterns ignore case, each tried at its place."""
    whole = CONTRACTIONS[letter]
    candidates = [c for c, bits in zip(map(chr, range(N_CODES)), our_classes(), strict=True) if bits & WORD]
    for place in range(len(whole)):
        before, after = whole[:place], whole[place + 1 :]
        text = "\n".join(f"'{before}{c}{after}" for c in candidates)
        found = matched(f"(?i:'{whole}(?=\n|$))", text).split("'")[1:]
        expected = {whole[place].lower(), whole[place].upper()} | ({"ſ"} if whole[place] == "s" else set())
        assert {match[place] for match in found} == expected
