"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["plural"]


def plural(n: int, noun: str) -> str:
    """A number and a noun that takes an s.

    Examples:
        >>> plural(1, "token"), plural(1_200, "request")
        ('1 token', '1,200 requests')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
