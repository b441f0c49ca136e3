"""How invisible things are shown: white space as signs, everything else that a screen would hide or obey by its number.

A text may hold escape sequences and direction overrides. Nothing that comes out of here does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["cell_width", "harmless", "joined", "piece_glyphs", "shortened", "visible"]

_SIGNS = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"})
_BACKSLASHES = re.compile(r"\\+(?=\||\Z)")
# Controls, formats, surrogates, private and unassigned code points, separators: no glyph of their own.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def visible(text: str) -> str:
    r"""A text with nothing invisible in it.

    Returns:
        Space, newline, tab and carriage return as `·` `⏎` `⇥` `␍`; other characters without a glyph as `<U+200B>`.

    Examples:
        >>> visible("to\tdo:\u200b go\x1b[0m")
        'to⇥do:<U+200B>·go<U+001B>[0m'
    """
    return harmless(text.translate(_SIGNS))


def harmless(text: str) -> str:
    r"""A text that a terminal shows and does not obey: with its spaces, but everything else that has no glyph by number.

    Examples:
        >>> harmless("my notes\x1b[2J.txt")
        'my notes<U+001B>[2J.txt'
    """
    if text.isprintable():
        return text
    return "".join(f"<U+{ord(char):04X}>" if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    return char != " " and unicodedata.category(char) in _HIDDEN


def piece_glyphs(piece: bytes) -> str:
    r"""A token's bytes as something to look at.

    Returns:
        The text that the bytes are, made visible; bytes that are no whole character as `\xf0`; a combining mark that begins
        a piece stands on a dotted circle, so that it does not climb onto the piece before.

    Examples:
        >>> print(piece_glyphs(b" caf\xc3\xa9"), piece_glyphs(b" \xf0\x9f"))
        ·café ·\xf0\x9f
    """
    shown = visible(piece.decode("utf-8", "backslashreplace"))
    return f"◌{shown}" if shown and unicodedata.combining(shown[0]) else shown


def shortened(shown: str, *, max_chars: int = 200) -> str:
    r"""A text as shown, cut where it is longer than a line can hold, with how many characters it has.

    Examples:
        >>> shortened("aaaaaaaa", max_chars=3)
        'aaa… (8 characters)'
    """
    return shown if len(shown) <= max_chars else f"{shown[:max_chars]}… ({len(shown):,} characters)"


def joined(shown: Iterable[str]) -> str:
    r"""Pieces as shown, with `|` between them.

    Returns:
        The line; a `|` of the text is `\|`, and backslashes that come to stand before a `|` are doubled, so that an odd
        number of them always means one of the text's.

    Examples:
        >>> print(joined(["a|", "b", "\\", "c"]))
        a\||b|\\|c
    """
    return "|".join(_BACKSLASHES.sub(r"\g<0>\g<0>", piece).replace("|", r"\|") for piece in shown)


def cell_width(text: str) -> int:
    r"""How many columns of a terminal a text takes: two for East Asian wide characters, none for combining marks.

    Examples:
        >>> [cell_width(text) for text in ("cat", "猫", "e\u0301")]
        [3, 2, 1]
    """
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
