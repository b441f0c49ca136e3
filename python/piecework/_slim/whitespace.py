"""Text without white space at line ends and without more than one empty line: not the same text, but the same words."""

from __future__ import annotations

import re

__all__ = ["is_same_words", "write"]

# Each run is looked at from its beginning alone: from every place in it, a long one takes the square of its length.
_AT_END = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")
_EMPTY = re.compile(r"\n{3,}")


def write(text: str) -> str:
    """The text, with line feeds alone, stripped line ends, one empty line at most, and none at its end."""
    unix = text.replace("\r\n", "\n")
    return _EMPTY.sub("\n\n", _AT_END.sub("", unix)).strip("\n")


def is_same_words(first: str, second: str) -> bool:
    """Whether two texts have the same lines with anything on them, indentation included."""
    return _lines(first) == _lines(second)


def _lines(text: str) -> list[str]:
    lines = (line.rstrip(" \t\r") for line in text.split("\n"))
    return [line for line in lines if line]
