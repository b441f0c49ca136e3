"""The formats that are read, one row each: by what a file holds, since names mislead (Llama 3's `tokenizer.model` holds ranks)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from piecework import _core
from piecework.errors import FormatError

__all__ = ["Part", "kind_of", "open_parts", "readable_kinds"]

_READ_HERE = (
    "tokenizer.json, .tiktoken, SentencePiece .model, tekken.json, vocab.json with merges.txt, WordPiece vocab.txt and "
    "GGUF files are read"
)


class Part(NamedTuple):
    """One file of a tokenizer: its bytes, and what it is by them."""

    kind: str
    data: bytes


# How each kind is opened: the constructor of the native class, and whether it takes the text of a tokenizer_config.json.
# (.tiktoken files also take a pattern, and a vocab.json needs its merges.txt: see `open_parts`.)
_CONSTRUCTORS: Mapping[str, tuple[str, bool]] = {
    "tokenizer-json": ("from_tokenizer_json", False),
    "sentencepiece": ("from_sentencepiece", False),
    "tekken": ("from_tekken", False),
    "gguf": ("from_gguf", False),
    "vocab-txt": ("from_wordpiece", True),
    "pack": ("from_pack", False),
    "definition": ("from_definition", False),
}
_PAIR = "from_vocab_merges"


def kind_of(data: bytes) -> str:
    r"""The short name of what a file's bytes are.

    Examples:
        >>> kind_of(b"IQ== 0\nIg== 1\n"), kind_of(b'{"model": {"type": "BPE"'), kind_of(b"")
        ('tiktoken', 'tokenizer-json', 'empty')
    """
    return _core.detect(data)[0]


def readable_kinds() -> frozenset[str]:
    """The kinds of which a file alone, or with its other half, is a tokenizer."""
    return frozenset({*_CONSTRUCTORS, "tiktoken", "vocab-json", "merges-txt"})


def open_parts(
    parts: tuple[Part, ...],
    *,
    config: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> _core.Tokenizer:
    """Opens a tokenizer of one file, or of a vocab.json and its merges.txt.

    Args:
        parts: The file, or the two files in this order.
        config: The text of the tokenizer_config.json beside it, for the formats that say little about themselves.
        pattern: For ranks: the regular expression that cuts text into pretokens.
        special_tokens: For ranks: the special tokens, content to id.

    Raises:
        FormatError: A file does not hold what its format requires, is of no format that is read here, or lacks its other
            half.
    """
    first = parts[0]
    if first.kind == "tiktoken":
        tokens = None if special_tokens is None else dict(special_tokens)
        return _core.Tokenizer.from_tiktoken(first.data, pattern=pattern, special_tokens=tokens)
    if first.kind == "vocab-json" and len(parts) == 2:
        return _constructor(_PAIR, first)(first.data, parts[1].data, config or "")
    found = _CONSTRUCTORS.get(first.kind)
    if found is None:
        raise _refused(first)
    name, takes_config = found
    construct = _constructor(name, first)
    return construct(first.data, config or "") if takes_config else construct(first.data)


def _constructor(name: str, part: Part) -> Callable[..., _core.Tokenizer]:
    construct: Callable[..., _core.Tokenizer] | None = getattr(_core.Tokenizer, name, None)
    if construct is None:
        looks_like = _core.detect(part.data)[1]
        reason = f"this looks like {looks_like}, which this build does not read"
        raise FormatError(reason, place="file", reason=reason)
    return construct


def _refused(part: Part) -> FormatError:
    looks_like = _core.detect(part.data)[1]
    other = {"vocab-json": "merges.txt", "merges-txt": "vocab.json"}.get(part.kind)
    hint = None
    if other is not None:
        hint = f"load the folder that holds both, or put {other} beside it"
    reason = f"this looks like {looks_like}; {_READ_HERE}"
    return FormatError(reason, place="byte 0", reason=reason, hint=hint)
