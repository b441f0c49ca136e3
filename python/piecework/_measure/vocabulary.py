"""How a text uses a vocabulary: coverage, vocabulary use, and Rényi efficiency."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from piecework._measure.row import character_at

if TYPE_CHECKING:
    from piecework._measure.row import Row
    from piecework._measure.words import Span

__all__ = ["ORDER", "n_covered", "n_covered_by_cuts", "renyi_efficiency", "vocabulary_use"]

ORDER = 2.5
"""The order of Rényi efficiency that went best with the quality of translation in the paper that proposed it."""


def n_covered(row: Row, tokens: Sequence[Span], is_unknown: Sequence[bool]) -> int:
    """Counts the characters that stand whole in a token which is not the unknown one.

    Coverage is their share of all characters but white space. A character of the unknown token is lost; one that is cut
    into bytes is kept, but the vocabulary does not have it.

    Source: "Character coverage" of Kudo & Richardson 2018, "SentencePiece", as met on a text in place of demanded of one.

    Args:
        row: The text.
        tokens: Byte spans of its tokens.
        is_unknown: For each token whether it is the unknown one.
    """
    data = row.data
    if len(data) == len(row.text) and not any(is_unknown):
        return row.n_visible
    spans = list(zip(tokens, is_unknown, strict=True))
    cuts = {at for (start, end), unknown in spans if start < end and not unknown for at in (start, end)}
    missed = {character_at(data, at) for at in cuts if at < len(data) and 0x80 <= data[at] < 0xC0}
    for (start, end), unknown in spans:
        if unknown:
            missed.update(at for at in range(start, end) if not 0x80 <= data[at] < 0xC0)
    return row.n_visible - len(missed - row.spaces)


def n_covered_by_cuts(row: Row, inside: Iterable[int]) -> int:
    """The same of a row whose tokens are its bytes, none of them unknown.

    Args:
        row: The text.
        inside: The bytes at which it is cut that are inside a character.
    """
    return row.n_visible - len({character_at(row.data, at) for at in inside} - row.spaces)


def vocabulary_use(ids: Iterable[int], n_tokens: int) -> float:
    """The share of a vocabulary that occurs in a text; it grows with the text's length.

    Examples:
        >>> vocabulary_use([7, 7, 9], 8)
        0.25
    """
    return len(set(ids)) / n_tokens


def renyi_efficiency(counts: Iterable[int], order: float = ORDER) -> float | None:
    """How evenly a text uses the tokens that occur in it: Rényi entropy over its greatest possible value.

    H(order) = log2(sum of p^order) / (1 - order), over log2 of the number of different tokens that occur. 1 is an even
    use; it falls as few tokens make up most of the text.

    Source: Zouhar et al. 2023, "Tokenization and the Noiseless Channel".

    Args:
        counts: How often each token occurs; none is 0.
        order: Above 0 and not 1.

    Returns:
        From 0 to 1; None where fewer than two tokens occur, whose greatest entropy is 0.

    Examples:
        >>> renyi_efficiency([3, 3, 3, 3]), renyi_efficiency([9])
        (1.0, None)
    """
    found = list(counts)
    if len(found) < 2:
        return None
    total = sum(found)
    entropy = math.log2(sum((n / total) ** order for n in found)) / (1 - order)
    return entropy / math.log2(len(found))
