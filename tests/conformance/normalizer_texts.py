"""Texts that tell normalizers apart, and rule tables as SentencePiece compiles them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import sentencepiece
import unicodedata2

from piecework import _core

N_PER_CALL = 20_000

# One string of each kind that some normalizer treats in a way of its own.
KINDS: tuple[str, ...] = (
    "\u0300\u0301\u0316\u0323\u0334\u0345\u05b4\u064b\u093c\u0e31\u302e\u3099\U0001d165\u1abf\u20dd",
    "éÉñÅạậǖΐ\u212b\u2126\u0958\u0344\u0f73İßẞΣςſ",
    "\u1100\u1161\u11a8\u11ff가각힣ᄀㄱㅏﾡﾂ",
    "中文字㐀豈𠀀𪜀々ヵがｶﾞ",
    "🙂👩\u200d💻🏽🇩🇪\ufe0f\u20e3",
    "ﷺﷲﻼﺍبِ\u0640",
    "Ａｂ１～ﬁ½ﬀ①㍿ⅷ…",
    "\x00\x01\x08\x0b\x0e\x1f\x7f\x85\x8f\x9f\u00ad\u061c\u200e\ue000\U000e0001\ufffd",
    " \t\n\r\x0c\u00a0\u1680\u2003\u200b\u2028\u202f\u2060\u2581\u3000\ufeff",
    "aAbBzZ .,'-09_",
    "  ab ▁▁ ",
)


def scalars() -> list[str]:
    """Every character but the surrogates."""
    return [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def telling_scalars() -> list[str]:
    """Every character but most of those whose neighbors are like them: ideographs, syllables, private and unused ones."""
    dull = {"Co", "Cn"}
    return [
        c
        for code, c in enumerate(scalars())
        if code % 16 == 0
        or not (
            unicodedata2.category(c) in dull
            or "CJK" in (name := unicodedata2.name(c, ""))
            or "HANGUL SYL" in name
        )
    ]


def random_texts(n: int, seed: int, max_len: int = 12) -> list[str]:
    """`n` texts of up to `max_len` characters of all kinds."""
    choose = random.Random(seed)
    return [
        "".join(choose.choice(choose.choice(KINDS)) for _ in range(choose.randint(1, max_len)))
        for _ in range(n)
    ]


def normalize(normalizers: Sequence[Any], texts: list[str], user_defined: Sequence[str] = ()) -> list[str]:
    """Our normalized texts; `normalizers` as the definition has them."""
    return [text for text, _ in aligned(normalizers, texts, user_defined)]


def aligned(
    normalizers: Sequence[Any], texts: list[str], user_defined: Sequence[str] = ()
) -> list[tuple[str, list[tuple[int, int]]]]:
    """Our normalized texts and the bytes that each of their characters comes from."""
    return _core._debug_normalize(json.dumps(normalizers), list(user_defined), texts)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts, some thousands at a time."""
    for start in range(0, len(texts), N_PER_CALL):
        yield list(texts[start : start + N_PER_CALL])


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a protocol buffer."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 2:
            length = varint()
            yield key >> 3, message[at : at + length]
            at += length
        elif key & 7 == 0:
            varint()
        else:
            at += 8 if key & 7 == 1 else 4


def charsmap(model: bytes) -> list[int]:
    """The rule table of a serialized SentencePiece model, as the definition has it."""
    spec = dict(_fields(model))[3]
    return list(dict(_fields(spec)).get(2, b""))


def rule_table(rule: str) -> list[int]:
    """One of the rule tables that SentencePiece has built in."""
    return charsmap(sentencepiece.SentencePieceNormalizer(rule_name=rule).serialized_model_proto())
