"""Colors for tokens: an id has the same color wherever it stands, unless its neighbor has it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "ANSI_RESET",
    "CONTROL_ANSI",
    "CONTROL_CSS",
    "FORGED_CSS",
    "ansi_style",
    "color_numbers",
    "css_style",
]

# Backgrounds light enough for black text, as xterm-256 numbers and as the same colors for pages.
_BACKGROUNDS = (
    (153, "#afd7ff"),
    (223, "#ffd7af"),
    (157, "#afffaf"),
    (218, "#ffafd7"),
    (229, "#ffffaf"),
    (183, "#d7afff"),
    (159, "#afffff"),
    (217, "#ffafaf"),
    (193, "#d7ffaf"),
    (189, "#d7d7ff"),
)
ANSI_RESET = "\x1b[0m"
CONTROL_ANSI = "\x1b[1;97;41m"
CONTROL_CSS = "background:#b00020;color:#fff;font-weight:bold"
FORGED_CSS = ";border-bottom:2px dashed #b00020"


def color_numbers(ids: Iterable[int]) -> Iterator[int]:
    """Yields a palette index for each id: its own, or the next one where the token before has the same.

    Examples:
        >>> first, second, third = color_numbers([7, 7, 7])
        >>> first == third, first == second
        (True, False)
    """
    last = -1
    for token_id in ids:
        # Multiplying spreads ids that lie close together over the palette (Knuth's multiplicative hash).
        number = ((token_id * 2654435761) >> 16) % len(_BACKGROUNDS)
        if number == last:
            number = (number + 1) % len(_BACKGROUNDS)
        yield number
        last = number


def ansi_style(number: int) -> str:
    """Returns the escape sequence that begins a token of this color."""
    return f"\x1b[30;48;5;{_BACKGROUNDS[number][0]}m"


def css_style(number: int) -> str:
    """Returns the inline style of a token of this color."""
    return f"background:{_BACKGROUNDS[number][1]};color:#000"
