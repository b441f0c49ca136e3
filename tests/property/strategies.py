"""Texts that find mistakes: what people write, and what breaks tokenizers."""

from __future__ import annotations

from hypothesis import strategies as st

import piecework as pw

__all__ = [
    "BUNDLED",
    "COVERING",
    "LOSSLESS",
    "any_texts",
    "control_texts",
    "covering",
    "surrogate_texts",
    "texts",
    "tokenizers",
]

# These normalize nothing and know every byte, so that decoding gives back every text.
LOSSLESS = ("r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
# With these, whose normalizer composes characters, every byte of a text belongs to a token.
COVERING = (*LOSSLESS, "qwen3")
BUNDLED = (*COVERING, "bert-base-uncased", "t5")

_CONTROLS = sorted(
    {token for name in BUNDLED for token in list(pw.load(name).special_tokens)[:12]} | {"<think>", "</think>"}
)
_SHORT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_WORDS = st.sampled_from([
    "Hello", " world", "I'm", "'LL", "don\u2019t", "ſ", "'ſ", " 1234567", "1969", "\n\n", "\r\n", " \n ", "\t", "   ", "\u00a0",
    "\u3000", "def f(x):\n    return x", "https://a.b/c?d=e", "🚀", "👩‍👩‍👧", "🇧🇷", "नमस्ते", "안녕", "한", "日本語", "الثعلب", "e\u0301",
    "q\u0323\u0307", "ǅ", "ﬀ", "\0", "\x7f", "\u200b", "\u202e", "\ufeff", "\U0010ffff", "ꦏꦂ", "Ⅷ", "½", "_", "/", "...", "=====", "<|",
])  # fmt: skip
_RUNS = st.builds(
    lambda char, n: char * n, st.sampled_from([*" \n\ta0.-猫🚀", "\u0301", "ab", " a"]), st.integers(1, 300)
)

texts = st.lists(st.one_of(_WORDS, _SHORT, _RUNS), max_size=12).map("".join)
"""Unicode text without surrogates."""

control_texts = st.lists(st.one_of(_WORDS, st.sampled_from(_CONTROLS)), min_size=1, max_size=8).map("".join)
"""Text that holds control strings."""

surrogate_texts = st.lists(st.one_of(_WORDS, st.characters(categories=["Cs"])), max_size=8).map("".join)
"""str values that may hold lone surrogates and split pairs."""

any_texts = st.one_of(texts, control_texts)
tokenizers = st.sampled_from(BUNDLED).map(pw.load)
covering = st.sampled_from(COVERING).map(pw.load)
