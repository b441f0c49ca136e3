"""The stages around a trained model, as tokenizer.json writes them: by a name or a regular expression."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from piecework.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "NORMALIZERS",
    "PRE_TOKENIZERS",
    "decoder_of",
    "doubtful_name",
    "marker_stages",
    "normalizer_of",
    "pre_tokenizer_of",
    "stages_file",
]

_TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CL100K = rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{_TAIL}"

# Names of encodings, and their patterns as published files of tokenizers write them.
PRE_TOKENIZERS: Mapping[str, str] = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k_base": _CL100K,
    "llama3": _CL100K,
    "qwen3": rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{_TAIL}",
    "o200k_base": (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|"
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTIONS}?|\p{{N}}{{1,3}}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

NORMALIZERS: Mapping[str, str] = {
    "nfc": "NFC",
    "nfd": "NFD",
    "nfkc": "NFKC",
    "nfkd": "NFKD",
    "lowercase": "Lowercase",
    "strip-accents": "StripAccents",
}

# What looks like a name; as a pattern it would find that very word and nothing else.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]+")

Stage = dict[str, Any]


def _sequence(kind: str, stages: list[Stage]) -> Stage | None:
    if len(stages) > 1:
        return {"type": "Sequence", kind: stages}
    return stages[0] if stages else None


def pre_tokenizer_of(pre_tokenizer: str | None, *, is_bytes: bool) -> Stage | None:
    """The pre-tokenizer: a name's pattern, `whitespace`, or a regular expression; None cuts nothing.

    Examples:
        >>> pre_tokenizer_of("whitespace", is_bytes=False)
        {'type': 'WhitespaceSplit'}
    """
    stages: list[Stage] = []
    if pre_tokenizer == "whitespace":
        stages.append({"type": "WhitespaceSplit"})
    elif pre_tokenizer is not None:
        pattern = PRE_TOKENIZERS.get(pre_tokenizer, pre_tokenizer)
        stages.append(
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        )
    if is_bytes:
        stages.append(
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
        )
    return _sequence("pretokenizers", stages)


def doubtful_name(pre_tokenizer: str | None) -> str | None:
    """What to say of a pattern that is more likely a name with a mistake in it; None where nothing is wrong.

    Examples:
        >>> doubtful_name("qwen2")
        "pre_tokenizer='qwen2' is no name that is known: it is taken as a regular expression; did you mean qwen3?"
        >>> doubtful_name("qwen3") is doubtful_name("[a-z]+") is None
        True
    """
    names = [*PRE_TOKENIZERS, "whitespace"]
    if pre_tokenizer is None or pre_tokenizer in ("default", *names) or not _NAME.fullmatch(pre_tokenizer):
        return None
    close = get_close_matches(pre_tokenizer.lower(), names, n=1)
    meant = f"did you mean {close[0]}?" if close else f"the names are {', '.join(names)}"
    return f"pre_tokenizer={pre_tokenizer!r} is no name that is known: it is taken as a regular expression; {meant}"


def normalizer_of(normalizer: str | Iterable[str] | None) -> Stage | None:
    """The normalizers by their names, in order.

    Raises:
        ValueError: A name is none of them.
    """
    names = [] if normalizer is None else [normalizer] if isinstance(normalizer, str) else list(normalizer)
    for name in names:
        if name not in NORMALIZERS:
            raise ArgumentError(f"normalizer is one of {', '.join(NORMALIZERS)}, not {name!r}")
    return _sequence("normalizers", [{"type": NORMALIZERS[name]} for name in names])


def marker_stages(normalizer: Stage | None, marker: str) -> Stage | None:
    """The normalizer, followed by one that puts `marker` behind each word."""
    mark = {"type": "Replace", "pattern": {"Regex": r"(?<=\S)(?!\S)"}, "content": marker}
    stages = [] if normalizer is None else [normalizer]
    return _sequence("normalizers", [*stages, mark])


def decoder_of(*, is_bytes: bool, is_spaced: bool, prefix: str | None, suffix: str | None) -> Stage | None:
    """The decoder that puts pieces together again, as far as they tell where words end.

    Args:
        is_bytes: Whether pieces are bytes in the display alphabet.
        is_spaced: Whether white space was dropped; pieces are then joined by spaces, unless they say more.
        prefix: What stands before a piece inside a word.
        suffix: What stands after a word's last piece.
    """
    if is_bytes:
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    if suffix:
        return {"type": "BPEDecoder", "suffix": suffix}
    if prefix:
        return {"type": "WordPiece", "prefix": prefix, "cleanup": False}
    return None if is_spaced else {"type": "Fuse"}


def stages_file(normalizer: dict[str, Any] | None, pre_tokenizer: dict[str, Any] | None) -> bytes:
    """A tokenizer.json with nothing but what stands before the model."""
    model = {"type": "BPE", "vocab": {}, "merges": []}
    file = {"version": "1.0", "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model}
    return json.dumps(file).encode()
