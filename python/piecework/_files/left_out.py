"""What a tokenizer has and a file of some format does not hold, in sentences: whoever saves must not have to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from piecework import _core
from piecework._files.known_ranks import known_native
from piecework._plural import plural
from piecework.errors import PieceworkError

if TYPE_CHECKING:
    from piecework._files.origin import Origin

__all__ = ["controls_of_files", "not_in_one_file", "not_in_ranks", "not_in_two_files", "other_form"]

# The reasons for which only the files around a tokenizer make a token a control token.
_FILES_REASONS = ("tokenizer_config", "generation_config", "chat_template")
_MAX_NAMED = 5
_NEEDS_CONFIG = (
    "how texts are cut, without which load refuses the two files: they need a tokenizer_config.json beside them that names "
    "a tokenizer_class, such as GPT2Tokenizer, and load takes the folder then"
)


def not_in_one_file(native: _core.Tokenizer, origin: Origin | None, *, is_same: bool) -> list[str]:
    """What a tokenizer.json alone does not hold; `is_same` tells that it gives the tokenizer back."""
    sentences = [*other_form(is_same=is_same), *controls_of_files(native, _FILES_REASONS)]
    if origin is None:
        return sentences
    if origin.chat_templates:
        sentences.append(f"{plural(len(origin.chat_templates), 'chat template')}, which a folder keeps")
    if origin.roles:
        roles = ", ".join(f"{role} {content}" for role, content in origin.roles.items())
        sentences.append(f"what tokens are for ({roles}), which a folder keeps")
    return sentences


def not_in_ranks(native: _core.Tokenizer, ranks: bytes) -> list[str]:
    """What a .tiktoken file does not hold: all but the ranks, unless they are those of a known encoding."""
    known = _core.known_tiktoken(ranks)
    if known is not None and known_native(known, ranks).fingerprint == native.fingerprint:
        return []
    sentences = []
    patterns = [stage["pattern"] for stage in native.info()["pre_tokenizers"] if "pattern" in stage]
    if patterns and known is None:
        sentences.append(f"the pattern; load takes it as pattern={' '.join(patterns)!r}")
    if native.special_tokens:
        sentences.append(
            f"{plural(len(native.special_tokens), 'special token')}; load takes them as special_tokens="
        )
    return [*sentences, *_around(native.info())]


def not_in_two_files(native: _core.Tokenizer, files: tuple[bytes, bytes]) -> list[str]:
    """What a vocab.json and a merges.txt do not hold: all but the tokens and the merges."""
    try:
        if _core.Tokenizer.from_vocab_merges(*files).fingerprint == native.fingerprint:
            return []
        alone = []
    except PieceworkError:
        alone = [_NEEDS_CONFIG]
    info = native.info()
    kinds = [stage["kind"] for stage in info["pre_tokenizers"]]
    sentences = [
        f"the {name}: {', '.join(parts)}"
        for name, parts in (("normalizer", info["normalizers"]), ("pre-tokenizer", kinds))
        if parts
    ]
    n_added = len(native.added_tokens)
    if n_added:
        sentences.append(plural(n_added, "added token"))
    return [*sentences, *_around(info), *alone]


def other_form(*, is_same: bool) -> list[str]:
    """That a file opens as another tokenizer, as one of ranks whose pattern is written as tiktoken's own is."""
    if is_same:
        return []
    return ["its form: what the file opens as gives the same ids, and has another fingerprint"]


def controls_of_files(native: _core.Tokenizer, reasons: Sequence[str]) -> list[str]:
    """The tokens that are control tokens for one of these reasons."""
    lost = {content: reason for content, _, reason in native.control_tokens if reason in reasons}
    if not lost:
        return []
    more = f" and {len(lost) - _MAX_NAMED} more" if len(lost) > _MAX_NAMED else ""
    named = ", ".join(list(lost)[:_MAX_NAMED])
    return [
        f"that {named}{more} can steer the model, which only {' and '.join(sorted({*lost.values()}))} tells"
    ]


def _around(info: Mapping[str, object]) -> list[str]:
    post_processor = info["post_processor"]
    has_template = isinstance(post_processor, dict) and bool(
        post_processor["single"] or post_processor["pair"]
    )
    return ["what is put around a text"] if has_template else []
