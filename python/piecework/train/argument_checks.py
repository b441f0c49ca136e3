"""Arguments that all trainers check alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from piecework.errors import ArgumentError

__all__ = ["check_limit", "check_text", "specials_of"]


def specials_of(special_tokens: Sequence[str], unk: str | None) -> tuple[str, ...]:
    """The special tokens in order, `unk` first where it is not among them.

    Raises:
        TypeError: They are no strings.
        ValueError: One is empty or given twice.
    """
    if isinstance(special_tokens, str | bytes) or not isinstance(special_tokens, Iterable):
        raise TypeError("special_tokens is a sequence of strings, not one string")
    tokens = tuple(special_tokens)
    met = set()
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"a special token is a str, not {type(token).__name__}")
        check_text("special_tokens", token)
        if token in met:
            raise ArgumentError(f"the special token {token!r} is given twice")
        met.add(token)
    check_text("unk", unk)
    return tokens if unk is None or unk in tokens else (unk, *tokens)


def check_text(name: str, value: object) -> None:
    """Raises where an optional text is none, is empty, or is not Unicode."""
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str or None, not {type(value).__name__}")
    if not value:
        raise ArgumentError(f"{name} is empty: leave it out")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ArgumentError(f"{name} has a lone surrogate: {value!r}")


def check_limit(name: str, value: object, *, smallest: int = 0) -> None:
    """Raises where an optional number is none, or is too small or too large."""
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not smallest <= value < 1 << 63:
        raise ArgumentError(f"{name} is at least {smallest} and below 2**63, not {value}")
