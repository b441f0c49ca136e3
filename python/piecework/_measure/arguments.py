"""What callers pass to a comparison, checked for its type: a message with the argument's name in place of one from inside."""

from __future__ import annotations

import operator
from collections.abc import Collection

__all__ = ["check_keys", "whole_number"]


def check_keys(name: str, keys: object) -> None:
    """Checks that an argument is several keys; one str would be taken for its characters.

    Raises:
        TypeError: It is not.

    Examples:
        >>> check_keys("worst", ["hi"])
    """
    if isinstance(keys, str | bytes) or not isinstance(keys, Collection):
        raise TypeError(f"{name} is a list of keys, such as ['hi'], not {type(keys).__name__}")
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(f"{name} is a list of str; a {type(key).__name__} is in it")


def whole_number(name: str, number: object) -> int:
    """An argument as an int.

    Raises:
        TypeError: It is none.

    Examples:
        >>> whole_number("seed", 7)
        7
    """
    try:
        return operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(number).__name__}") from None
