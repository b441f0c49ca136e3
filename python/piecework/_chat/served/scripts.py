"""Which script a run of letters is written in, as far as the estimators have a figure for it."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["NO_SCRIPT", "OTHER_SCRIPT", "SCRIPTS", "script_runs"]

NO_SCRIPT = "Zyyy"
"""What no script owns: spaces, digits, punctuation, where no letters stand before them."""

OTHER_SCRIPT = "Zzzz"
"""The letters of every script that is not told apart."""

# First and last code point of the blocks of each script (Unicode 17, Blocks.txt), under its ISO 15924 code; `Kana` is
# hiragana and katakana, `Zsye` pictographs and what joins them.
_BLOCKS: dict[str, tuple[tuple[int, int], ...]] = {
    "Latn": (
        (0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2B8),
        (0x300, 0x36F), (0x1D00, 0x1DBF), (0x1E00, 0x1EFF), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A),
    ),
    "Grek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrl": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armn": ((0x530, 0x58F),),
    "Hebr": ((0x590, 0x5FF), (0xFB1D, 0xFB4F)),
    "Arab": ((0x600, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC)),
    "Deva": ((0x900, 0x963), (0x966, 0x97F), (0xA8E0, 0xA8FF)),
    "Beng": ((0x980, 0x9FF),),
    "Taml": ((0xB80, 0xBFF),),
    "Telu": ((0xC00, 0xC7F),),
    "Thai": ((0xE00, 0xE7F),),
    "Laoo": ((0xE80, 0xEFF),),
    "Mymr": ((0x1000, 0x109F), (0xAA60, 0xAA7F)),
    "Geor": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)),
    "Ethi": ((0x1200, 0x139F), (0x2D80, 0x2DDF)),
    "Khmr": ((0x1780, 0x17FF),),
    "Hang": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF)),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    "Hani": ((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "Zsye": ((0x200D, 0x200D), (0x20E3, 0x20E3), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0xFE0F, 0xFE0F), (0x1F000, 0x1FAFF)),
}  # fmt: skip

# What belongs to the letters before it: ASCII and Latin-1 without letters, the danda that many scripts of India share,
# general punctuation, symbols, CJK punctuation.
_COMMON = (
    (0x00, 0x40), (0x5B, 0x60), (0x7B, 0xA9), (0xAB, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7), (0x2B9, 0x2FF), (0x964, 0x965),
    (0x2000, 0x200C), (0x200E, 0x20E2), (0x2100, 0x25FF), (0x27C0, 0x2AFF), (0x3000, 0x3004), (0x3008, 0x3020),
    (0xFF00, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65),
)  # fmt: skip

SCRIPTS = tuple(_BLOCKS)
"""The scripts that are told apart."""


def script_runs(text: str) -> list[tuple[str, str]]:
    """Cuts a text into runs of one script, each with what no script owns after it.

    Returns:
        Script and run, in order; the runs add up to the text. `NO_SCRIPT` can only be the first.

    Examples:
        >>> script_runs("1. Да, yes")
        [('Zyyy', '1. '), ('Cyrl', 'Да, '), ('Latn', 'yes')]

    Complexity: O(len(text)).
    """
    return [(found.lastgroup or OTHER_SCRIPT, found[0]) for found in _pattern().finditer(text)]


@cache
def _pattern() -> re.Pattern[str]:
    common = _members(_COMMON)
    named = {
        script: f"[{_members(blocks)}][{_members(blocks)}{common}]*" for script, blocks in _BLOCKS.items()
    }
    own = "".join(map(_members, _BLOCKS.values()))
    named[NO_SCRIPT] = f"[{common}]+"
    named[OTHER_SCRIPT] = f"[^{own}{common}][^{own}]*"
    return re.compile("|".join(f"(?P<{name}>{members})" for name, members in named.items()))


def _members(blocks: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in blocks)
