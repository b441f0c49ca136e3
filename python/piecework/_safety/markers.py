"""Markers in a text: control tokens of its tokenizer, what looks like one, and markers of other families of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from piecework._safety.automaton import Automaton
from piecework._safety.collect import Hit, visible
from piecework._safety.lookalikes import iter_lookalikes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework._safety.finding import Severity
    from piecework._safety.normalized import Normalized
    from piecework._safety.subject import Subject

__all__ = ["FAMILIES", "controls", "lookalikes", "normalized_controls", "other_markers"]

FAMILIES: Final = {
    "ChatML": ("<|im_start|>", "<|im_end|>"),
    "Llama 3": ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"),
    "Llama 4": ("<|header_start|>", "<|header_end|>", "<|eot|>"),
    "Llama 2 and Mistral": ("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"),
    "Mistral": (
        "[SYSTEM_PROMPT]",
        "[/SYSTEM_PROMPT]",
        "[AVAILABLE_TOOLS]",
        "[/AVAILABLE_TOOLS]",
        "[TOOL_CALLS]",
        "[TOOL_RESULTS]",
        "[/TOOL_RESULTS]",
    ),
    "Gemma": ("<start_of_turn>", "<end_of_turn>"),
    "Phi": ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
    "DeepSeek": (
        "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
        "<\uff5cUser\uff5c>",
        "<\uff5cAssistant\uff5c>",
    ),
    "gpt-oss": ("<|start|>", "<|message|>", "<|channel|>", "<|call|>", "<|return|>"),
    "Command R": ("<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>"),
    "Granite": ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    "GPT": ("<|endoftext|>", "<|endofprompt|>"),
}
"""Markers by which families of models open and close turns, as their published tokenizers and templates have them."""

_FAMILY_OF: Final = {marker: family for family, markers in FAMILIES.items() for marker in markers}
# A shorter one, such as a piece that is one letter or `▁`, is no marker that a text could spell in earnest.
_MIN_MARKER = 3
# What is short or looks like HTML is written in another case, or with spaces, by accident: `<S>`, `a < s > b`.
_MIN_TELLING = 5
_ACCIDENTS = {"upper and lower case", "spaces and separators"}


def controls(text: str, subject: Subject) -> Iterator[Hit]:
    """Yields control tokens as the tokenizer itself finds them, those included that its normalizer makes."""
    for found in subject.find_controls(text):
        start, end = found.char_span
        spelled = text[start:end]
        token = visible(found.token)
        message = f"{token} is a control token of {subject.name}"
        if found.token not in spelled:
            message = f"the normalizer of {subject.name} makes the control token {token} of this"
        yield Hit("control-token", "high", (start, end), message, found.token)


def normalized_controls(text: str, subject: Subject, normalized: Normalized) -> Iterator[Hit]:
    """Yields what spells a control token once it is normalized, and not before."""
    strings = [content for content in subject.controls if len(content) >= _MIN_MARKER]
    for start, end, token in Automaton(strings).find(normalized.text):
        span = normalized.char_span(start, end)
        if token in text[span[0] : span[1]]:
            continue
        message = f"normalized by {subject.name}, this spells the control token {visible(token)}"
        yield Hit("normalized-control-token", "high", span, message, token)


def lookalikes(text: str, subject: Subject) -> Iterator[Hit]:
    """Yields what resembles a control token."""
    for found in iter_lookalikes(text, subject.controls):
        is_accident = len(found.resembles) < _MIN_TELLING and _ACCIDENTS.issuperset(found.how)
        message = f"looks like the control token {visible(found.resembles)} ({', '.join(found.how)})"
        severity: Severity = "low" if is_accident else "medium"
        yield Hit("look-alike", severity, found.span, message, found.resembles)


def other_markers(text: str, subject: Subject) -> Iterator[Hit]:
    """Yields markers of other families, as they are spelled there."""
    own = set(subject.controls)
    for start, end, marker in Automaton(one for one in _FAMILY_OF if one not in own).find(text):
        message = f"{marker} is a marker of another model family ({_FAMILY_OF[marker]})"
        yield Hit("other-marker", "medium", (start, end), message, marker)
