"""What the tests of reported problems share: the fetched tokenizers, loaded once, and their live references."""

from __future__ import annotations

from functools import cache

import sentencepiece
import tokenizers
from tokenizers import AddedToken

import piecework as pw
from tools.fixtures import fixture

__all__ = ["hugging_face", "loaded", "processor", "with_added"]


@cache
def loaded(name: str) -> pw.Tokenizer:
    """A bundled tokenizer by its name, or a fetched file, such as "llama3/tokenizer.json"."""
    return pw.load(fixture(name)) if "/" in name else pw.load(name)


@cache
def hugging_face(name: str) -> tokenizers.Tokenizer:
    """A fetched tokenizer.json as tokenizers reads it, by its folder, without its padding and truncation."""
    return _hugging_face(name)


@cache
def processor(name: str) -> sentencepiece.SentencePieceProcessor:
    """A fetched model as sentencepiece reads it."""
    return sentencepiece.SentencePieceProcessor(model_file=str(fixture(name)))


def with_added(name: str, *tokens: AddedToken) -> tokenizers.Tokenizer:
    """As `hugging_face`, with more special tokens; a new object that `piecework.load` takes as it is."""
    tokenizer = _hugging_face(name)
    tokenizer.add_special_tokens(list(tokens))
    return tokenizer


def _hugging_face(name: str) -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer.from_file(str(fixture(f"{name}/tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
