"""From a rendering to a prompt: encode it, cut it into parts, find what was forged, and say what came of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._chat.answer_start import answer_start
from piecework._chat.counted_parts import Tokens, count_parts
from piecework._chat.forged import find_forged, find_similar, first_of
from piecework._chat.layout import lay_out
from piecework._chat.marks import template_marks
from piecework._chat.owners import held_texts
from piecework._chat.prompt import ChatPrompt
from piecework._chat.remarks import (
    double_begin,
    dropped_fields,
    field_remarks,
    split_markers,
    unknown_origins,
)
from piecework._chat.steering import steering_remarks
from piecework._chat.token_origins import token_origins, token_starts
from piecework._chat.unwritten_media import unwritten_media
from piecework.errors import MessageError, NotUnicodeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from piecework import _core
    from piecework._chat.conversation import Conversation
    from piecework._chat.counted_parts import ChatPart
    from piecework._chat.engine import Rendered
    from piecework._chat.prompt import ChatTokenizer
    from piecework._chat.templates import Template
    from piecework._types import Basis

__all__ = ["Rendering", "TokenizerParts", "read_prompt"]

# A template writes its own begin and end tokens.
_ADD_SPECIAL = False


class TokenizerParts(NamedTuple):
    """What a prompt is made with.

    Attributes:
        tokenizer: The tokenizer that users hold.
        native: The engine's.
        templates: Its chat templates by name.
        roles: Which token its files name for a role.
    """

    tokenizer: ChatTokenizer
    native: _core.Tokenizer
    templates: Mapping[str, str]
    roles: Mapping[str, str]


class Rendering(NamedTuple):
    """A rendering, and what it was made of."""

    conversation: Conversation
    template: Template
    variables: Mapping[str, Any]
    rendered: Rendered
    today: datetime


def read_prompt(made_with: TokenizerParts, made: Rendering, more_remarks: Iterable[str]) -> ChatPrompt:
    """Reads a rendering as a prompt.

    Args:
        made_with: The tokenizer.
        made: The rendering.
        more_remarks: What is known already that somebody should know.

    Raises:
        MessageError: A text is not Unicode.
        EncodeError: The vocabulary lacks a byte of the prompt.
    """
    conversation, template, variables, rendered, today = made
    native = made_with.native
    encoding = _encoded(native, rendered, conversation)
    char_spans = tuple(encoding.char_spans)
    starts = token_starts(char_spans)
    origins, mixed = token_origins(rendered.runs, char_spans, starts)
    found = native.find_controls(rendered.text, "strict")
    control_strings, control_ids = _controls(native)
    token_spans = set(char_spans)
    marks = template_marks(
        rendered,
        [(text, *span) for text, _, _, span in found if span in token_spans],
        made_with.roles,
    )
    held = held_texts(rendered)
    answer = answer_start(rendered, template, variables, held, marks, today=today)
    stretches = lay_out(len(rendered.text), held, marks, len(conversation.messages), answer)
    forged = find_forged(rendered, [(text, span) for text, _, _, span in found], conversation, variables)
    similar = find_similar(rendered, control_strings, conversation, variables)
    dropped = dropped_fields(rendered, conversation)
    parts = count_parts(Tokens(char_spans, starts, origins), stretches, conversation)
    remarks = [
        *([template.label] if template.basis != "exact" else []),
        *conversation.notes,
        *conversation.form_notes,
        *unwritten_media(made),
        *field_remarks(dropped, rendered, conversation),
        *_marker_remarks(split_markers(marks, char_spans, starts), made_with),
        *double_begin(encoding.ids, _begin_ids(made_with, variables), made_with.tokenizer),
        *unknown_origins(rendered),
        *_unasked(parts, variables),
        *steering_remarks(native, template, variables, (rendered, encoding), control_ids, today=today),
        *more_remarks,
        *first_of(similar),
    ]
    return ChatPrompt(
        tokenizer=made_with.tokenizer,
        template=template.name,
        template_label=template.label,
        basis=_basis(template, conversation),
        rendered=rendered,
        ids=encoding.ids,
        char_spans=char_spans,
        origins=origins,
        mixed=mixed,
        parts=parts,
        forged=forged,
        lookalikes=similar,
        dropped=tuple(map(conversation.place, dropped)),
        warnings=tuple(remarks),
        conversation=conversation,
        add_generation_prompt=bool(variables["add_generation_prompt"]),
        control_ids=control_ids,
    )


@lru_cache(maxsize=8)
def _controls(native: _core.Tokenizer) -> tuple[tuple[str, ...], frozenset[int]]:
    """The control tokens of a tokenizer: their texts and their ids."""
    rows = native.control_tokens
    return tuple(text for text, _, _ in rows), frozenset(token_id for _, token_id, _ in rows)


def _encoded(native: _core.Tokenizer, rendered: Rendered, conversation: Conversation) -> _core.Encoding:
    try:
        return native.encode(rendered.text, "parse", _ADD_SPECIAL, "strict", rendered.trusted_spans())
    except NotUnicodeError as error:
        path = rendered.origin_at(error.index).path
        where = "the prompt" if path is None else conversation.place(path)
        raise MessageError(
            f"{where}: a lone surrogate, which is no Unicode text", path=path, reason="a lone surrogate"
        ) from None


def _marker_remarks(split: Sequence[str], made_with: TokenizerParts) -> list[str]:
    if not split:
        return []
    shown = ", ".join(split[:5]) + (f" and {len(split) - 5} more" if len(split) > 5 else "")
    return [f"{shown}: not one token in {made_with.tokenizer.name}, so the model reads them as ordinary text"]


def _unasked(parts: Sequence[ChatPart], variables: Mapping[str, Any]) -> list[str]:
    n_tokens = sum(part.n_tokens for part in parts if part.kind == "generation")
    if variables["add_generation_prompt"] or not n_tokens:
        return []
    return [f"the template adds its generation prompt ({n_tokens} tokens) though none was asked for"]


def _begin_ids(made_with: TokenizerParts, variables: Mapping[str, Any]) -> frozenset[int]:
    begin = variables.get("bos_token")
    named = None if not isinstance(begin, str) else made_with.native.id(begin)
    before = made_with.tokenizer.added_around[0]
    return frozenset([*before, *([] if named is None else [named])])


def _basis(template: Template, conversation: Conversation) -> Basis:
    return "lower-bound" if conversation.not_counted else template.basis
