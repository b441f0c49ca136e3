"""The patterns that splitters are compared on: those of known models, and odd ones for each corner of a dialect."""

from __future__ import annotations

from typing import Literal, NamedTuple

Profile = Literal["tiktoken", "tokenizers"]


class Known(NamedTuple):
    """A published pattern, in the dialect of its library, and one character of each class that it tells apart."""

    profile: Profile
    pattern: str
    classes: str


_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"


def _words(contractions: str, less: str = "") -> str:
    head = r"[^\r\n\p{L}\p{N}]?"
    first = f"{head}[{_UPPER}{less}]*[{_LOWER}{less}]+{contractions}"
    return f"{first}|{head}[{_UPPER}{less}]+[{_LOWER}{less}]*{contractions}"


_O200K = rf"{_words(_CONTRACTIONS + '?')}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_TAIL}"
_CL100K = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _TAIL
_NOT_HAN = r"&&[^\p{Han}]"
_ASCII_PUNCTUATION = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""

KNOWN = {
    "gpt2": Known(
        "tokenizers",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        "as1 \t!'",
    ),
    "r50k": Known(
        "tiktoken",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        "al1 \t!'",
    ),
    "cl100k": Known(
        "tiktoken",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        "asL1 \t\n!'",
    ),
    "cl100k-tokenizers": Known("tokenizers", _CL100K, "aſ1 \t\n!'"),
    "qwen2": Known("tokenizers", _CL100K.replace("{1,3}", ""), "as1 \u3000\r!'"),
    "qwen3.5": Known(
        "tokenizers",
        _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + _TAIL,
        "aK1\u0301 \n!'",
    ),
    "o200k": Known("tiktoken", _O200K, "As中\u0301 \n/!'"),
    "o200k-tokenizers": Known("tokenizers", _O200K, "As中\u03011 \n!'"),
    "tekken": Known(
        "tokenizers",
        rf"{_words('')}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_TAIL}",
        "Aa中\u03011 \n/",
    ),
    "kimi": Known(
        "tiktoken",
        rf"[\p{{Han}}]+|{_words(_CONTRACTIONS + '?', _NOT_HAN)}"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_TAIL}",
        "As中あ1 \n!'",
    ),
    "deepseek-numbers": Known("tokenizers", r"\p{N}{1,3}", "1½a "),
    "deepseek-kana": Known("tokenizers", "[一-龥\u3040-ゟ゠-ヿ]+", "中あaー "),
    "deepseek": Known(
        "tokenizers",
        _ASCII_PUNCTUATION
        + "[A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*"
        + "|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        "aé\u0301.。\0 \n1",
    ),
    "deepseek-llm-space": Known("tokenizers", r"\s+$", "a \n\r"),
    "falcon": Known("tokenizers", "[0-9][0-9][0-9]", "09a٣"),
    "bloom": Known("tokenizers", r" ?[^(\s|[.,!?…。，、।۔،])]+", "a .(|)…"),
    "clip": Known(
        "tokenizers",
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        "as1 <|>'",
    ),
}

# Corners of both dialects. What one of the two refuses, or means differently, is what they are for.
FOREIGN = (
    r"\d{1,3}(?=(?:\d{3})*\b)",
    r"\b\w+\b",
    r"\w+|[^\w\s]+",
    r"^\s+|\s+$",
    r"a.b|(?m)k.",
    "x(?i)ab|k(?-i)s|t",
    "(?i:[a-k]+s)|(?i)[^a]",
    r"\h+",
    "a{1,2}+b?",
    "a{2}?b|a{,2}s",
    "a{3,1}ab|a{b",
    "[a-c&&[^b]]+|[^a&&b]",
    r"\p{^L}+|\P{Lu}",
    r"\pL+",
    "(a|ab)(c|bcd)?",
    "(?>a+)b|a|a++ab",
    "(?<=a)b|(?<!a)s+",
    r"(?<=\s)\S|(?<!\S)\w",
    r"a(?=b)|b(?!a)|\s+(?!\S)",
    r"(?:(?:\s+(?!\S)|x)|\s+)s?",
    r"a\Z|b\z|\As",
    r"\R+a|\N+",
    r"\x61+|\x{62}\u0063|\'s|\e",
    r"(a|b)(?:\1|c)",
    r"(?<n>a)b|(?#c)c",
    r"[a-]+|[-b]|[c\-k]",
    r"[a-c-k]+|[--1]",
    r"\p{Greek}+|\p{Han}|\p{Lu}\p{Ll}*",
    r"(?i)\x73+|'k",
    r"\s*+x|[^\S\n]+",
    r"(?:ab|a)(?:bc|c)?+",
    r"(?:a+|b)++c|(?:(?!ab)[a-c])+",
    "a+b?a+",
    "a|a*b",
    r"(?:[ab]{1,2}c)+?k|\p{L}(?=\p{L})|\p{L}+",
)

# These match the empty text, on which tiktoken 0.14 panics.
FOREIGN_EMPTY = (r"(?=(\d{3})+(?!\d))", "a*?b|a??", "a*", "", "^|$", r"\b", r"(?<=[a-z])(?=[A-Z])")

# Named classes, each of them compared at every code point (of the `tokenizers` profile: Oniguruma has its own).
CLASSES = (
    *(rf"\{letter}" for letter in "wWdDsShHNO"),
    *(r"[\w]", r"[^\w]", ".", r"\R", r"\p{Word}", r"\P{Word}", r"\p{Punct}", r"\p{Graph}", r"\p{Print}"),
    *(r"\p{Alnum}", r"\p{Blank}", r"\p{XDigit}", r"\p{Cased}", r"\p{Emoji}", r"\p{Zl}|\p{Zp}", r"\p{Cn}"),
    *(
        rf"\p{{{name}}}"
        for name in ("Han", "Hiragana", "Thai", "Arabic", "Latin", "Greek", "Common", "Sc", "Lm")
    ),
    *(
        f"[[:{name}:]]"
        for name in (
            *(
                "alnum",
                "alpha",
                "ascii",
                "blank",
                "cntrl",
                "digit",
                "graph",
                "lower",
                "print",
                "punct",
                "space",
            ),
            *("upper", "xdigit", "word", "^word", "^punct"),
        )
    ),
    *(
        r"(?i)[a-z]",
        r"(?i)[^a-z]",
        r"(?i)[^\p{L}]",
        r"(?i)[\x{400}-\x{4ff}]",
        r"(?i)\p{Lu}",
        "(?i:k)",
        "(?i:s)",
    ),
)
