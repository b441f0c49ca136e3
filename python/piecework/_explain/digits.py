"""How digits are cut, measured: a pattern says it in too many ways to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.errors import EncodeError

if TYPE_CHECKING:
    from piecework import _core

__all__ = ["digits_rule"]

_PROBE = "1234567"


def digits_rule(native: _core.Tokenizer) -> str:
    """Says how the pre-tokenizer cuts a run of digits.

    Returns:
        Such as `each alone` or `three at a time, from the left`; `not encoded` for a vocabulary without digits.
    """
    try:
        sections: list[dict[str, Any]] = native.stages(_PROBE, "text", "strict")["sections"]
    except EncodeError:
        return "not encoded"
    counts = [
        n_digits
        for section in sections
        for pretoken in section.get("pretokens", ())
        if (n_digits := sum(char.isdigit() for char in pretoken[1])) > 0
    ]
    return _in_words(counts)


def _in_words(counts: list[int]) -> str:
    r"""The rule that cuts seven digits into so many pieces of so many digits.

    Examples:
        >>> [_in_words(counts) for counts in ([1] * 7, [3, 3, 1], [1, 3, 3], [7], [2, 4, 1])]
        ['each alone', '3 at a time, from the left', '3 at a time, from the right', 'not cut', 'as 2 + 4 + 1']
    """
    if counts == [len(_PROBE)]:
        return "not cut"
    if counts == [1] * len(_PROBE):
        return "each alone"
    size = max(counts, default=0)
    if size > 1 and counts == [size] * (7 // size) + [7 % size] * (7 % size > 0):
        return f"{size} at a time, from the left"
    if size > 1 and counts == [7 % size] * (7 % size > 0) + [size] * (7 // size):
        return f"{size} at a time, from the right"
    return f"as {' + '.join(map(str, counts))}" if counts else "not encoded"
