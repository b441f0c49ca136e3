"""Forbidden phrases, as written, as the tokenizer normalizes them, and as a reader takes them.

Letter case and the amount of white space never matter. Phrases are whole words: `ass` is not in `class`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

from piecework._safety.automaton import Automaton
from piecework._safety.collect import Hit
from piecework._safety.skeleton import is_invisible, looks_like
from piecework._safety.spans import Spans
from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from piecework._safety.normalized import Normalized

__all__ = ["Phrases"]

Span: TypeAlias = tuple[int, int]

_SPACES = re.compile(" {2,}")
# Marks over and under letters of Latin, Greek and Cyrillic; other scripts' marks are vowels.
_ACCENTS = ("\u0300", "\u036f")
# Thai, Lao, Burmese, Khmer, and the scripts of East Asia; Korean writes particles onto words.
_NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
# U+2581 is how many tokenizers write a space.
_SPACE_SIGN = "\u2581"


class Phrases:
    """The phrases that a text must not hold.

    Raises:
        TypeError: They are one str, or not all of them are.
        InputError: A phrase has nothing that could be looked for.
    """

    __slots__ = ("_plain", "_seen")

    def __init__(self, phrases: Sequence[str]) -> None:
        if isinstance(phrases, str) or not all(isinstance(phrase, str) for phrase in phrases):
            raise TypeError("phrases= takes a list of str, each a phrase")
        for phrase in phrases:
            if not _SEEN.fold(phrase).strip():
                raise InputError(
                    f"the phrase {phrase!r} has nothing that could be looked for", reason="empty"
                )
        self._plain = _Search(phrases, _PLAIN)
        self._seen = _Search(phrases, _SEEN)

    def find(self, text: str, normalized: Normalized | None, tokenizer: str) -> Iterator[Hit]:
        """Yields the phrases in a text, and those that only its normalized or its visible form holds.

        Complexity: O(n_chars log n_found).
        """
        found: dict[str, list[Span]] = {}
        for phrase, span in self._plain.find(text):
            found.setdefault(phrase, []).append(span)
            yield Hit("forbidden-phrase", "high", span, f"the forbidden phrase {phrase!r}", phrase)
        forms = {
            f"{tokenizer} normalizes this to the forbidden phrase": self._in_normalized(normalized),
            "a reader sees, in other or with invisible characters, the forbidden phrase": self._seen.find(
                text
            ),
        }
        for says, hits in forms.items():
            for phrase, span in _new(hits, found):
                found.setdefault(phrase, []).append(span)
                yield Hit("hidden-phrase", "high", span, f"{says} {phrase!r}", phrase)

    def _in_normalized(self, normalized: Normalized | None) -> Iterator[tuple[str, Span]]:
        if normalized is not None:
            for phrase, span in self._plain.find(normalized.text):
                yield phrase, normalized.char_span(*span)


def _new(hits: Iterable[tuple[str, Span]], found: dict[str, list[Span]]) -> Iterator[tuple[str, Span]]:
    """Those that are not known."""
    known = {phrase: Spans(spans) for phrase, spans in found.items()}
    none = Spans(())
    return (hit for hit in hits if not known.get(hit[0], none).touch(hit[1]))


class _Search:
    """Phrases in one form, found in texts that are brought to the same form."""

    def __init__(self, phrases: Sequence[str], form: _Form) -> None:
        self._form = form
        self._phrase_of = {folded: phrase for phrase in phrases if (folded := form.fold(phrase).strip())}
        self._automaton = Automaton(self._phrase_of)

    def find(self, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yields (phrase, characters of the text)."""
        folded = self._form.fold(text)
        starts: list[int] = []
        for start, end, found in self._automaton.find(folded):
            if _cuts_word(folded, start) or _cuts_word(folded, end):
                continue
            starts = starts or self._form.starts(text)
            yield self._phrase_of[found], (starts[start], starts[end - 1] + 1)


def _cuts_word(text: str, at: int) -> bool:
    """Whether a place is inside a letter with its marks, or inside a word of a script that has spaces between words."""
    if not 0 < at < len(text):
        return False
    is_mark = unicodedata.category(text[at])[0] == "M"
    return is_mark or (_in_word(text[at - 1]) and _in_word(text[at]))


def _in_word(char: str) -> bool:
    return char.isalnum() and not _NO_SPACES.match(char)


class _Form(dict[int, str]):
    """What each character becomes, for `str.translate`; and then of several spaces one."""

    def __init__(self, of_char: Callable[[str], str]) -> None:
        super().__init__()
        self._of_char = of_char

    def __missing__(self, code: int) -> str:
        char = chr(code)
        value = self[code] = " " if char.isspace() or char == _SPACE_SIGN else self._of_char(char)
        return value

    def fold(self, text: str) -> str:
        """Returns the text in this form."""
        return _SPACES.sub(" ", text.translate(self))

    def starts(self, text: str) -> list[int]:
        """Returns, for each character of the form, the index of the character that it was made from."""
        found: list[int] = []
        after_space = False
        for at, char in enumerate(text):
            for part in self[ord(char)]:
                if not (after_space and part == " "):
                    found.append(at)
                after_space = part == " "
        return found


def _seen_as(char: str) -> str:
    if is_invisible(char) or _ACCENTS[0] <= char <= _ACCENTS[1]:
        return ""
    parts = looks_like(char) or unicodedata.normalize("NFKD", char)
    kept = (part for part in parts if not (is_invisible(part) or _ACCENTS[0] <= part <= _ACCENTS[1]))
    return "".join(looks_like(part) or part for part in kept).casefold()


_PLAIN = _Form(str.casefold)
_SEEN = _Form(_seen_as)
