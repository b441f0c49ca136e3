"""Numbers in their shortest spelling; rounded only where that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal

from piecework._slim.data import Number, Value, decimal_of

__all__ = ["rounded", "shortest"]

_MAX_EXPONENT = 400


def shortest(value: Value) -> Value:
    """The same data with every number in its shortest spelling; one with a fraction keeps one, as `1.0`.

    Examples:
        >>> shortest([Number("1.500"), Number("1.000"), Number("100e2"), Number("0.00001"), Number("12")])
        [Number(1.5), Number(1.0), Number(1e4), Number(1e-5), Number(12)]
    """
    return _each(value, _short)


def rounded(value: Value, n_digits: int) -> Value:
    """Other data: every number with a fraction rounded to so many decimals, halves to the even digit."""
    return _each(value, lambda number: _short(_rounded(number, n_digits)))


def _each(value: Value, change: Callable[[Number], Number]) -> Value:
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    return change(value) if isinstance(value, Number) else value


def _short(number: Number) -> Number:
    if not any(mark in number for mark in ".eE"):
        return number
    exact = decimal_of(number)
    if exact is None:
        return number
    sign, digits, exponent = exact.as_tuple()
    minus = "-" * sign
    text = "".join(map(str, digits)).lstrip("0")
    if not isinstance(exponent, int) or not text:
        return Number(f"{minus}0.0") if not text else number
    stripped = text.rstrip("0")
    exponent += len(text) - len(stripped)
    forms = [f"{minus}{stripped}e{exponent}", str(number)]
    if abs(exponent) < _MAX_EXPONENT:
        forms.append(minus + _plain(stripped, exponent))
    return Number(min(reversed(forms), key=len))


def _plain(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return f"{digits}{'0' * exponent}.0"
    whole = digits[:exponent] or "0"
    return f"{whole}.{digits[exponent:].rjust(-exponent, '0')}"


def _rounded(number: Number, n_digits: int) -> Number:
    if not any(mark in number for mark in ".eE"):
        return number
    exact = decimal_of(number)
    if exact is None or exact.adjusted() > _MAX_EXPONENT:
        return number
    context = Context(prec=max(28, exact.adjusted() + n_digits + 2), rounding=ROUND_HALF_EVEN)
    text = format(exact.quantize(Decimal(1).scaleb(-n_digits), context=context), "f")
    return Number(text if "." in text else f"{text}.0")
