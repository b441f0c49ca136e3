"""Where tokens end that should not: inside a character, or across the groups of a number."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from piecework._measure.row import Row

__all__ = ["DigitCuts", "digit_alignment", "digit_cuts", "n_utf8_crossings"]

_GROUP = 3
_CONTINUATION = bytes(range(0x80, 0xC0))


def n_utf8_crossings(piece_bytes: Sequence[bytes]) -> int:
    r"""Counts the ends of tokens that lie inside a character: the next token starts with a continuation byte of UTF-8.

    The figure is their share of all boundaries between two tokens. Each is a place where a stream has to wait, and a cut
    leaves U+FFFD.

    Args:
        piece_bytes: The bytes of the tokens, in order.

    Examples:
        >>> n_utf8_crossings([b"A", b" \xf0\x9f", b"\x9a", b"\x80"])
        2
    """
    firsts = b"".join([piece[:1] for piece in piece_bytes[1:]])
    return len(firsts) - len(firsts.translate(None, _CONTINUATION))


class DigitCuts(NamedTuple):
    """Boundaries inside of numbers.

    Attributes:
        n_right: Token boundaries at the end of a group of three digits, counted from the right.
        n_found: All token boundaries inside of numbers.
        n_wanted: All ends of groups inside of numbers.
    """

    n_right: int
    n_found: int
    n_wanted: int


def digit_cuts(row: Row, starts: Collection[int]) -> DigitCuts:
    """Counts where tokens cut the runs of digits of a row. A cut inside a digit of several bytes counts nowhere.

    Args:
        row: The text.
        starts: The bytes at which its tokens start, those without bytes aside; a set.
    """
    right = found = wanted = 0
    for digits in row.numbers:
        cuts = {at for at in range(1, len(digits)) if digits[at] in starts}
        groups = {at for at in range(1, len(digits)) if (len(digits) - at) % _GROUP == 0}
        right += len(cuts & groups)
        found += len(cuts)
        wanted += len(groups)
    return DigitCuts(right, found, wanted)


def digit_alignment(cuts: DigitCuts) -> float | None:
    """How well tokens keep the groups of three digits by which place value is read: the F1 of their boundaries.

    F1 is 2 x right / (found + wanted): 1 where numbers are cut at every group from the right and nowhere else, less where
    they are cut from the left (`196|9`) or into single digits.

    Source: Singh & Strouse 2024, "Tokenization counts", on right-to-left groups of three; F1 of boundaries as in
    morphological segmentation.

    Returns:
        From 0 to 1; None where no number has a cut nor a group's end.

    Examples:
        >>> digit_alignment(DigitCuts(n_right=1, n_found=3, n_wanted=1))
        0.5
    """
    total = cuts.n_found + cuts.n_wanted
    return 2 * cuts.n_right / total if total else None
