"""What loading gives, and what no source but ranks takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from piecework.errors import LoadError

if TYPE_CHECKING:
    from piecework import _core
    from piecework._files.origin import Origin

__all__ = ["Loaded", "check_no_pattern"]


class Loaded(NamedTuple):
    """A native tokenizer and where it came from.

    Attributes:
        native: The tokenizer.
        name: The encoding's name for a bundled one, else the path or the name as given.
        is_bundled: Whether any installation of this version has it.
        origin: Where it came from, with what lies beside it.
    """

    native: _core.Tokenizer
    name: str
    is_bundled: bool
    origin: Origin


def check_no_pattern(pattern: str | None, special_tokens: Mapping[str, int] | None, what: str) -> None:
    """Raises LoadError where a pattern or special tokens are given for `what`, which has its own."""
    if pattern is not None or special_tokens is not None:
        raise LoadError(f"pattern= and special_tokens= are for .tiktoken files, and not for {what}")
