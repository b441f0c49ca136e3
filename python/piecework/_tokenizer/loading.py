"""The one way to a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._files.load import load_native
from piecework._tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["load"]


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
