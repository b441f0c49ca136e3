"""Whether a template acts on control strings that a caller wrote: some look for `</think>` in a message and split it there.

The markers that come of it are the template's own, so no origin tells. The conversation is rendered again with letters in
place of those strings, and the control tokens are compared. Only conversations that hold such strings pay for it.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from piecework._chat.engine import render
from piecework._chat.fields import mapped_texts, text_fields
from piecework.errors import ChatError, EncodeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from piecework import _core
    from piecework._chat.engine import Rendered
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
    made: tuple[Rendered, _core.Encoding],
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
        again = native.encode(rendered.text, "parse", _ADD_SPECIAL, "strict", rendered.trusted_spans())
    except (ChatError, EncodeError):
        return
    before = _written(rendered, again, control_ids)
    after = _written(*made, control_ids)
    if before != after:
        yield (
            f"the template acts on control strings in what it was given: it writes {len(after)} control tokens, "
            f"and {len(before)} with letters in their place"
        )


def _written(rendered: Rendered, encoding: _core.Encoding, control_ids: frozenset[int]) -> list[int]:
    """The control tokens that the template wrote; the token for unknown text may stand for what a caller wrote."""
    spans = rendered.trusted_spans()
    starts = [start for start, _ in spans]
    found: list[int] = []
    for token_id, (start, stop) in zip(encoding.ids, encoding.char_spans, strict=True):
        if token_id in control_ids:
            at = bisect_right(starts, start) - 1
            if at >= 0 and stop <= spans[at][1]:
                found.append(token_id)
    return found


def _without(text: str, strings: Sequence[str]) -> str:
    for string in strings:
        text = text.replace(string, "x" * len(string))
    return text
