"""What words cost: fertility, and the share of words that are split.

Source: Ács 2019, "Exploring BERT's Vocabulary" (fertility; share of continued words); Rust et al. 2021, "How Good is Your
Tokenizer?", section 3.2.2.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise, starmap
from operator import le
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework._measure.words import Span

__all__ = ["n_cut_words", "n_split_words", "tokens_of_words"]


def tokens_of_words(words: Sequence[Span], tokens: Sequence[Span]) -> list[int]:
    """Counts for each word the tokens that have a byte of it, in its place in the text.

    The space before a word belongs to no word, the token that holds both to the word. A token over several words counts
    for each of them. Fertility itself is tokens over words, all tokens of the text above; a word is split if it has more
    than one.

    Args:
        words: Byte spans of words, in order, none within another.
        tokens: Byte spans of tokens.

    Examples:
        >>> tokens_of_words([(0, 1), (2, 8)], [(0, 1), (1, 5), (5, 8)])
        [1, 2]

    Complexity: O(tokens log words).
    """
    counts = [0] * len(words)
    ends = [end for _, end in words]
    for start, end in tokens:
        at = bisect_right(ends, start)
        while at < len(words) and words[at][0] < end and start < end:
            counts[at] += 1
            at += 1
    return counts


def n_cut_words(words: Sequence[Span], ends: Sequence[int]) -> int:
    """Counts the words of more than one token in a row whose tokens are its bytes: those with a cut inside.

    Args:
        words: Byte spans of words, in order.
        ends: The byte at which each token ends, in order, the last one at the end of the row.

    Examples:
        >>> n_cut_words([(0, 1), (2, 8)], [1, 5, 8])
        1

    Complexity: O(words log tokens).
    """
    return sum(ends[bisect_right(ends, start)] < end for start, end in words)


def n_split_words(words: Sequence[Span], tokens: Sequence[Span]) -> int:
    """Counts the words of more than one token, wherever the tokens stand.

    Args:
        words: Byte spans of words, in order.
        tokens: Byte spans of tokens.

    Examples:
        >>> n_split_words([(0, 1), (2, 8)], [(0, 1), (1, 5), (5, 5), (5, 8)])
        1

    Complexity: O(words log tokens) where tokens are in order, as they are but for rare normalizers.
    """
    starts, ends = (
        [start for start, end in tokens if start < end],
        [end for start, end in tokens if start < end],
    )
    if not (all(starmap(le, pairwise(starts))) and all(starmap(le, pairwise(ends)))):
        return sum(n > 1 for n in tokens_of_words(words, tokens))
    # Those that touch a word stand in a row: behind all that end before it, before all that start behind it.
    return sum(bisect_left(starts, end) - bisect_right(ends, start) > 1 for start, end in words)
