"""The reference libraries on the fetched files, offline: what ids, offsets and speed are compared with.

tiktoken's encodings are its own definitions (pattern, special tokens, expected hashes), with only the download replaced
by the fetched file; a Hugging Face tokenizer is the fetched tokenizer.json.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any
from unittest.mock import patch

import tiktoken
import tokenizers
from tiktoken_ext import openai_public

from tools.fixtures import fixture

__all__ = ["hf_tokenizer", "tiktoken_encoding", "tiktoken_facts"]


def tiktoken_facts(name: str) -> dict[str, Any]:
    """What tiktoken's own table says of an encoding: name, pattern, ranks by token, special tokens.

    Args:
        name: Such as "o200k_base"; one that is made from a fetched `.tiktoken` file.

    Raises:
        KeyError: tiktoken has no encoding of this name.
        MissingFixtureError: Its file has not been fetched.
        ValueError: The fetched file is not the one that tiktoken expects.
    """
    define = openai_public.ENCODING_CONSTRUCTORS[name]
    with patch.object(openai_public, "load_tiktoken_bpe", _load_ranks):
        facts: dict[str, Any] = define()
    return facts


@cache
def tiktoken_encoding(name: str) -> tiktoken.Encoding:
    """An encoding as tiktoken itself defines it; arguments and errors are those of `tiktoken_facts`."""
    return tiktoken.Encoding(**tiktoken_facts(name))


@cache
def hf_tokenizer(name: str) -> tokenizers.Tokenizer:
    """A tokenizer as Hugging Face's library reads it.

    Args:
        name: The folder of its tokenizer.json among the fixtures, such as "qwen3".

    Raises:
        MissingFixtureError: Its file has not been fetched.
    """
    return tokenizers.Tokenizer.from_file(str(fixture(f"{name}/tokenizer.json")))


def _load_ranks(address: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """What tiktoken's loader returns, from the fetched file of that name, which must have the hash tiktoken expects."""
    content = fixture(f"tiktoken/{address.rpartition('/')[2]}").read_bytes()
    if expected_hash is not None and hashlib.sha256(content).hexdigest() != expected_hash:
        raise ValueError(f"{address}: the fetched file is not the one that tiktoken expects")
    lines = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(piece): int(rank) for piece, rank in lines}
