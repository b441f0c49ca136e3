"""Words that are not what they look like: letters of two scripts in one word, words of another script, styled letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from piecework._safety.collect import Hit
from piecework._safety.confusables import LOOKS_LIKE
from piecework._safety.skeleton import looks_like

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mixed_scripts", "styled_letters"]

# Scripts whose letters are mistaken for those of Latin. Unicode names each letter by its script first.
_ALIKE: Final = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LISU"})
_MAYBE = re.compile(
    "[\u0370-\u052f\u0531-\u0587\u13a0-\u13fd\u2c80-\u2cff\u2de0-\u2dff\ua4d0-\ua4ff\ua640-\ua69f\uab70-\uabbf]"
)
_WORD = re.compile(r"[^\W\d_]+")
# Formulas are `Δx`, `λmax`, `μs`.
_FORMULA_CHARS = 4
_MIN_WORD = 3
_STYLED = re.compile(
    "[\U0001d400-\U0001d6a5]{2,}|[\u24b6-\u24e9\U0001f130-\U0001f189]{2,}|[\uff21-\uff3a\uff41-\uff5a]{2,}"
)


def mixed_scripts(text: str) -> Iterator[Hit]:
    """Yields words that mix Latin with a script that looks like it, and words of such a script that pass for Latin.

    The latter only where no other word shows that the text has that script.

    Complexity: O(n_chars).
    """
    if not _MAYBE.search(text):
        return
    scripts = _Scripts()
    passing: list[tuple[str, re.Match[str]]] = []
    plain_scripts = set()
    for word in _WORD.finditer(text):
        found = {"LATIN"} if word[0].isascii() else {scripts[char] for char in set(word[0])}
        others = found & _ALIKE
        if len(found) > 1 and "LATIN" in found:
            if others and not _is_unit(word[0], scripts):
                yield _mixed(word, scripts)
        elif others and _passes(word[0]):
            passing.append((min(others), word))
        else:
            plain_scripts |= found
    if "LATIN" not in plain_scripts:
        return
    for script, word in passing:
        if script not in plain_scripts:
            message = f"a word of {script.title()} letters that passes for {_latin(word[0])}"
            yield Hit("look-alike-word", "medium", word.span(), message)


def _passes(word: str) -> bool:
    return len(word) >= _MIN_WORD and all(map(looks_like, set(word)))


def styled_letters(text: str) -> Iterator[Hit]:
    """Yields words in mathematical, circled or full-width letters: a model reads them, a filter of words does not."""
    for found in _STYLED.finditer(text):
        plain = unicodedata.normalize("NFKC", found[0])[:40]
        # Full-width letters are common beside ideographs.
        is_wide = found[0][0] >= "\uff21" and found[0][0] <= "\uff5a"
        reads = f", which reads {plain}" if plain.isascii() else ""
        message = f"{'full-width' if is_wide else 'styled'} letters{reads}"
        yield Hit("styled-letters", "info" if is_wide else "low", found.span(), message)


def _is_unit(word: str, scripts: _Scripts) -> bool:
    """Whether a word is short and has a Greek letter that looks like no other: `kΩ`, `λmax`, `Δx`."""
    greek = [char for char in word if scripts[char] == "GREEK"]
    return len(word) <= _FORMULA_CHARS and bool(greek) and not any(map(looks_like, greek))


def _mixed(word: re.Match[str], scripts: _Scripts) -> Hit:
    """A word is in disguise where all letters of its lesser script look like letters of the other one.

    `Pythonтанзим` and `fотчет` are written together in earnest: none of the two scripts passes for the other.
    """
    text = word[0]
    others = [char for char in text if scripts[char] in _ALIKE]
    latin = [char for char in text if scripts[char] == "LATIN"]
    names = " and ".join(sorted({scripts[char].title() for char in others}))
    if len(others) <= len(latin):
        lesser, hidden = others, all(map(looks_like, others))
    else:
        alike = _alike_in(scripts[others[0]])
        lesser, hidden = latin, all(char in alike for char in latin)
    named = ", ".join(f"{char} (U+{ord(char):04X})" for char in sorted(set(lesser))[:4])
    message = f"a word of Latin and {names} letters: {named}"
    if not hidden:
        return Hit("mixed-scripts", "low", word.span(), message)
    if len(text) <= _FORMULA_CHARS and scripts[text[0]] == "GREEK":
        return Hit("mixed-scripts", "info", word.span(), message)
    passes = f"; it passes for {_latin(text)}" if lesser is others else f" pass for {names}"
    return Hit("mixed-scripts", "medium", word.span(), f"{message}{passes}")


@cache
def _alike_in(script: str) -> frozenset[str]:
    """The letters of ASCII that look like one of a script."""
    scripts = _Scripts()
    return frozenset(char for char, alikes in LOOKS_LIKE if any(scripts[one] == script for one in alikes))


def _latin(word: str) -> str:
    return "".join(looks_like(char) or char for char in word[:40])


class _Scripts(dict[str, str]):
    """The script of each letter that was met, by the first word of its name."""

    def __missing__(self, char: str) -> str:
        name = unicodedata.name(char, "").split(" ", 1)[0]
        # U+00B5, the sign for micro, is compatible with a Greek letter and belongs with Latin units.
        value = self[char] = "LATIN" if char in "\xaa\xb5\xba" else name
        return value
