"""Numbers and choices that callers give to budgets and packing, checked where they come in."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from piecework.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["choice", "token_number"]

_MOST = 10**15


def token_number(name: str, value: object, *, least: int = 0) -> int:
    """A number of tokens, or of pieces.

    Args:
        name: What it is, for messages about it.
        value: What was given.
        least: The least that it may be.

    Raises:
        TypeError: It is no whole number.
        BudgetError: It is less than `least`, or larger than any window.

    Examples:
        >>> token_number("answer", 768)
        768
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]  # that is asked here
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} is a whole number, not {value!r:.40}")
    if number > _MOST:
        raise BudgetError(f"{name} is larger than any window")
    if number < least:
        raise BudgetError(f"{name} is {number:,}, and cannot be less than {least:,}")
    return number


def choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuses a choice that does not exist.

    Raises:
        ValueError: `value` is none of `choices`.
    """
    if value not in choices:
        raise ValueError(f"{name} is {' or '.join(map(repr, choices))}, not {value!r:.40}")
