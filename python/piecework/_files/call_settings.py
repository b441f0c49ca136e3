"""What transformers does when a folder's tokenizer is called: which inputs it makes, and at which side it pads and cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework import _core

if TYPE_CHECKING:
    from piecework._files.origin import Origin

__all__ = ["call_settings"]

# Classes of transformers 5.24 that make type ids without being told, and those that pad at the left.
_TYPED_CLASSES = frozenset(
    {
        "BertTokenizer",
        "CanineTokenizer",
        "ConvBertTokenizer",
        "DPRContextEncoderTokenizer",
        "DPRQuestionEncoderTokenizer",
        "DebertaTokenizer",
        "DebertaV2Tokenizer",
        "ElectraTokenizer",
        "FNetTokenizer",
        "FunnelTokenizer",
        "LayoutLMTokenizer",
        "LayoutLMv2Tokenizer",
        "LxmertTokenizer",
        "MarkupLMTokenizer",
        "MobileBertTokenizer",
        "RoFormerTokenizer",
        "SqueezeBertTokenizer",
        "TapasTokenizer",
    }
)
_LEFT_CLASSES = frozenset(
    {
        "CodeLlamaTokenizer",
        "CohereTokenizer",
        "GemmaTokenizer",
        "LlamaTokenizer",
        "Siglip2Tokenizer",
        "XLNetTokenizer",
    }
)
# Beside a byte-level tokenizer.json (DeepSeek's) transformers does not take this class at its word.
_NOT_OF_BYTES = "LlamaTokenizer"


def call_settings(native: _core.Tokenizer, origin: Origin | None) -> dict[str, object]:
    """The fields of a tokenizer_config.json that say it: as the source has them, else as its class does, else its template.

    A saved folder names a class that does neither by itself, so that what the source left to its own class is written out.
    """
    found: dict[str, object] = {} if origin is None else dict(origin.settings)
    kind = None if origin is None else origin.tokenizer_class
    if "model_input_names" not in found:
        typed = _has_type_ids(native) if kind is None else kind in _TYPED_CLASSES
        names = ["input_ids", "token_type_ids", "attention_mask"]
        found["model_input_names"] = names if typed else [names[0], names[2]]
    is_taken = kind != _NOT_OF_BYTES or native.info()["decoder"] != "byte-level"
    if kind in _LEFT_CLASSES and is_taken:
        found.setdefault("padding_side", "left")
    return found


def _has_type_ids(native: _core.Tokenizer) -> bool:
    """Whether the template tells two texts apart by type ids, and closes each as BERT's does.

    Those of models that only begin a text have type ids for a second one that no model of theirs reads.
    """
    template = native.info()["post_processor"]
    single = template["single"] if isinstance(template, dict) else []
    if not single or single[-1] == "$A":
        return False
    add_special_tokens = True
    pair = _core.rows(native, ["a"], ["a"], "text", add_special_tokens, "replace", 1, None, None)
    return any(pair.type_ids)
