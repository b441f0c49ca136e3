"""Colors of a trace on a terminal: headings and what won stand out, tokens have the colors that `show` gives them."""

from __future__ import annotations

from typing import NamedTuple

from piecework._explain.palette import ANSI_RESET, ansi_style

__all__ = ["COLORED", "PLAIN", "Style"]

_BOLD = "\x1b[1m"


class Style(NamedTuple):
    """How parts of a line are set off."""

    is_colored: bool

    def strong(self, text: str) -> str:
        """Returns text that stands out."""
        return f"{_BOLD}{text}{ANSI_RESET}" if self.is_colored else text

    def token(self, text: str, number: int) -> str:
        """Returns a token's piece on the background of this number."""
        return f"{ansi_style(number)}{text}{ANSI_RESET}" if self.is_colored else text


PLAIN = Style(is_colored=False)
COLORED = Style(is_colored=True)
