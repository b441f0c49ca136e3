"""What the same meaning costs in each language: parity (premium), and how unequal that is over all of them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["gini", "premium"]


def premium(n_tokens: int, n_reference: int) -> float | None:
    """Tokens of a language relative to those of the reference language, over the same rows: the same meaning.

    Above 1 the language pays more. The ratio is that of the sums, not the mean of the rows' ratios: long rows count as
    long ones.

    Source: Petrov et al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages" (tokenization premium);
    Ahia et al. 2023, "Do All Languages Cost the Same?".

    Returns:
        The ratio; None where the reference has no tokens.

    Examples:
        >>> premium(58, 14)
        4.142857142857143
    """
    return n_tokens / n_reference if n_reference else None


def gini(costs: Sequence[float]) -> float | None:
    """How unequally languages pay: 0 where all pay the same, near 1 where one pays for all.

    G = sum over i of (2i - n - 1) x cost_i / (n x sum of costs), costs ascending, i from 1.

    Source: Gini 1912; as a measure of tokenizers over languages, Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding".

    Args:
        costs: The premium of each language, the reference's 1 among them; scale does not matter.

    Returns:
        From 0 to below 1; None for fewer than two languages.

    Examples:
        >>> gini([1.0, 1.0]), gini([1.0, 3.0])
        (0.0, 0.25)
    """
    n = len(costs)
    if n < 2 or not sum(costs):
        return None
    return sum((2 * at - n - 1) * cost for at, cost in enumerate(sorted(costs), 1)) / (n * sum(costs))
