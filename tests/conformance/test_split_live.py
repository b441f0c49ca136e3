"""The general splitter against the splitters of both references, on every pattern of a list.

tokenizers says where it cuts. tiktoken does not, so its cuts are asked for through a vocabulary made for the purpose.
Each test prints how many texts it compared.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

import pytest
import tiktoken
from tokenizers import Regex, pre_tokenizers

import piecework as pw
from piecework import _core

from .split_patterns import CLASSES, FOREIGN, FOREIGN_EMPTY, KNOWN, Known, Profile

Pieces = list[str]

BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
# Each class several times over, what contractions and case folding know, and what is longer than one character.
UNITS = (
    *"abcstldmvreASLZkK01.!?'’/|<+-",
    *"éÉßſǅʰ中あー한א٣½Ⅷ²",
    *("ी", "\u0301", "\u0903", "\u20dd", "\u200b", "\0", "\U0010ffff", "\U0001f680"),
    *(" ", " ", " ", "  ", "   ", "\t", "\n", "\n", "\r", "\r\n", "\n\n", "\xa0", "\u3000", "\x85", "\u2028"),
    *("ab", "aab", "abc", "'ll", "123", "1234567", "hello", "Hello", " world"),
)
# Every code point that can stand in a text. A letter between two of them would join words; nothing is between.
ALL = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


def short_strings(classes: str, max_length: int) -> Iterator[str]:
    """Every string of 1 to `max_length` of `classes`."""
    for length in range(1, max_length + 1):
        for chars in itertools.product(classes, repeat=length):
            yield "".join(chars)


def random_strings(n: int, seed: int) -> list[str]:
    """Texts of up to 12 units."""
    generator = random.Random(seed)
    return ["".join(generator.choices(UNITS, k=generator.randint(1, 12))) for _ in range(n)]


def ours(pattern: str, profile: Profile, texts: Sequence[str], behavior: str, invert: bool) -> list[Pieces]:
    """The pieces that the general splitter makes of each text."""
    cuts = _core._debug_split(pattern, behavior, invert, profile, texts)
    encoded = (text.encode() for text in texts)
    return [
        [data[start:end].decode() for start, end in spans] for data, spans in zip(encoded, cuts, strict=True)
    ]


def compare_with_tokenizers(
    pattern: str, texts: Sequence[str], behavior: str = "isolated", invert: bool = False
) -> int:
    """Compares the pieces of each text; returns the number of texts."""
    split = pre_tokenizers.Split(Regex(pattern), behavior=behavior, invert=invert)
    for text, found in zip(texts, ours(pattern, "tokenizers", texts, behavior, invert), strict=True):
        assert found == [piece for piece, _ in split.pre_tokenize_str(text)], (
            pattern,
            behavior,
            invert,
            text,
        )
    return len(texts)


def compare_with_tiktoken(pattern: str, texts: Sequence[str]) -> int:
    """Compares the pieces of each text; returns the number of texts.

    The vocabulary is each byte, each piece that we expect, and each two neighbors in one. A piece of tiktoken that is
    one of ours becomes one token. Where it does not cut between two pieces of ours they cannot stay apart, because
    their join is a token and merging goes on while there is one; where it cuts elsewhere, no token goes across.
    """
    expected = ours(pattern, "tiktoken", texts, "removed", True)
    pieces = {piece.encode() for line in expected for piece in line}
    joins = {(left + right).encode() for line in expected for left, right in itertools.pairwise(line)}
    tokens = [bytes([byte]) for byte in range(256)] + sorted({t for t in pieces | joins if len(t) > 1})
    ranks = {token: rank for rank, token in enumerate(tokens)}
    encoding = tiktoken.Encoding("pieces", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    for text, line in zip(texts, expected, strict=True):
        assert encoding.encode_ordinary(text) == [ranks[piece.encode()] for piece in line], (
            pattern,
            text,
            line,
        )
    return len(texts)


def compare(known: Known, texts: Iterable[str]) -> int:
    """Compares with the reference of the pattern's dialect."""
    texts = list(texts)
    if known.profile == "tiktoken":
        return compare_with_tiktoken(known.pattern, texts)
    return compare_with_tokenizers(known.pattern, texts)


@pytest.mark.parametrize("name", KNOWN)
def test_known_patterns_on_every_short_string(name: str) -> None:
    n = compare(KNOWN[name], short_strings(KNOWN[name].classes, 5))
    print(f"{name}: {n} strings up to five characters, 0 different")


@pytest.mark.parametrize("name", KNOWN)
def test_known_patterns_on_random_strings(name: str) -> None:
    n = compare(KNOWN[name], random_strings(10_000, seed=5))
    print(f"{name}: {n} random strings, 0 different")


@pytest.mark.parametrize("pattern", [*FOREIGN, *FOREIGN_EMPTY])
def test_foreign_patterns_with_tokenizers(pattern: str) -> None:
    texts = [*random_strings(3_000, seed=6), *short_strings("abc1 \n", 4)]
    print(f"{pattern!r}: {compare_with_tokenizers(pattern, texts)} strings, 0 different")


@pytest.mark.parametrize("pattern", FOREIGN)
def test_foreign_patterns_with_tiktoken(pattern: str) -> None:
    texts = [*random_strings(3_000, seed=7), *short_strings("abc1 \n", 4)]
    try:
        tiktoken.Encoding("pieces", pat_str=pattern, mergeable_ranks={b"a": 0}, special_tokens={})
    except ValueError:
        with pytest.raises(pw.FormatError):
            ours(pattern, "tiktoken", ["a"], "removed", True)
    else:
        print(f"{pattern!r}: {compare_with_tiktoken(pattern, texts)} strings, 0 different")


@pytest.mark.parametrize("behavior", BEHAVIORS)
@pytest.mark.parametrize("invert", [False, True])
def test_behaviors(behavior: str, invert: bool) -> None:
    texts = [*short_strings("ab é", 6), ""]
    patterns = ("b", "b+", "(?=b)", "b*", r"a|(?<=a)|\s+(?!\S)", "[^b]")
    n = sum(compare_with_tokenizers(pattern, texts, behavior, invert) for pattern in patterns)
    print(f"{behavior}, invert={invert}: {n} strings with {len(patterns)} patterns, 0 different")


@pytest.mark.parametrize("pattern", CLASSES)
def test_classes_at_every_code_point(pattern: str) -> None:
    compare_with_tokenizers(pattern, [ALL], "removed", invert=True)


def test_digits_are_those_that_the_splitter_has() -> None:
    digits = pre_tokenizers.Digits(individual_digits=True)
    theirs = {char for char in ALL if len(digits.pre_tokenize_str(f"a{char}a")) == 3}
    number = 1 << 4
    numbers = {char for char in ALL if _core._debug_class(ord(char)) & number}
    # What the general splitter adds to the class: this pre-tokenizer knows a newer Unicode than the patterns do.
    added = {chr(code) for code in (*range(0x11DE0, 0x11DEA), *range(0x16FF4, 0x16FF7))}
    assert theirs == numbers | added


@pytest.mark.parametrize(
    "pattern",
    [
        r"\X",
        r"\K",
        r"\G",
        "(?x) a",
        "(?~ab)",
        "(?<=ab*)c",
        "(a?)*",
        "(?i)ss",
        "(?i)ß",
        r"\p{Klingon}",
        "[]a]",
        r"\b.*a",
        "(",
    ],
)
def test_what_cannot_be_run_exactly_is_refused(pattern: str) -> None:
    with pytest.raises(pw.FormatError, match="pattern"):
        ours(pattern, "tokenizers", ["a"], "isolated", False)
