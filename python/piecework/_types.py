"""The choices that options take, and what a text may be: the words of every signature."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Basis", "Errors", "Side", "Special", "Strategy", "Text"]

Text: TypeAlias = str | bytes
"""A str, or its UTF-8 bytes."""

Special: TypeAlias = Literal["text", "parse", "raise"]
"""What becomes of control tokens that stand in a text: ordinary text, themselves, or an error."""

Errors: TypeAlias = Literal["strict", "replace"]
"""What becomes of broken Unicode: an error, or U+FFFD."""

Side: TypeAlias = Literal["left", "right"]
"""The end of a text that is cut off."""

Strategy: TypeAlias = Literal["longest_first", "only_first", "only_second"]
"""Which of two texts gives up tokens where both together are over the limit."""

Basis: TypeAlias = Literal["exact", "calibrated", "estimate", "lower-bound"]
"""How far a count can be trusted."""
