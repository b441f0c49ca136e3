"""Rows that would make a comparison false: not translated at all, in another script, or empty."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._measure.samples import SampleText

__all__ = ["Reason", "Suspect", "find_suspects", "script_share"]

Reason: TypeAlias = Literal["same-as-reference", "wrong-script", "empty"]
"""Why a row is left out."""

# ISO 15924 code -> how the Unicode names of its letters begin.
_NAMES = {
    "Arab": ("ARABIC",), "Armn": ("ARMENIAN",), "Beng": ("BENGALI",), "Cyrl": ("CYRILLIC",), "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",), "Geor": ("GEORGIAN",), "Grek": ("GREEK",), "Gujr": ("GUJARATI",), "Guru": ("GURMUKHI",),
    "Hang": ("HANGUL",), "Hani": ("CJK",), "Hans": ("CJK",), "Hant": ("CJK",), "Hebr": ("HEBREW",),
    "Jpan": ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"), "Khmr": ("KHMER",), "Knda": ("KANNADA",),
    "Kore": ("HANGUL", "CJK"), "Laoo": ("LAO",), "Latn": ("LATIN",), "Mlym": ("MALAYALAM",), "Mong": ("MONGOLIAN",),
    "Mymr": ("MYANMAR",), "Nkoo": ("NKO",), "Olck": ("OL CHIKI",), "Orya": ("ORIYA",), "Sinh": ("SINHALA",),
    "Syrc": ("SYRIAC",), "Taml": ("TAMIL",), "Telu": ("TELUGU",), "Tfng": ("TIFINAGH",), "Thaa": ("THAANA",),
    "Thai": ("THAI",), "Tibt": ("TIBETAN",),
}  # fmt: skip

# A row may quote a name in another script; most of its letters are its own.
_MIN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Suspect:
    """A row that is left out of the figures, unless they are asked to keep it.

    Attributes:
        key: The text it belongs to.
        row: Its index, from 0.
        reason: Why.
        text: The row.
    """

    key: str
    row: int
    reason: Reason
    text: str

    def to_dict(self) -> dict[str, object]:
        """Returns all of it as JSON can hold it."""
        return {"key": self.key, "row": self.row, "reason": self.reason, "text": self.text}


def find_suspects(text: SampleText, reference: SampleText | None) -> Iterator[Suspect]:
    """Finds the rows of a text that are not what they should be; only parallel texts are looked at.

    A row is the same as the reference's if both, without outer white space, are equal and have a letter: a number is the
    same everywhere. It is in the wrong script if less than half of its letters are of the text's script.

    Args:
        text: The text.
        reference: The text that it is a translation of.

    Yields:
        The rows, in order, each for the first reason that holds.
    """
    if not text.is_parallel:
        return
    for at, row in enumerate(text.rows):
        reason = _reason(row.strip(), at, text, reference)
        if reason is not None:
            yield Suspect(text.key, at, reason, row)


def script_share(row: str, script: str) -> float | None:
    """The share of a row's letters that a script has; None where the row has no letters, or the script is unknown.

    Examples:
        >>> script_share("Привет, Linux", "Cyrl"), script_share("1969", "Latn")
        (0.5454545454545454, None)
    """
    names = _NAMES.get(script)
    letters = [character for character in row if unicodedata.category(character)[0] == "L"]
    if names is None or not letters:
        return None
    return sum(_is_of(character, names) for character in letters) / len(letters)


def _reason(row: str, at: int, text: SampleText, reference: SampleText | None) -> Reason | None:
    if not row:
        return "empty"
    is_reference = reference is None or reference.key == text.key or at >= len(reference.rows)
    if not is_reference and reference is not None and row == reference.rows[at].strip() and _has_letter(row):
        return "same-as-reference"
    share = None if text.script is None else script_share(row, text.script)
    return "wrong-script" if share is not None and share < _MIN_SHARE else None


def _is_of(character: str, names: tuple[str, ...]) -> bool:
    name = unicodedata.name(character, "").removeprefix("HALFWIDTH ").removeprefix("FULLWIDTH ")
    # Modifier letters stand beside letters of many scripts.
    return name.startswith((*names, "MODIFIER"))


def _has_letter(row: str) -> bool:
    return any(unicodedata.category(character)[0] == "L" for character in row)
