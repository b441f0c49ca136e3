"""From messages to a prompt: read, choose a template, render, encode, and say what came of it. One step a line."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from piecework._chat.answer_start import answer_start
from piecework._chat.conversation import read_conversation
from piecework._chat.conversation.checks import check_depth, list_at, mapping_at
from piecework._chat.counted_parts import Tokens, count_parts
from piecework._chat.engine import render
from piecework._chat.fitting import easier_forms, fit
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
    unnamed_tokens,
    unused_arguments,
)
from piecework._chat.steering import steering_remarks
from piecework._chat.templates import choose_template
from piecework._chat.token_origins import token_origins, token_starts
from piecework.errors import MessageError, NotUnicodeError, TemplateError, UnsafeTemplateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from piecework import _core
    from piecework._chat.conversation import Conversation
    from piecework._chat.counted_parts import ChatPart
    from piecework._chat.engine import Rendered
    from piecework._chat.fitting import Arguments, Parts
    from piecework._chat.prompt import ChatTokenizer
    from piecework._chat.templates import Template, TemplateChoice
    from piecework._types import Basis

__all__ = ["ChatOptions", "TokenizerParts", "make_prompt"]

# A template writes its own begin and end tokens.
_ADD_SPECIAL = False
# What a template may ask for by name, and the role that the model's files give it.
_NAMED_TOKENS = {
    "bos_token": "begin",
    "eos_token": "end",
    "unk_token": "unknown",
    "sep_token": "separator",
    "pad_token": "padding",
    "cls_token": "class",
    "mask_token": "mask",
}


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


class ChatOptions(NamedTuple):
    """How a prompt is made; the fields are the arguments of `Tokenizer.chat`."""

    add_generation_prompt: bool | Literal["auto"] = "auto"
    template: TemplateChoice = None
    system: object = None
    bos_token: str | None = None
    eos_token: str | None = None
    documents: Sequence[Mapping[str, Any]] | None = None
    arguments: Arguments = "given"
    parts: Parts = "given"


def make_prompt(
    made_with: TokenizerParts, messages: object, tools: object, options: ChatOptions, more: Mapping[str, Any]
) -> ChatPrompt:
    """Makes a prompt; the arguments are those of `Tokenizer.chat`."""
    conversation = read_conversation(messages, tools, system=options.system)
    template = choose_template(
        options.template,
        made_with.templates,
        tokenizer=made_with.tokenizer.name,
        has_tools=bool(conversation.tools),
    )
    conversation = fit(conversation, template, arguments=options.arguments, parts=options.parts)
    adds = _adds_generation_prompt(options.add_generation_prompt, conversation)
    variables = _variables(_named_tokens(made_with, options), conversation, options, more, adds=adds)
    made = _render(conversation, template, variables)
    remarks = (*unused_arguments(more, template.source), *unnamed_tokens(variables, template.source))
    return _read(made_with, made, remarks)


def _render(conversation: Conversation, template: Template, variables: dict[str, Any]) -> _Made:
    """Renders what was given; where the template fails on it, a form of it that means the same.

    Raises:
        TemplateError: It fails on every form; the error is that of the first.
        MessageError: The template refuses the conversation.
    """
    try:
        return _rendering(conversation, template, variables)
    except UnsafeTemplateError:
        raise
    except TemplateError as error:
        for easier in easier_forms(conversation, template):
            try:
                return _rendering(easier, template, {**variables, "messages": list(easier.messages)})
            except TemplateError:
                continue
        raise error from None


def _rendering(conversation: Conversation, template: Template, variables: dict[str, Any]) -> _Made:
    # One moment for all renderings: some templates write the time.
    today = datetime.now().astimezone()
    rendered = render(template.source, name=template.name, variables=variables, today=today)
    return _Made(conversation, template, variables, rendered, today)


class _Made(NamedTuple):
    """A rendering, and what it was made of."""

    conversation: Conversation
    template: Template
    variables: Mapping[str, Any]
    rendered: Rendered
    today: datetime


def _adds_generation_prompt(wanted: object, conversation: Conversation) -> bool:
    if isinstance(wanted, bool):
        return wanted
    if wanted != "auto":
        raise ValueError(f'add_generation_prompt is {wanted!r}; it is True, False or "auto"')
    last = conversation.messages[-1].get("role") if conversation.messages else None
    return last != "assistant"


def _named_tokens(made_with: TokenizerParts, options: ChatOptions) -> dict[str, str]:
    """The tokens that a template may ask for by name: as given, else as the model's files name them."""
    roles = made_with.roles
    named = {name: roles[role] for name, role in _NAMED_TOKENS.items() if role in roles}
    before = made_with.tokenizer.added_around[0]
    if not roles and len(before) == 1:
        # A GGUF file, or a tokenizer.json alone: what it puts before a text is its begin token.
        named["bos_token"] = made_with.native.vocab_piece(before[0])
    for name, token in (("bos_token", options.bos_token), ("eos_token", options.eos_token)):
        if token is not None:
            if not isinstance(token, str):
                raise TypeError(f"{name} is a str, not {type(token).__name__}")
            named[name] = token
    return named


def _variables(
    named: Mapping[str, str],
    conversation: Conversation,
    options: ChatOptions,
    more: Mapping[str, Any],
    *,
    adds: bool,
) -> dict[str, Any]:
    return {
        **named,
        **more,
        "messages": list(conversation.messages),
        "tools": None if conversation.tools is None else list(conversation.tools),
        "documents": None if options.documents is None else _documents(options.documents),
        "add_generation_prompt": adds,
    }


def _read(made_with: TokenizerParts, made: _Made, more_remarks: Iterable[str]) -> ChatPrompt:
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
        *field_remarks(dropped, rendered, conversation),
        *_marker_remarks(split_markers(marks, char_spans, starts), made_with),
        *double_begin(encoding.ids, _begin_ids(made_with, variables), made_with.tokenizer),
        *unknown_origins(rendered),
        *_unasked(parts, variables),
        *steering_remarks(native, template, variables, encoding.ids, control_ids, today=today),
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


def _documents(documents: object) -> list[Mapping[str, Any]]:
    check_depth(documents, "documents")
    listed = list_at(documents, "documents", "documents")
    return [mapping_at(document, f"documents[{at}]", "a document") for at, document in enumerate(listed)]


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
