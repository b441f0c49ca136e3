"""Texts on which GGUF tokenizers are held against llama.cpp: generated ones, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["GGUFS", "generated"]

# The vocabulary-only files among the fixtures.
GGUFS = ("bert-bge", "gpt-2", "llama-bpe", "llama-spm", "phi-3", "qwen2")

_WORDS = (  # noqa: SIM905 - sixty short strings in quotes hide what is in them
    "the of and to in refund Refund REFUND charge charged don't I'm you'LL we'Ve it's HTTPServer fooBar def return"
    " self.x == != -> 0x1F 1969 3.14159 1,000,000 12 7 https://example.com/a?b=c%20 preguiçosa naïve Straße ÉCOLE"
    " нашёл ΣΊΣΥΦΟΣ 中文 日本語テスト 東京 नमस्ते हिन्दी ไทย العربية עברית 🚀 🇧🇷 👨‍👩‍👧 ½ ² ① … “quoted” —"
    " <|im_start|> <s> </s> <unk> [CLS] [MASK] <|user|> <|end|> <0x0A> ▁ ▁▁x É e\u0301 ＡＢＣ ﬁ"
).split()
_SPACES = (
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " \n ",
    "\u00a0",
    "\u3000",
    "",
    "-",
    ".",
)
# Letters, marks, digits, punctuation, symbols and white space of many scripts, all of them older than Unicode 15.
_RANGES = (
    (0x20, 0x7E),
    (0x20, 0x7E),
    (0xA0, 0x17F),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x5D0, 0x5EA),
    (0x620, 0x669),
    (0x904, 0x939),
    (0x93E, 0x94D),
    (0xE01, 0xE3A),
    (0x1100, 0x1112),
    (0x1E00, 0x1EFF),
    (0x2000, 0x206F),
    (0x2070, 0x209C),
    (0x20A0, 0x20BF),
    (0x2100, 0x214F),
    (0x2190, 0x21FF),
    (0x3041, 0x3096),
    (0x30A0, 0x30FF),
    (0x4E00, 0x9FA5),
    (0xAC00, 0xD7A3),
    (0xFF01, 0xFF5E),
    (0x1F300, 0x1F64F),
    (0x20000, 0x2A6D6),
)


def generated(n: int, *, seed: int = 1) -> list[str]:
    """Returns `n` texts: words of many kinds with odd space between them, and characters at random."""
    chance = random.Random(seed)  # noqa: S311 - nothing is secret here
    return [_words(chance) if chance.random() < 0.6 else _characters(chance) for _ in range(n)]


def _words(chance: random.Random) -> str:
    parts: list[str] = []
    for _ in range(chance.randint(1, 14)):
        parts += (_one(chance, _WORDS), _one(chance, _SPACES))
    return "".join(parts if chance.random() < 0.5 else parts[:-1])


def _characters(chance: random.Random) -> str:
    out: list[str] = []
    for _ in range(chance.randint(1, 8)):
        low, high = chance.choice(_RANGES)
        out += (chr(chance.randint(low, high)) for _ in range(chance.randint(1, 5)))
    return "".join(out)


def _one(chance: random.Random, choices: Sequence[str]) -> str:
    return chance.choice(choices)
