"""Texts as str, whichever way they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework.errors import NotUnicodeError

if TYPE_CHECKING:
    from piecework._types import Errors, Text

__all__ = ["decoded"]


def decoded(text: Text, errors: Errors = "strict") -> str:
    r"""A text as str; a str as it is.

    Args:
        text: A str, or its UTF-8 bytes.
        errors: Bytes that are not UTF-8: `"strict"` raises, `"replace"` reads U+FFFD.

    Raises:
        NotUnicodeError: `errors="strict"`, and the bytes are not UTF-8; `index` is the first such byte.

    Examples:
        >>> decoded(b"caf\xc3\xa9"), decoded("x"), decoded(b"\xff", "replace")
        ('café', 'x', '�')
    """
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise NotUnicodeError(f"the input is not UTF-8 at byte {error.start}", index=error.start) from None
