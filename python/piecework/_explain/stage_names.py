"""A stage of a tokenizer in a few words, from the engine's description of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._explain.glyphs import harmless, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        >>> pre_tokenizer_name({"kind": "split", "pattern": " ", "behavior": "merged_with_previous"})
        'split by · (merged_with_previous)'
    """
    if stage["kind"] == "split":
        inverted = ", inverted" if stage.get("invert") else ""
        return f"split by {_seen(stage['pattern'])} ({harmless(stage['behavior'])}{inverted})"
    if stage["kind"] == "digits":
        return "digits, each alone" if stage.get("individual") else "digits"
    if stage["kind"] == "metaspace":
        split = "" if stage.get("split") else ", not split"
        return harmless(f"metaspace {_seen(stage['replacement'])}, put in front: {stage['prepend']}{split}")
    details = [_seen(str(value)) for name, value in stage.items() if name != "kind"]
    return harmless(" ".join([str(stage["kind"]), *details]))


def _seen(text: str) -> str:
    """A pattern as it is written; one that is nothing but white space, or ends in it, with signs for it."""
    return visible(text) if text != text.rstrip() else harmless(text)


def algorithm_name(model: Mapping[str, Any]) -> str:
    """The algorithm of a model, in the field's words.

    Examples:
        >>> algorithm_name({"kind": "bpe"}), algorithm_name({"kind": "unigram", "algorithm": "unigram"})
        ('byte-pair encoding', 'Unigram')
    """
    name = str(model.get("algorithm") or model["kind"])
    return _ALGORITHMS.get(name, name)


def model_name(model: Mapping[str, Any]) -> str:
    """A model: its kind, and what decides its tokens.

    Examples:
        >>> model_name({"kind": "bpe", "whole_pieces": True, "merges": "ranks", "n_merges": None})
        'bpe; merges by rank; a pretoken that is a token is taken whole'
        >>> model_name({"kind": "unigram", "precision": "f32", "unk": 0, "byte_fallback": False})
        'Unigram; scores added as f32; unknown characters are id 0'
    """
    return "; ".join(_model_parts(model))


def _model_parts(model: Mapping[str, Any]) -> Iterator[str]:
    if model["kind"] == "bpe":
        yield "bpe"
        n_merges = model.get("n_merges")
        by = "score" if model.get("merges") == "scores" else "rank"
        yield f"merges by {by}" if n_merges is None else f"{n_merges:,} merges"
        if model.get("whole_pieces"):
            yield "a pretoken that is a token is taken whole"
    else:
        yield algorithm_name(model)
    if precision := model.get("precision"):
        yield f"scores added as {precision}"
    if prefix := model.get("continuing_subword_prefix"):
        yield f"{harmless(prefix)} before what continues a word"
    if suffix := model.get("end_of_word_suffix"):
        yield f"{harmless(suffix)} after what ends a word"
    if model.get("byte_fallback"):
        yield "unknown characters are bytes"
    elif model.get("unk") is not None:
        yield f"unknown characters are id {model['unk']}"
    if dropout := model.get("dropout"):
        yield f"dropout {dropout:g}, in samples only"
