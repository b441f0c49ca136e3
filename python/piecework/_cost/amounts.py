"""Exact decimal arithmetic for money, and how amounts are written: a price is what its digits say, never a binary fraction."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, InvalidOperation
from numbers import Integral
from typing import TypeAlias

from piecework.errors import CostError

__all__ = ["EXACT", "Amount", "add_up", "exact", "less", "plain", "usd", "whole"]

Amount: TypeAlias = Decimal | int | float | str
"""A number as a caller writes it; a float is read as the digits that it is printed with."""

EXACT = Context(prec=60)
"""Whatever context the caller has set, sums of prices and tokens lose no digit in this one."""

_MAX_DIGITS = 15
_MAX_CHARS = 64
_MOST_TOKENS = 10**15
_SHORT_DECIMALS = 8
_SIGNIFICANT = 4


def exact(value: Amount, name: str) -> Decimal:
    """Reads a number that is not negative.

    Args:
        value: The number.
        name: What it is, for the message.

    Raises:
        CostError: It is negative, not finite, or no number; or has more than 15 digits before or behind the point.
        TypeError: It is of another type.

    Examples:
        >>> exact(0.1, "input") + exact("0.2", "input")
        Decimal('0.3')
    """
    if isinstance(value, bool) or not isinstance(value, Decimal | int | float | str):
        raise TypeError(f"{name} is a number (int, float, Decimal or its digits), not {type(value).__name__}")
    try:
        # Long digits are refused before they are read: reading them takes the square of their number.
        # A float of NumPy's is a float too, and prints itself otherwise.
        is_long = isinstance(value, int | str) and _n_digits(value) > _MAX_CHARS
        number = (
            Decimal("nan")
            if is_long
            else Decimal(float.__repr__(value) if isinstance(value, float) else value)
        )
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or number < 0:
        shown = str(value)[:_MAX_CHARS] if not isinstance(value, int) else "of more than 64 digits"
        raise CostError(
            f"{name} is {shown if not number.is_finite() else number}, and a number from 0 on is needed"
        )
    # The size is looked at first: a far exponent would overflow, or become a zero.
    is_near = not number or -_MAX_DIGITS <= number.adjusted() < _MAX_DIGITS
    if not is_near or -int(number.normalize(EXACT).as_tuple().exponent) > _MAX_DIGITS:
        raise CostError(
            f"{name} is {value!s:.64}, and at most {_MAX_DIGITS} digits before and behind the point are read"
        )
    return Decimal(plain(number))


def _n_digits(value: int | str) -> int:
    return len(value) if isinstance(value, str) else value.bit_length() // 3


def less(amount: Decimal, other: Decimal) -> Decimal:
    """A difference that loses no digit, without zeros at its end."""
    return Decimal(plain(EXACT.subtract(amount, other)))


def add_up(amounts: Iterable[Decimal]) -> Decimal:
    """A sum that loses no digit, without zeros at its end.

    Examples:
        >>> add_up([Decimal("0.10"), Decimal("0.200")])
        Decimal('0.3')
    """
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return Decimal(plain(total))


def whole(value: object, name: str, *, least: int = 0) -> int:
    """Reads a whole number of tokens, requests or turns.

    Raises:
        CostError: It is below `least`, or over 10^15.
        TypeError: It is not a whole number.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}")
    number = int(value)
    if not least <= number <= _MOST_TOKENS:
        # The digits of a very large number are not written: that takes the square of their number.
        shown = (
            f"{number:,}" if abs(number) <= _MOST_TOKENS else "over 10^15" if number > 0 else "under -10^15"
        )
        raise CostError(f"{name} is {shown}, and a whole number from {least} to 10^15 is needed")
    return number


def plain(number: Decimal) -> str:
    """A number's digits without an exponent and without zeros at the end.

    Examples:
        >>> plain(Decimal("0.01200")), plain(Decimal("1E+3"))
        ('0.012', '1000')
    """
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def usd(amount: Decimal) -> str:
    """An amount as a person reads it: exact where that takes at most eight decimals, else with four significant digits.

    Examples:
        >>> usd(Decimal("0.0135")), usd(Decimal("13500")), usd(Decimal("0.00000012345678")), usd(Decimal("0.0000125"))
        ('$0.0135', '$13,500.00', '$0.0000001235', '$0.0000125')
    """
    n_decimals = len(plain(amount).partition(".")[2])
    if n_decimals > _SHORT_DECIMALS:
        last = max(_SIGNIFICANT - 1 - amount.adjusted(), 2)
        rounded = EXACT.quantize(amount, Decimal(1).scaleb(-last, EXACT))
        n_decimals = len(plain(rounded).partition(".")[2])
    return f"${amount:,.{max(n_decimals, 2)}f}"
