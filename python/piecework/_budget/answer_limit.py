"""The output limit that a request's body has, by the names that OpenAI's and Anthropic's APIs give it."""

from __future__ import annotations

__all__ = ["answer_limit"]

_NAMES = ("max_completion_tokens", "max_output_tokens", "max_tokens")


def answer_limit(body: object) -> int | None:
    """Returns the most tokens that a request lets its answer have; None where it does not say.

    Examples:
        >>> answer_limit({"messages": [], "max_tokens": 300}), answer_limit([])
        (300, None)
    """
    if isinstance(body, dict):
        for name in _NAMES:
            value = body.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                return value
    return None
