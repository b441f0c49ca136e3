"""Characters that are not seen: zero-width, tags, variation selectors, control characters; not those that belong.

Emoji are joined by U+200D and styled by U+FE0F, some scripts need joiners, ideographs have variants: these are left
alone. A tag or a run of selectors or of zero-widths can carry a hidden text, and is read out where it does.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from piecework._safety.collect import Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._safety.finding import Severity

__all__ = ["control_characters", "invisible"]

# Formats, selectors, tags and fillers, without the controls of direction, which `bidi` looks at.
_RUNS: Final = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_MARKS = re.compile("[\u061c\u200e\u200f]+")
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
# England, Scotland, Wales, and other regions of a country: a black flag, two letters and up to three more, an end.
_FLAG = re.compile("[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]+")

_LONG_RUN = 8
_SHOWN_HIDDEN = 80


def invisible(text: str) -> Iterator[Hit]:
    """Yields runs of invisible characters that do not belong where they stand.

    Complexity: O(n_chars).
    """
    is_rtl: bool | None = None
    for found in _RUNS.finditer(text):
        start, end = found.span()
        run = found[0]
        if start == 0 and run == "\ufeff":
            yield Hit("byte-order-mark", "info", (0, 1), "a byte order mark (U+FEFF) opens the text")
        elif _MARKS.fullmatch(run):
            is_rtl = _RIGHT_TO_LEFT.search(text) is not None if is_rtl is None else is_rtl
            yield _mark((start, end), is_rtl=is_rtl)
        elif not _belongs(text, start, end):
            yield _hit(text, start, end)


def control_characters(text: str) -> Iterator[Hit]:
    """Yields control characters other than white space; escapes and backspaces can rewrite what a terminal shows."""
    for found in _CONTROLS.finditer(text):
        rewrites = not {"\x1b", "\x08", "\x9b", "\x7f"}.isdisjoint(found[0])
        names = ", ".join(f"U+{ord(char):04X}" for char in sorted(set(found[0]))[:4])
        what = "can rewrite what a terminal shows" if rewrites else "shows nothing"
        severity: Severity = "medium" if rewrites else "low"
        yield Hit("control-character", severity, found.span(), f"control character {names}: {what}")


def _mark(span: tuple[int, int], *, is_rtl: bool) -> Hit:
    message = "a mark of writing direction" + (
        "" if is_rtl else " in a text that has no script of that direction"
    )
    return Hit("bidi-mark", "info" if is_rtl else "low", span, message)


def _belongs(text: str, start: int, end: int) -> bool:
    """Whether a run is part of how its neighbors are written."""
    run = text[start:end]
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    if before == "\U0001f3f4" and _FLAG.fullmatch(run):
        return True
    if not before:
        return False
    selector, joiner = (run, "") if run[-1] not in "\u200c\u200d" else (run[:-1], run[-1])
    selected = not selector or (len(selector) == 1 and _takes_selector(before, selector))
    return selected and (not joiner or _takes_joiner(before, joiner, after))


def _takes_selector(before: str, selector: str) -> bool:
    category = unicodedata.category(before)
    if "\ufe00" <= selector <= "\ufe0f":
        return category[0] in "SPN" or category == "Lo"
    if "\u180b" <= selector <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    return selector >= "\U000e0100" and category == "Lo"


def _takes_joiner(before: str, joiner: str, after: str) -> bool:
    if joiner == "\u200d" and unicodedata.category(before) in {"So", "Sk"}:
        return bool(after) and unicodedata.category(after) == "So"
    # Arabic and the scripts of India and its neighbors choose letter forms with joiners.
    code = ord(before)
    return (
        0x0600 <= code <= 0x109F
        or 0x1780 <= code <= 0x18AF
        or 0xA800 <= code <= 0xABFF
        or 0x11000 <= code <= 0x11FFF
    )


def _hit(text: str, start: int, end: int) -> Hit:
    run = text[start:end]
    if _TAGS.search(run):
        return Hit("tag-characters", "high", (start, end), f"tag characters{_read_out(_tag_text(run))}")
    selectors = _SELECTORS.fullmatch(run)
    if selectors:
        severity: Severity = "high" if len(run) > 1 else "low"
        message = f"{len(run):,} variation selectors{_read_out(_selector_text(run))}"
        if len(run) == 1:
            message = "a variation selector after a character that has no variants"
        return Hit("variation-selectors", severity, (start, end), message)
    names = ", ".join(f"U+{ord(char):04X}" for char in sorted(set(run))[:4])
    if len(run) >= _LONG_RUN:
        return Hit(
            "invisible-characters",
            "high",
            (start, end),
            f"{len(run):,} invisible characters ({names}) can carry a hidden text",
        )
    inside = start > 0 and end < len(text) and text[start - 1].isalnum() and text[end].isalnum()
    if inside and run != "\xad":
        return Hit(
            "invisible-characters",
            "medium",
            (start, end),
            f"invisible inside a word ({names}): a filter sees another word",
        )
    return Hit("invisible-characters", "low", (start, end), f"invisible ({names})")


def _tag_text(run: str) -> str:
    """What tag characters spell: each is one of ASCII, moved up."""
    return "".join(
        chr(ord(char) - 0xE0000) for char in run[:_SHOWN_HIDDEN] if 0xE0020 <= ord(char) <= 0xE007E
    )


def _selector_text(run: str) -> str:
    """What a run of selectors spells where each stands for a byte: 16 selectors, then 240 more."""
    codes = map(ord, run[: 4 * _SHOWN_HIDDEN])
    data = bytes(code - 0xFE00 if code < 0x10000 else code - 0xE0100 + 16 for code in codes)
    return data.decode("utf-8", "ignore")


def _read_out(hidden: str) -> str:
    shown = "".join(char for char in hidden if char.isprintable())[:_SHOWN_HIDDEN]
    return f" hide the text {shown!r}" if len(shown) > 1 else " can carry a hidden text"
