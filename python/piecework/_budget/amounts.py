"""Numbers of tokens as a person writes them: `400`, `20*205`, `147 + 7*65`."""

from __future__ import annotations

import re

__all__ = ["read_amount"]

_TERM = re.compile(r"\d[\d_,]*(\s*\*\s*\d[\d_,]*)*")
_MAX = 10**12


def read_amount(text: str) -> int | None:
    """Reads a number of tokens.

    Args:
        text: Whole numbers, with `,` or `_` between thousands where wanted, joined by `*` and `+`.

    Returns:
        The number; None where the text is something else, such as a path.

    Raises:
        ValueError: It is larger than any window (10**12).

    Examples:
        >>> read_amount("8,192"), read_amount("147 + 7*65"), read_amount("notes.txt")
        (8192, 602, None)
    """
    terms = [term.strip() for term in text.split("+")]
    if not all(_TERM.fullmatch(term) for term in terms):
        return None
    total = 0
    for term in terms:
        product = 1
        for factor in term.split("*"):
            digits = re.sub(r"[\s_,]", "", factor)
            if len(digits) > len(str(_MAX)):
                raise ValueError(f"{text[:40]} is larger than any window")
            product *= int(digits)
        total += product
    if total > _MAX:
        raise ValueError(f"{text[:40]} is larger than any window")
    return total
