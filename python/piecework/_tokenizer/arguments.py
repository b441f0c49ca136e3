"""Arguments that the native module would refuse less clearly."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._types import Text

__all__ = ["check_limit", "check_side", "check_threads", "check_trusted", "text_sequence"]


def check_limit(max_tokens: int) -> None:
    """Raises ValueError for a negative limit, TypeError for one that is no integer."""
    if operator.index(max_tokens) < 0:
        raise ValueError(f"max_tokens is {max_tokens}; it must be at least 0")


def check_side(side: str) -> None:
    """Raises ValueError for a side that a text does not have."""
    if side not in {"left", "right"}:
        raise ValueError(f'side is {side!r}; it is "left" or "right"')


def check_threads(n_threads: int | None) -> None:
    """Raises ValueError for fewer threads than one, TypeError for a number that is no integer."""
    if n_threads is not None and operator.index(n_threads) < 1:
        raise ValueError(f"n_threads is {n_threads}; it must be at least 1, or None for all cores")


def check_trusted(
    trusted: Sequence[tuple[int, int]] | None, special: str
) -> Sequence[tuple[int, int]] | None:
    """Returns the ranges, or raises ValueError where they would have no effect."""
    if trusted is not None and special != "parse":
        raise ValueError('trusted= says where control tokens may match, so it needs special="parse"')
    return trusted


def text_sequence(texts: Sequence[Text]) -> Sequence[Text]:
    """Returns the texts as a sequence; raises TypeError for one text, whose characters are hardly meant."""
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise TypeError(f"a batch is a sequence of texts, not one {type(texts).__name__}")
    return texts if isinstance(texts, list | tuple) else list(texts)
