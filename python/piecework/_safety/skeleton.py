"""What a reader takes a text for: its skeleton, in which characters that look alike are the same.

A skeleton is the compatibility form (NFKD) of each character, with look-alikes replaced by those of ASCII, in lower
case, and without what is not seen or only separates: invisible characters, marks, white space, `_` and `-`.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, NamedTuple, TypeAlias

from piecework._safety.confusables import LOOKS_LIKE

__all__ = ["BLANKS", "Way", "is_invisible", "looks_like", "skeleton", "skeleton_starts", "ways"]

Way: TypeAlias = Literal[
    "invisible characters",
    "combining marks",
    "compatibility forms",
    "look-alike characters",
    "upper and lower case",
    "spaces and separators",
]
"""How a text differs from what it looks like."""

BLANKS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode counts as letters or symbols, and that show nothing."""

# What Unicode's list of confusables leaves out: bars and brackets (it is made for names, and markers are made of
# these), and letters that only some fonts tell apart.
_MORE = {
    "|": "\xa6\u2016\u2223\u2225\u23ae\u23b8\u23b9\u23d0\u2502\u2503\u2506\u2507\u250a\u250b\u2551\u2758\u2759\u275a\u2980\u2afc",
    "<": "\xab\u2329\u226a\u27e8\u27ea\u3008\u300a\u276c\u2770\u29fc",
    ">": "\xbb\u232a\u226b\u27e9\u27eb\u3009\u300b\u276d\u2771\u29fd",
    "[": "\u2045\u27e6\u3010\u3014\u3016\u301a\u2772",
    "k": "\u0138\u03ba\u043a",
    "m": "\u043c",
    "t": "\u03c4\u0442",
    "]": "\u2046\u27e7\u3011\u3015\u3017\u301b\u2773",
}
# Within ASCII, these are one: a marker may be written with a digit for a letter, or a letter for its bar.
_WITHIN_ASCII = {"0": "o", "1": "l", "i": "l", "|": "l"}
# U+2581 stands for the space in names such as DeepSeek's.
_SEPARATORS = frozenset("_-\u2581")

_ASCII_OF: Final = {alike: char for char, alikes in (*LOOKS_LIKE, *_MORE.items()) for alike in alikes}


def is_invisible(char: str) -> bool:
    """Whether a character shows nothing and takes no room: formats, variation selectors, tags, fillers."""
    return unicodedata.category(char) == "Cf" or char in BLANKS or _selects(char)


def looks_like(char: str) -> str:
    """Returns the character of ASCII that a character looks like; empty where there is none."""
    return _ASCII_OF.get(char, "")


def _selects(char: str) -> bool:
    return (
        "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or char in "\u034f\u180b\u180c\u180d\u180f"
    )


def _is_separator(char: str) -> bool:
    # Control characters that are no white space separate, too: a terminal shows none of them.
    return char in _SEPARATORS or char.isspace() or unicodedata.category(char) == "Cc"


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _of_char(char: str) -> str:
    if is_invisible(char) or _is_separator(char):
        return ""
    seen = []
    for part in _ASCII_OF.get(char) or unicodedata.normalize("NFKD", char):
        if _is_hidden(part):
            continue
        folded = _ASCII_OF.get(part, part).casefold()
        seen += [_WITHIN_ASCII.get(one, one) for one in folded if one not in _SEPARATORS]
    return "".join(seen)


class _Table(dict[int, str]):
    """The skeleton of each character that was met, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        value = self[code] = _of_char(chr(code))
        return value


# Filled as characters are met; each value depends on its key alone, so that threads may fill it together.
_TABLE = _Table()


def skeleton(text: str) -> str:
    """Returns the skeleton of a text.

    Examples:
        >>> skeleton("<|im_start|>") == skeleton("\uff1c\uff5cIM \u200bstart\uff5c\uff1e")
        True

    Complexity: O(n_chars).

    Source: Unicode Technical Standard 39, section 4 (skeletons), with what is said at the top of this file.
    """
    return text.translate(_TABLE)


def skeleton_starts(text: str) -> list[int]:
    """Returns, for each character of the skeleton, the index of the character of the text that it was made from."""
    return [at for at, char in enumerate(text) for _ in _TABLE[ord(char)]]


def ways(text: str, meant: str) -> tuple[Way, ...]:
    """Returns how a text differs from another one with the same skeleton.

    Examples:
        >>> ways("<|IM_START|>", "<|im_start|>")
        ('upper and lower case',)
    """
    left, right = _seen(text), _seen(meant)
    found: list[Way] = [way for way in _ORDER if left.of_way.get(way) != right.of_way.get(way)]
    if left.letters == right.letters:
        return tuple(found)
    if left.letters.casefold() == right.letters.casefold():
        return (*found, "upper and lower case")
    # What is left are characters of ASCII that stand for each other.
    return tuple(dict.fromkeys((*found, "look-alike characters")))


class _Seen(NamedTuple):
    """The characters of a text that are odd in some way, and its letters in ASCII where they have such a form."""

    of_way: dict[Way, list[str]]
    letters: str


def _seen(text: str) -> _Seen:
    of_way: dict[Way, list[str]] = {}
    letters = []
    for char in text:
        way, plain, separators = _PLAIN[char]
        letters.append(plain)
        if way is not None:
            of_way.setdefault(way, []).append(char)
        if separators:
            of_way.setdefault("spaces and separators", []).append(separators)
    return _Seen(of_way, "".join(letters))


_ORDER: Final[tuple[Way, ...]] = (
    "invisible characters",
    "combining marks",
    "spaces and separators",
    "compatibility forms",
    "look-alike characters",
)


class _PlainTable(dict[str, "tuple[Way | None, str, str]"]):
    """For each character that was met: in what it is odd, what is seen of it (its case kept), what of it separates."""

    def __missing__(self, char: str) -> tuple[Way | None, str, str]:
        plain = _ASCII_OF.get(char) or unicodedata.normalize("NFKD", char)
        shown = "".join(_ASCII_OF.get(one, one) for one in plain if not _is_hidden(one))
        value = self[char] = (_way_of(char), shown, "".join(filter(_is_separator, plain)))
        return value


_PLAIN = _PlainTable()


def _is_hidden(char: str) -> bool:
    return is_invisible(char) or _is_mark(char) or _is_separator(char)


def _way_of(char: str) -> Way | None:
    tests: dict[Way, bool] = {
        "invisible characters": is_invisible(char),
        "look-alike characters": char in _ASCII_OF,
        "combining marks": _is_mark(char) or unicodedata.normalize("NFD", char) != char,
        "compatibility forms": unicodedata.normalize("NFKD", char) != char,
    }
    return next((way for way, is_so in tests.items() if is_so), None)
