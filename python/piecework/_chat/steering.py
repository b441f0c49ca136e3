"""Whether a template acts on control strings that a caller wrote: some look for `</think>` in a message and split it there.

The markers that come of it are the template's own, so no origin tells. The conversation is rendered again with letters in
place of those strings, and the control tokens are compared. Only conversations that hold such strings pay for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.engine import render
from piecework._chat.fields import mapped_texts, text_fields
from piecework.errors import ChatError, EncodeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from piecework import _core
    from piecework._chat.templates import Template

__all__ = ["steering_remarks"]

_CALLERS = ("messages", "tools", "documents")
# Encoding without the begin and end tokens that a tokenizer adds: a template writes its own.
_ADD_SPECIAL = False
_SEPARATOR = "\n"


def steering_remarks(
    native: _core.Tokenizer,
    template: Template,
    variables: Mapping[str, Any],
    ids: Sequence[int],
    control_ids: frozenset[int],
    *,
    today: datetime,
) -> Iterator[str]:
    """Says where the template writes other control tokens because of control strings in what it was given."""
    held = {name: variables[name] for name in _CALLERS if variables.get(name)}
    texts = _SEPARATOR.join(text for _, text in text_fields(held, "", with_keys=True))
    try:
        found = native.find_controls(texts, "strict")
    except EncodeError:
        return
    # Longer ones first, so that none is found inside another.
    strings = sorted({text for text, *_ in found}, key=len, reverse=True)
    if not strings:
        return
    harmless = mapped_texts(held, lambda text: _without(text, strings))
    try:
        rendered = render(
            template.source, name=template.name, variables={**variables, **harmless}, today=today
        )
        again = native.ids(rendered.text, "parse", _ADD_SPECIAL, "strict", rendered.trusted_spans())
    except (ChatError, EncodeError):
        return
    before = [token_id for token_id in again if token_id in control_ids]
    after = [token_id for token_id in ids if token_id in control_ids]
    if before != after:
        yield (
            f"the template acts on control strings in what it was given: it writes {len(after)} control tokens, "
            f"and {len(before)} with letters in their place"
        )


def _without(text: str, strings: Sequence[str]) -> str:
    for string in strings:
        text = text.replace(string, "x" * len(string))
    return text
