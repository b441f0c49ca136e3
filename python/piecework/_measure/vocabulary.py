"""How a text uses a vocabulary: coverage, vocabulary use, and Rényi efficiency."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._measure.row import Row
    from piecework._measure.words import Span

__all__ = ["ORDER", "n_covered", "renyi_efficiency", "vocabulary_use"]

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
    cuts, lost = set[int](), set[int]()
    for (start, end), unknown in zip(tokens, is_unknown, strict=True):
        if unknown:
            lost.update(range(start, end))
        elif start < end:
            cuts.update((start, end))
    characters = zip(row.text, row.starts, row.starts[1:], strict=False)
    return sum(
        not (character.isspace() or start in lost or any(at in cuts for at in range(start + 1, end)))
        for character, start, end in characters
    )


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
