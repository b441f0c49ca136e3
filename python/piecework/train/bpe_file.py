"""The tokenizer.json of what a BPE trainer learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework.train.stages import decoder_of, marker_stages, normalizer_of, pre_tokenizer_of
from piecework.train.tokenizer_file import tokenizer_file

if TYPE_CHECKING:
    from piecework.train.bpe_options import BpeOptions
    from piecework.train.request import Request

__all__ = ["file_of", "stages_of"]


def stages_of(request: Request, options: BpeOptions) -> dict[str, Any]:
    """The stages around the model, by their names in tokenizer.json."""
    normalizer = normalizer_of(request.normalizer)
    if options.end_of_word is not None:
        normalizer = marker_stages(normalizer, options.end_of_word)
    decoder = decoder_of(
        is_bytes=options.is_bytes,
        is_spaced=request.cuts == "whitespace",
        prefix=options.continuing_subword_prefix,
        suffix=options.end_of_word_suffix or options.end_of_word,
    )
    pre_tokenizer = pre_tokenizer_of(request.cuts, is_bytes=options.is_bytes)
    return {
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
    }


def file_of(learned: dict[str, Any], options: BpeOptions, stages: dict[str, Any]) -> bytes:
    """The tokenizer.json of what was learned."""
    tokens: list[str] = learned["tokens"]
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": options.unk,
        "continuing_subword_prefix": options.continuing_subword_prefix,
        "end_of_word_suffix": options.end_of_word_suffix,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: at for at, token in enumerate(tokens)},
        "merges": [[tokens[left], tokens[right]] for left, right, _, _ in learned["merges"]],
    }
    return tokenizer_file(model, stages, tokens, options.special_tokens)
