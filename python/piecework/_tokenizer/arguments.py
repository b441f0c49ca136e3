"""Arguments that the native module would refuse less clearly."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._types import Special, Text

__all__ = ["check_ids", "check_limit", "check_side", "check_threads", "check_trusted", "text_sequence"]


def check_limit(number: int, name: str = "max_tokens") -> int:
    """Returns a limit, or another number of things, that fits a machine word.

    Raises:
        ValueError: It is negative; the message has the argument's name.
        TypeError: It is no integer.
    """
    limit = operator.index(number)
    if limit < 0:
        raise ValueError(f"{name} is {number}; it must be at least 0")
    return min(limit, sys.maxsize)


def check_side(side: str) -> None:
    """Raises ValueError for a side that a text does not have."""
    if side not in {"left", "right"}:
        raise ValueError(f'side is {side!r}; it is "left" or "right"')


def check_threads(n_threads: int | None) -> int | None:
    """Returns a number of threads that fits a machine word, or None.

    Raises:
        ValueError: It is less than 1.
        TypeError: It is no integer.
    """
    if n_threads is None:
        return None
    number = operator.index(n_threads)
    if number < 1:
        raise ValueError(f"n_threads is {n_threads}; it must be at least 1, or None for all cores")
    return min(number, 0xFFFF)


def check_trusted(
    trusted: Sequence[tuple[int, int]] | None, special: Special
) -> Sequence[tuple[int, int]] | None:
    """Returns the ranges, ends beyond the text included.

    Raises:
        ValueError: They would have no effect, or the end of one is before its start.
        TypeError: They are no pairs of integers.
    """
    if trusted is None:
        return None
    if special != "parse":
        raise ValueError('trusted= says where control tokens may match, so it needs special="parse"')
    try:
        return [_range(item) for item in trusted]
    except TypeError as error:
        # Not a sequence at all, or one of other things: the same mistake to whoever made it.
        raise TypeError(_not_ranges(trusted)) from error


def _range(item: Sequence[int]) -> tuple[int, int]:
    # The two bytes of b"ab" would pass as a pair of integers.
    if isinstance(item, bytes | bytearray) or len(item) != 2:
        raise TypeError("no pair")
    start, end = map(operator.index, item)
    if not 0 <= start <= end:
        raise ValueError(f"trusted= holds ({start}, {end}), which is no half-open range")
    return start, min(end, sys.maxsize)


def _not_ranges(trusted: object) -> str:
    shown = repr(trusted)
    cut = shown if len(shown) <= 60 else f"{shown[:60]}…"
    return f"trusted= is a list of (start, end) positions in the text, such as [(0, 12)], not {cut}"


def check_ids(ids: Sequence[int]) -> Sequence[int]:
    """Returns ids; raises TypeError for text and bytes, whose items are hardly meant as ids, and for a matrix of them."""
    if isinstance(ids, str | bytes | bytearray):
        raise TypeError(f"ids are integers, not a {type(ids).__name__}")
    n_dimensions = getattr(ids, "ndim", 1)
    if n_dimensions != 1:
        raise TypeError(
            f"ids are one row, not an array of {n_dimensions} dimensions; decode its rows one by one"
        )
    return ids


def text_sequence(texts: Sequence[Text]) -> Sequence[Text]:
    """Returns the texts as a sequence, or as Arrow's strings; raises TypeError for one text, whose characters are hardly meant."""
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise TypeError(f"a batch is a sequence of texts, not one {type(texts).__name__}")
    if isinstance(texts, list | tuple) or hasattr(texts, "__arrow_c_array__"):
        return texts
    return texts if hasattr(texts, "__arrow_c_stream__") else list(texts)
