"""A trained tokenizer as a tokenizer.json: its model, the stages around it, its special tokens."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = ["tokenizer_file"]


def tokenizer_file(
    model: Mapping[str, Any], stages: Mapping[str, Any], tokens: Sequence[str], specials: Collection[str]
) -> bytes:
    """The bytes of a tokenizer.json.

    Args:
        model: The model, as the file writes it.
        stages: Normalizer, pre-tokenizer, post-processor and decoder, by the file's names for them.
        tokens: Every entry by its id.
        specials: Those of them that are special tokens.

    Source: the format of tokenizers 0.23.3.
    """
    chosen = frozenset(specials)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": at, "content": token, **flags} for at, token in enumerate(tokens) if token in chosen]
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        **stages,
        "model": model,
    }
    return json.dumps(file, ensure_ascii=False).encode()
