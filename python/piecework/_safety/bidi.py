"""Controls of writing direction: what a reader sees is not in the order in which the model reads it.

Overrides are never needed in a prompt; embeddings and isolates are, but a pair must close before its line ends
(Trojan Source, CVE-2021-42574).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from piecework._safety.collect import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._safety.finding import Severity

__all__ = ["bidi_controls"]

# Controls, and what ends a paragraph.
_WATCHED: Final = re.compile("[\u202a-\u202e\u2066-\u2069\n\r\x1c-\x1e\x85\u2029]")
_EMBEDDINGS = {"\u202a": "embedding", "\u202b": "embedding", "\u202d": "override", "\u202e": "override"}
_ISOLATES = dict.fromkeys("\u2066\u2067\u2068", "isolate")
_END_EMBEDDING, _END_ISOLATE = "\u202c", "\u2069"


def bidi_controls(text: str) -> Iterator[Hit]:
    """Yields embeddings, overrides and isolates, and what is left open at the end of a line or closes nothing.

    Complexity: O(n_chars).

    Source: Unicode Standard Annex 9, rules X1 to X8 (pairs); trojansource.codes.
    """
    opened: list[int] = []
    n_isolates = 0
    for found in _WATCHED.finditer(text):
        char, at = found[0], found.start()
        if char in _EMBEDDINGS or char in _ISOLATES:
            opened.append(at)
            n_isolates += char in _ISOLATES
        elif char == _END_EMBEDDING:
            if opened and text[opened[-1]] in _EMBEDDINGS:
                yield _closed(text, opened.pop(), at)
            else:
                yield _stray(char, at)
        elif char == _END_ISOLATE and n_isolates:
            n_isolates -= 1
            yield from _close_isolate(text, opened, at)
        elif char == _END_ISOLATE:
            yield _stray(char, at)
        else:
            n_isolates = 0
            yield from _left_open(text, opened)
    yield from _left_open(text, opened)


def _close_isolate(text: str, opened: list[int], at: int) -> Iterator[Hit]:
    """Closes the last isolate, and leaves open what was opened in it. Each opening leaves the list once."""
    while text[start := opened.pop()] not in _ISOLATES:
        yield _open(text, start)
    yield _closed(text, start, at)


def _left_open(text: str, opened: list[int]) -> Iterator[Hit]:
    for at in opened:
        yield _open(text, at)
    opened.clear()


def _name(char: str) -> str:
    return f"{_EMBEDDINGS.get(char) or _ISOLATES[char]} (U+{ord(char):04X})"


def _open(text: str, at: int) -> Hit:
    message = f"a direction {_name(text[at])} is not closed before its line or its isolate ends"
    return Hit("bidi-control", "high", (at, at + 1), message)


def _closed(text: str, start: int, end: int) -> Hit:
    if _EMBEDDINGS.get(text[start]) == "override":
        message = f"a direction {_name(text[start])} shows its text in reverse order"
        return Hit("bidi-control", "high", (start, end + 1), message)
    severity: Severity = "low" if text[start] in _ISOLATES else "medium"
    return Hit("bidi-control", severity, (start, end + 1), f"a direction {_name(text[start])}")


def _stray(char: str, at: int) -> Hit:
    return Hit(
        "bidi-control", "low", (at, at + 1), f"an end of direction (U+{ord(char):04X}) that closes nothing"
    )
