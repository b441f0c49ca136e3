"""The engine's NFC against that of tokenizers: every code point, pair, syllable and mark order, and random text."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, product

import unicodedata2
from tokenizers import normalizers

from piecework import _core

reference = normalizers.NFC().normalize_str
N_PER_CALL = 20_000


def compare(texts: Iterable[str]) -> None:
    """Compare many short texts, joined to long ones by line ends, at which normalization starts anew."""
    rest, n_texts, n_changed = iter(texts), 0, 0
    while batch := list(islice(rest, N_PER_CALL)):
        joined = "\n".join(batch)
        ours, theirs = _core.nfc(joined), reference(joined)
        if ours != theirs:
            lines = zip(batch, ours.split("\n"), theirs.split("\n"), strict=True)
            different = next(line for line in lines if line[1] != line[2])
            raise AssertionError([ascii(text) for text in different])
        n_texts += len(batch)
        n_changed += sum(text != normal for text, normal in zip(batch, theirs.split("\n"), strict=True))
    print(f"{n_texts} texts compared, {n_changed} of them changed by the reference")
    assert n_changed > 0


def scalars() -> Iterator[str]:
    """Every character but the surrogates and the line end."""
    return (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and code != 0x0A)


@cache
def marks() -> list[str]:
    """The marks of Unicode 16.0 that have a combining class, the reference's and newer ones."""
    return [c for c in scalars() if unicodedata2.combining(c)]


@cache
def one_mark_per_class() -> list[str]:
    return list({unicodedata2.combining(c): c for c in reversed(marks())}.values())


@cache
def composites() -> dict[str, str]:
    """Every character with a canonical decomposition in Unicode 16.0, Hangul left out, with its decomposition."""
    return {
        c: full
        for c in scalars()
        if not 0xAC00 <= ord(c) < 0xD7A4 and (full := unicodedata2.normalize("NFD", c)) != c
    }


def test_every_code_point() -> None:
    compare(scalars())


def test_every_form_of_every_code_point() -> None:
    """The first part of the standard's own test file."""
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    compare(unicodedata2.normalize(form, c) for c in scalars() for form in forms)


def test_every_code_point_between_others() -> None:
    frames = ["a{}", "é{}\u0301", "a\u0345{}\u0334", "\u1100{}\u11a8", "\uac00{}", "\u0bc6{}\u0bbe"]
    compare(frame.format(c) for frame in frames for c in scalars())


def test_every_composite_and_its_parts() -> None:
    compare(
        text
        for c, full in composites().items()
        for text in (full, full[::-1], full[0] + c, c + full[-1], c + full)
    )


def test_every_pair_of_a_first_and_a_second() -> None:
    """Also the pairs that do not compose, and each pair with one mark of each class between."""
    firsts = sorted({unicodedata2.normalize("NFC", full[:-1]) for full in composites().values()})
    seconds = sorted({full[-1] for full in composites().values()})
    compare(first + second for first, second in product(firsts, seconds))
    pairs = [(full[:-1], full[-1]) for full in composites().values()]
    compare(first + between + second for (first, second), between in product(pairs, one_mark_per_class()))


def test_hangul_syllables_and_their_borders() -> None:
    leads = [chr(code) for code in range(0x10FF, 0x1115)]
    vowels = [chr(code) for code in range(0x1160, 0x1178)]
    trailers = ["", *(chr(code) for code in range(0x11A6, 0x11C5))]
    compare(map("".join, product(leads, vowels, trailers)))
    syllables = [chr(code) for code in range(0xABFF, 0xD7A5)]
    compare(map("".join, product(syllables, ["\u11a7", "\u11a8", "\u11c2", "\u11c3", "\u1161"])))


def test_every_mark_beside_one_of_every_class() -> None:
    others = one_mark_per_class()
    compare(f"a{mark}{other}{mark}" for mark, other in product(marks(), others))
    # The lines of the standard's own test file for the order of marks.
    compare(f"a\u0315\u0300\u05ae{mark}b" for mark in marks())
    compare(f"a{mark}\u0315\u0300\u05aeb" for mark in marks())


def test_a_million_random_texts() -> None:
    choose = random.Random(20_26)
    kinds = [
        marks(),
        list(composites()),
        sorted({c for full in composites().values() for c in full}),
        [chr(code) for code in (*range(0x1100, 0x1200), *range(0xAC00, 0xAC40))],
        [c for c in scalars() if unicodedata2.category(c) in {"Mn", "Mc", "Lo"}],
        list("aeiouAEIOU xX中я\u200d🙂"),
        ["\n"],
    ]
    weights = [3, 2, 3, 2, 1, 3, 2]
    n_letters = N_PER_CALL * 8

    def texts() -> Iterator[str]:
        while True:
            picked = choose.choices(range(len(kinds)), weights, k=n_letters)
            yield from "".join(choose.choice(kinds[kind]) for kind in picked).split("\n")

    compare(islice(texts(), 1_000_000))
