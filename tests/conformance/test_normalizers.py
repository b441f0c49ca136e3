"""Every normalizer against that of tokenizers: every code point alone, between letters and after a mark, and random text.

Each test prints how many texts it compared.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers

from piecework import errors

from .normalizer_texts import batches, normalize, random_texts, rule_table, telling_scalars

Normalize = Callable[[str], str]

# Pattern, what takes the place of a match.
REPLACEMENTS = [("ab", "é"), (" ", "▁"), ("", "x"), ("é", ""), ("▁▁", "▁"), ("a", "aa")]
PATTERNS = [(" {2,}", " "), (r"\s+", "▁"), ("x*", "-"), (r"^", ">"), (r"$", "<"), (r"[\p{M}\p{N}]", ""), ("(?i)AB|b", "<>"),
            (r"(?<=a)b|\n", "…")]  # fmt: skip
RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"]


def bert(
    clean_text: bool, handle_chinese_chars: bool, strip_accents: bool | None, lowercase: bool
) -> tuple[Any, Normalize]:
    """BERT's normalizer, ours and theirs."""
    options: dict[str, Any] = {
        "clean_text": clean_text,
        "handle_chinese_chars": handle_chinese_chars,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }
    return {"Bert": options}, normalizers.BertNormalizer(**options).normalize_str


SIMPLE: dict[str, tuple[Any, Normalize]] = {
    "NFC": ("Nfc", normalizers.NFC().normalize_str),
    "NFD": ("Nfd", normalizers.NFD().normalize_str),
    "NFKC": ("Nfkc", normalizers.NFKC().normalize_str),
    "NFKD": ("Nfkd", normalizers.NFKD().normalize_str),
    "Lowercase": ("Lowercase", normalizers.Lowercase().normalize_str),
    "StripAccents": ("StripAccents", normalizers.StripAccents().normalize_str),
    "Nmt": ("Nmt", normalizers.Nmt().normalize_str),
    "ByteLevel": ("ByteLevel", normalizers.ByteLevel().normalize_str),
    "Prepend": ({"Prepend": "▁x"}, normalizers.Prepend("▁x").normalize_str),
    "Bert": bert(True, True, None, True),
    "Bert, clean": bert(True, False, False, False),
    "Bert, ideographs": bert(False, True, False, False),
    "Bert, accents": bert(False, False, True, False),
}


def precompiled(rule: str) -> tuple[Any, Normalize]:
    """SentencePiece's rules as tokenizers applies them; the table goes in by a file, as its Python has it."""
    table = rule_table(rule)
    return {"Precompiled": table}, normalizers.Precompiled(bytes(table)).normalize_str


def compare(ours: list[Any], theirs: Normalize, texts: list[str]) -> int:
    """Compare the normalized texts; returns how many the reference changes."""
    n_changed = 0
    for batch in batches(texts):
        for text, made in zip(batch, normalize(ours, batch), strict=True):
            expected = theirs(text)
            assert made == expected, (
                ours if len(str(ours)) < 200 else "",
                ascii(text),
                ascii(made),
                ascii(expected),
            )
            n_changed += text != expected
    print(f"{len(texts)} texts compared, {n_changed} of them changed by the reference")
    return n_changed


def compare_every_character(ours: list[Any], theirs: Normalize, characters: list[str]) -> None:
    """Each character alone, between letters, and after and before a mark; joined, so that it takes seconds."""
    n_changed = 0
    for batch in batches(characters):
        lines = [f"{c}\na{c}b\ne\u0301{c}\u0323" for c in batch]
        text = "\n".join(lines)
        made, expected = normalize(ours, [text])[0], theirs(text)
        if made != expected:
            compare(ours, theirs, lines)
        assert made == expected
        n_changed += expected != text
    print(f"{3 * len(characters)} texts compared")
    assert n_changed > 0


@pytest.mark.parametrize("name", SIMPLE)
def test_every_character(name: str) -> None:
    ours, theirs = SIMPLE[name]
    compare_every_character([ours], theirs, telling_scalars())


@pytest.mark.parametrize("rule", RULES)
def test_every_character_by_rule_tables(rule: str) -> None:
    ours, theirs = precompiled(rule)
    compare_every_character([ours], theirs, telling_scalars())


@pytest.mark.parametrize("name", SIMPLE)
def test_random_texts(name: str) -> None:
    ours, theirs = SIMPLE[name]
    assert compare([ours], theirs, random_texts(20_000, seed=1)) > 0


def test_random_texts_by_every_kind_of_bert() -> None:
    texts = random_texts(1_000, seed=2)
    for options in itertools.product([False, True], [False, True], [None, False, True], [False, True]):
        ours, theirs = bert(*options)
        compare([ours], theirs, texts)


@pytest.mark.parametrize("rule", RULES)
def test_random_texts_by_rule_tables(rule: str) -> None:
    ours, theirs = precompiled(rule)
    assert compare([ours], theirs, random_texts(20_000, seed=3)) > 0


@pytest.mark.parametrize(("left", "right"), [(True, True), (True, False), (False, True), (False, False)])
def test_strip(left: bool, right: bool) -> None:
    texts = [frame.format(c) for c in telling_scalars() for frame in ("{}", "{}a", " b{} ")]
    compare([{"Strip": {"left": left, "right": right}}], normalizers.Strip(left, right).normalize_str, texts)


def test_replacements() -> None:
    texts = ["", *random_texts(3_000, seed=4)]
    for needle, content in REPLACEMENTS:
        ours = {"Replace": {"pattern": {"Text": needle}, "content": content}}
        assert compare([ours], normalizers.Replace(needle, content).normalize_str, texts) > 0
    for pattern, content in PATTERNS:
        ours = {"Replace": {"pattern": {"Pattern": pattern}, "content": content}}
        assert compare([ours], normalizers.Replace(Regex(pattern), content).normalize_str, texts) > 0


def test_replacements_in_long_texts() -> None:
    """A fixed text is searched for window by window."""
    for n_before in (65_530, 65_535, 65_536, 65_537, 131_071, 131_080):
        text = "x" * n_before + "abcab" * 3 + "é" * 70_000 + "ab"
        compare(
            [{"Replace": {"pattern": {"Text": "ab"}, "content": "-"}}],
            normalizers.Replace("ab", "-").normalize_str,
            [text],
        )


def test_sequences() -> None:
    """Sequences as known models have them, and some that no model has."""
    pairs: list[list[tuple[Any, Any]]] = [
        [("Nfd", normalizers.NFD()), ("Lowercase", normalizers.Lowercase()), ("StripAccents", normalizers.StripAccents())],
        [("Nmt", normalizers.Nmt()), ("Nfkc", normalizers.NFKC()),
         ({"Replace": {"pattern": {"Pattern": " {2,}"}, "content": " "}}, normalizers.Replace(Regex(" {2,}"), " "))],
        [({"Prepend": "▁"}, normalizers.Prepend("▁")),
         ({"Replace": {"pattern": {"Text": " "}, "content": "▁"}}, normalizers.Replace(" ", "▁"))],
        [("Nfkd", normalizers.NFKD()), ("Nfc", normalizers.NFC()), ("Nfc", normalizers.NFC()),
         ("ByteLevel", normalizers.ByteLevel())],
        [({"Strip": {"left": True, "right": True}}, normalizers.Strip()), ("Lowercase", normalizers.Lowercase()),
         ("Nfd", normalizers.NFD()), ("StripAccents", normalizers.StripAccents()), ("Nfkc", normalizers.NFKC())],
    ]  # fmt: skip
    texts = ["", *random_texts(5_000, seed=5)]
    for sequence in pairs:
        theirs = normalizers.Sequence([one for _, one in sequence])
        assert compare([one for one, _ in sequence], theirs.normalize_str, texts) > 0


def test_a_table_shows_graphemes_as_the_reference_cuts_them() -> None:
    """`a` and what its grapheme takes in become what the rule for `a` says: so every extender shows."""
    table = _table_of_one_rule("a", "X")
    theirs = _precompiled_by_file(bytes(table))
    compare(
        [{"Precompiled": table}],
        theirs,
        [frame.format(c) for c in telling_scalars() for frame in ("a{}", "{}a")],
    )


def _table_of_one_rule(before: str, after: str) -> list[int]:
    """A double array by hand: the root's children at 256, those of the rule's one byte at 512."""
    units = [0xFF if at % 256 == 0 else 0 for at in range(768)]
    units[0] = 256 << 10
    at = 256 + ord(before)
    units[at] = (at ^ 512) << 10 | 1 << 8 | ord(before)
    units[512] = 1 << 31
    return list(
        b"".join(unit.to_bytes(4, "little") for unit in [len(units) * 4, *units]) + after.encode() + b"\0"
    )


def _precompiled_by_file(table: bytes) -> Normalize:
    empty = json.loads(Tokenizer(models.BPE()).to_str())
    empty["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}
    normalizer = Tokenizer.from_str(json.dumps(empty)).normalizer
    made: Normalize = normalizer.normalize_str
    return made


@pytest.mark.parametrize("damage", ["empty", "short", "size", "leads nowhere", "not UTF-8"])
def test_broken_tables_are_refused(damage: str) -> None:
    table = rule_table("nmt_nfkc")
    broken = {
        "empty": [],
        "short": table[:1000],
        "size": [0xFF, 0xFF, 0xFF, 0x7F, *table[4:]],
        "leads nowhere": table[: int.from_bytes(bytes(table[:4]), "little") + 8],
        "not UTF-8": [*table, 0xFF],
    }[damage]
    with pytest.raises(errors.FormatError, match=r"normalizers\[0\]"):
        normalize([{"Precompiled": broken}], ["a"])
