"""Four characters a token, three words for four tokens: what is left where nothing counts. An estimate, and labelled so."""

from __future__ import annotations

from piecework._cost.amounts import whole
from piecework._counts import Count, Part

__all__ = ["RULE_OF_THUMB", "estimated_words", "rule_of_thumb"]

RULE_OF_THUMB = "rule-of-thumb"
"""The name by which it is asked for in place of a tokenizer."""

_CHARACTERS = 4


def rule_of_thumb(n_characters: int) -> Count:
    """Estimates tokens from characters: ceil(characters / 4), at least 1.

    Examples:
        >>> count = rule_of_thumb(620)
        >>> count.n, count.basis, count.notes
        (155, 'estimate', ('by the same rule 155 tokens are about 116 words',))
        >>> rule_of_thumb(0).n
        1
    """
    n = max(1, -(-whole(n_characters, "n_characters") // _CHARACTERS))
    name = f"rule of thumb: {_CHARACTERS} characters a token"
    return Count(
        n=n,
        basis="estimate",
        tokenizer=name,
        fingerprint="",
        band=None,
        parts=(Part("text", n),),
        notes=(f"by the same rule {n:,} tokens are about {estimated_words(n):,} words",),
    )


def estimated_words(n_tokens: int) -> int:
    """Estimates English words from tokens: three for four tokens.

    Examples:
        >>> estimated_words(1_000)
        750
    """
    return whole(n_tokens, "n_tokens") * 3 // 4
