"""How a number falls into tokens: digits that are grouped from the left mean other places in a longer number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from piecework._explain.digits import digits_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._explain.quirks.record import Quirk
    from piecework._explain.quirks.subject import Subject

__all__ = ["candidates", "measure"]

_RUN = re.compile(r" ?\d{2,}")


def candidates(subject: Subject) -> Iterator[tuple[int, int]]:
    """The runs of two digits and more, each with the space before it."""
    for found in _RUN.finditer(subject.text):
        yield found.span()


def measure(subject: Subject, span: tuple[int, int]) -> Quirk | None:
    """Compares a number with itself without a space that nothing stands before, or with separators."""
    run = subject.text[slice(*span)]
    digits = run.lstrip(" ")
    if len(subject.touching(span)) == 1:
        return None
    advice = "where digits matter one by one, or sums must come out, let code compute; round what need not be exact"
    alternative = None
    # Between two words, the number without its space would be part of the first.
    has_free_space = run != digits and (span[0] == 0 or subject.text[span[0] - 1].isspace())
    if has_free_space:
        alternative = digits
    elif len(digits) > 3 and digits.isascii():
        is_plain = len(digits) < 100 and digits[0] != "0"
        alternative = f"{run[: -len(digits)]}{int(digits):,}" if is_plain else None
    rule = digits_rule(subject.native)
    says = f"digits are cut {rule}" if rule != "not cut" else "digits are not cut apart before the model"
    return subject.quirk("digits", span, alternative=alternative, says=says, advice=advice)
