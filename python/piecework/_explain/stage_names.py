"""A stage of a tokenizer in a few words, from the engine's description of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._explain.glyphs import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["algorithm_name", "model_name", "pre_tokenizer_name"]

_ALGORITHMS = {
    "bpe": "byte-pair encoding",
    "unigram": "Unigram",
    "wordpiece": "WordPiece",
    "word-piece": "WordPiece",
    "wordlevel": "WordLevel",
    "word-level": "WordLevel",
}


def pre_tokenizer_name(stage: Mapping[str, Any]) -> str:
    r"""A pre-tokenizer: its kind, its pattern if it has one, what becomes of the matches.

    Examples:
        >>> pre_tokenizer_name({"kind": "split", "pattern": r"\s+", "behavior": "removed", "invert": True})
        'split by \\s+ (removed, inverted)'
        >>> pre_tokenizer_name({"kind": "metaspace", "replacement": "▁", "prepend": "first", "split": False})
        'metaspace ▁, put in front: first, not split'
        >>> pre_tokenizer_name({"kind": "punctuation", "behavior": "isolated"})
        'punctuation isolated'
    """
    if stage["kind"] == "split":
        inverted = ", inverted" if stage.get("invert") else ""
        return harmless(f"split by {stage['pattern']} ({stage['behavior']}{inverted})")
    if stage["kind"] == "digits":
        return "digits, each alone" if stage.get("individual") else "digits"
    if stage["kind"] == "metaspace":
        split = "" if stage.get("split") else ", not split"
        return harmless(f"metaspace {stage['replacement']}, put in front: {stage['prepend']}{split}")
    details = [str(value) for name, value in stage.items() if name != "kind"]
    return harmless(" ".join([str(stage["kind"]), *details]))


def algorithm_name(model: Mapping[str, Any]) -> str:
    """The algorithm of a model, in the field's words.

    Examples:
        >>> algorithm_name({"kind": "bpe"}), algorithm_name({"kind": "unigram", "algorithm": "unigram"})
        ('byte-pair encoding', 'Unigram')
    """
    name = str(model.get("algorithm") or model["kind"])
    return _ALGORITHMS.get(name, name)


def model_name(model: Mapping[str, Any]) -> str:
    """A model: its kind; for byte-pair encoding, where its merges come from and whether words are taken whole.

    Examples:
        >>> model_name({"kind": "bpe", "whole_pieces": True, "merges": "ranks", "n_merges": None})
        'bpe; merges by rank; a pretoken that is a token is taken whole'
    """
    if model["kind"] != "bpe":
        return algorithm_name(model)
    n_merges = model.get("n_merges")
    merges = "merges by rank" if n_merges is None else f"{n_merges:,} merges"
    whole = "; a pretoken that is a token is taken whole" if model.get("whole_pieces") else ""
    return f"{model['kind']}; {merges}{whole}"
