"""What a word is: by white space, as `str.split` has it, or by the rules and dictionaries of Unicode."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Literal, TypeAlias

from piecework import _core

__all__ = ["Span", "Words", "segmenter", "segmenter_name"]

Words: TypeAlias = Literal["whitespace", "unicode"]
"""The rule for words."""

Span: TypeAlias = tuple[int, int]
"""Characters of a text, from one to before another."""

_HALF = re.compile("[\ud800-\udfff]")
# Exactly what `str.split` makes, with where it stands: both have the same white space.
_WORD = re.compile(r"\S+")


def segmenter(words: Words) -> Callable[[str], list[Span]]:
    """The function that finds the words of a text.

    Args:
        words: `"whitespace"`: what stands between white space, as `str.split()` has it. `"unicode"`: word segments with
            a letter or digit (UAX #29); Thai, Lao, Khmer and Burmese by models, Chinese and Japanese by a dictionary.

    Returns:
        A function from a text to the character spans of its words, in order.

    Raises:
        ValueError: There is no such rule.

    Examples:
        >>> segmenter("whitespace")(" Hello,  world!")
        [(1, 7), (9, 15)]
        >>> segmenter("unicode")("Hello, 世界!")
        [(0, 5), (7, 9)]
    """
    if words == "whitespace":
        return _by_white_space
    if words == "unicode":
        return _by_unicode
    raise ValueError(f'words is "whitespace" or "unicode", not {words!r}')


def segmenter_name(words: Words) -> str:
    """What finds the words, with its version.

    Examples:
        >>> segmenter_name("whitespace")
        'white space (str.split)'
    """
    segmenter(words)
    return "white space (str.split)" if words == "whitespace" else f"Unicode segments ({_core.SEGMENTER})"


def _by_white_space(text: str) -> list[Span]:
    return [found.span() for found in _WORD.finditer(text)]


def _by_unicode(text: str) -> list[Span]:
    # Half of a character is no text for the engine; what becomes of it is said when the row is encoded.
    whole = _HALF.sub("\ufffd", text)
    spans = _core.words(whole)
    if len(whole) == len(whole.encode()):
        return spans
    starts = list(accumulate((len(character.encode()) for character in whole), initial=0))
    return [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in spans]
