"""The way to a tokenizer: by its name, its files, or another library's object."""

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
    source: str | os.PathLike[str] | object,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Loads a tokenizer. Never touches the network.

    Args:
        source: One of

            - a model's or an encoding's name: `"gpt-4o"`, `"o200k_base"`, `"Qwen/Qwen3-8B"`;
            - a file, told by what it holds: tokenizer.json, .tiktoken, SentencePiece .model, tekken.json, vocab.json with
              its merges.txt, WordPiece vocab.txt, GGUF;
            - a model's folder: its tokenizer, with what tokenizer_config.json, special_tokens_map.json,
              generation_config.json and the chat template beside it add, as AutoTokenizer does;
            - a repository of the Hugging Face hub, `"org/name"` or `"org/name@revision"`, that is in the local cache
              (`piecework models add` puts it there);
            - a live tokenizer of tokenizers, transformers, tiktoken or sentencepiece.

            A str is a path if it begins with `.`, `/` or `~`, ends in the suffix of a tokenizer file, or holds a
            separator and exists.
        pattern: For a .tiktoken file of ranks that are not a known encoding's: the regular expression that cuts text into
            pretokens. A known one needs none.
        special_tokens: For such a file: its special tokens, content to id.

    Returns:
        The tokenizer. The same name gives tokenizers that share their memory.

    Raises:
        UnknownTokenizerError: No bundled tokenizer, no known model and no repository in the local cache has the name;
            `close_matches` has the likely ones.
        FormatError: The file does not hold what its format requires, or holds what is not supported.
        LoadError: There is no such file, or it cannot be read; or a .tiktoken file needs `pattern`.
        TypeError: The source is neither a name nor a path nor a tokenizer that is known.

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
    if isinstance(source, Tokenizer):
        return source
    loaded = load_native(source, pattern=pattern, special_tokens=special_tokens)
    return Tokenizer(loaded.native, loaded.name, is_bundled=loaded.is_bundled, origin=loaded.origin)


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
