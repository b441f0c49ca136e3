"""The way to a tokenizer, by its name or its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._files.load import load_native
from piecework._tokenizer.tokenizer import Tokenizer
from piecework.errors import UnknownTokenizerError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from piecework._types import Basis

__all__ = ["load", "load_or_assume"]


def load(
    source: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Loads a tokenizer. Never touches the network.

    Args:
        source: A model's or an encoding's name (`"gpt-4o"`, `"o200k_base"`, `"Qwen/Qwen3-8B"`); or a path: a
            tokenizer.json (byte-level BPE), a .tiktoken file, a folder that holds a tokenizer.json. A str is a path if it
            begins with `.`, `/` or `~`, ends in the suffix of a tokenizer file, or holds a separator and exists.
        pattern: For a .tiktoken file of ranks that are not a known encoding's: the regular expression that cuts text into
            pretokens. A known one needs none.
        special_tokens: For such a file: its special tokens, content to id.

    Returns:
        The tokenizer. The same name gives tokenizers that share their memory.

    Raises:
        UnknownTokenizerError: No bundled tokenizer and no known model has the name; `close_matches` has the likely ones.
        FormatError: The file does not hold what its format requires, or holds what is not supported.
        LoadError: There is no such file, or it cannot be read; or a .tiktoken file needs `pattern`.

    Examples:
        >>> import piecework as pw
        >>> pw.load("gpt-4o").name, pw.load("gpt-4o-2024-08-06") == pw.load("o200k_base")
        ('o200k_base', True)
        >>> pw.load("gpt-4p")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        piecework.errors.UnknownTokenizerError: ...

    Complexity: O(size of the vocabulary); a bundled name is read once in a process.
    """
    loaded = load_native(source, pattern=pattern, special_tokens=special_tokens)
    return Tokenizer(loaded.native, loaded.name, is_bundled=loaded.is_bundled)


def load_or_assume(
    model: str | os.PathLike[str] | Tokenizer, *, assume: str | os.PathLike[str] | Tokenizer | None
) -> tuple[Tokenizer, Basis]:
    """The tokenizer of a model, and what its counts are worth.

    Returns:
        The model's own tokenizer and `"exact"`, or the assumed one and `"estimate"` where the name is unknown.

    Raises:
        UnknownTokenizerError: The name is unknown and nothing is assumed.
    """
    if isinstance(model, Tokenizer):
        return model, "exact"
    try:
        return load(model), "exact"
    except UnknownTokenizerError:
        if assume is None:
            raise
    return (assume if isinstance(assume, Tokenizer) else load(assume)), "estimate"
