"""Ranks that are published without a pattern and told by their hash: what their publisher's own code puts with them.

The ranks themselves are in no pack: a file of them is read as any other. Source: llama_models 0.3.0, llama3/tokenizer.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from piecework import _core
from piecework._files.bundle import FINGERPRINTS, bundled

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LLAMA3_PATTERN", "PUBLISHED", "PublishedRanks", "known_native", "load_call"]

LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)

_LLAMA3_N_RANKS = 128_000
_LLAMA3_N_SPECIAL = 256
_LLAMA3_NAMED = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|step_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
)


class PublishedRanks(NamedTuple):
    """What belongs to ranks.

    Attributes:
        pattern: The regular expression that cuts text into pretokens.
        special_tokens: Content to id.
        roles: Which token is for what, role to content.
    """

    pattern: str
    special_tokens: Mapping[str, int]
    roles: Mapping[str, str]


def _llama3() -> PublishedRanks:
    n_reserved = _LLAMA3_N_SPECIAL - len(_LLAMA3_NAMED)
    # The first two of the reserved ones stand among the named.
    contents = (*_LLAMA3_NAMED, *(f"<|reserved_special_token_{2 + n}|>" for n in range(n_reserved)))
    return PublishedRanks(
        LLAMA3_PATTERN,
        MappingProxyType({content: _LLAMA3_N_RANKS + n for n, content in enumerate(contents)}),
        MappingProxyType(
            {"begin": "<|begin_of_text|>", "end": "<|end_of_text|>", "padding": "<|finetune_right_pad_id|>"}
        ),
    )


PUBLISHED: Mapping[str, PublishedRanks] = MappingProxyType({"llama3": _llama3()})
"""By the name that `_core.known_tiktoken` gives to ranks of which no tokenizer is bundled."""


def known_native(known: str, ranks: bytes) -> _core.Tokenizer:
    """The tokenizer that `load` makes of known ranks: the bundled one, or the ranks with what belongs to them."""
    if known in FINGERPRINTS:
        return bundled(known)
    found = PUBLISHED[known]
    return _core.Tokenizer.from_tiktoken(
        ranks, pattern=found.pattern, special_tokens=dict(found.special_tokens)
    )


def load_call(path: Path) -> str:
    """What to do about ranks of nobody: the call that opens them, from which a command gets a file of its own."""
    return (
        f"in Python, piecework.load({path.name!r}, pattern=…, special_tokens=…) opens it with the regular expression that "
        "cuts text into pretokens, and its save('tokenizer.json') makes a file that needs neither"
    )
