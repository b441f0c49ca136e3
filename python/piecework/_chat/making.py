"""From messages to a rendering, and on to a prompt: read, choose a template, fit, render. One step a line."""

from __future__ import annotations

from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from piecework._chat.conversation import read_conversation
from piecework._chat.conversation.checks import check_depth, list_at, mapping_at
from piecework._chat.engine import render
from piecework._chat.fitting import easier_forms, fit, with_media
from piecework._chat.marks import is_marker_shaped
from piecework._chat.reading import Rendering, read_prompt
from piecework._chat.remarks import unnamed_tokens, unused_arguments
from piecework._chat.templates import choose_template
from piecework.errors import ChatError, MessageError, TemplateError, UnsafeTemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from piecework._chat.conversation import Conversation
    from piecework._chat.fitting import Arguments, Parts
    from piecework._chat.prompt import ChatPrompt
    from piecework._chat.reading import TokenizerParts
    from piecework._chat.templates import Template, TemplateChoice

__all__ = ["ChatOptions", "make_prompt"]

_MAX_SECONDS_TO_TRY_AGAIN = 2.0
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
    _check_tokens(options, more, made_with)
    for name, value in more.items():
        check_depth(value, name)
    variables = _variables(_named_tokens(made_with, options), conversation, options, more, adds=adds)
    made = _render(conversation, template, variables)
    remarks = (*unused_arguments(more, template.source), *unnamed_tokens(variables, template.source))
    return read_prompt(made_with, made, remarks)


def _render(conversation: Conversation, template: Template, variables: dict[str, Any]) -> Rendering:
    """Renders what was given; where the template fails on it, a form of it that means the same.

    Raises:
        TemplateError: It fails on every form; the error is that of the first.
        MessageError: The template refuses the conversation.
    """
    start = monotonic()
    try:
        return _rendering(conversation, template, variables)
    except UnsafeTemplateError:
        raise
    except MessageError as error:
        # Templates refuse a part whose type they do not know.
        easier = with_media(conversation, template)
        if easier.messages == conversation.messages:
            raise
        try:
            return _rendering(easier, template, {**variables, "messages": list(easier.messages)})
        except ChatError:
            raise error from None
    except TemplateError as error:
        # What ran into its limits would do so again.
        if monotonic() - start > _MAX_SECONDS_TO_TRY_AGAIN:
            raise
        for easier in easier_forms(conversation, template):
            try:
                return _rendering(easier, template, {**variables, "messages": list(easier.messages)})
            except TemplateError:
                continue
        raise error from None


def _rendering(conversation: Conversation, template: Template, variables: dict[str, Any]) -> Rendering:
    # One moment for all renderings: some templates write the time.
    today = datetime.now().astimezone()
    try:
        rendered = render(template.source, name=template.name, variables=variables, today=today)
    except (MessageError, TemplateError) as error:
        raise _as_given(error, conversation) from None
    return Rendering(conversation, template, variables, rendered, today)


def _as_given(
    error: MessageError | TemplateError, conversation: Conversation
) -> MessageError | TemplateError:
    """The same error with the path that the message has in what was given."""
    path = error.path
    place = None if path is None else conversation.place(path)
    if path is None or place is None or place == path:
        return error
    fields = {**error.fields(), "path": place}
    if isinstance(error, TemplateError) and error.reason is not None:
        fields["reason"] = _moved(error.reason, path, place)
    return type(error)(_moved(error.message, path, place), hint=error.hint, **fields)


def _moved(words: str, path: str, place: str) -> str:
    """The words with the path that stands last in them, or else first, in what was given."""
    if words.endswith(path):
        return words.removesuffix(path) + place
    return words.replace(path, place, 1)


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
    named = {f"{role}_token": token for role, token in roles.items() if role not in _NAMED_TOKENS.values()}
    named |= {name: roles[role] for name, role in _NAMED_TOKENS.items() if role in roles}
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


def _check_tokens(options: ChatOptions, more: Mapping[str, Any], made_with: TokenizerParts) -> None:
    """Refuses a text in place of a token: what is named `…_token` is trusted as the template's own, and joined to it."""
    given = {"bos_token": options.bos_token, "eos_token": options.eos_token, **more}
    for name, value in given.items():
        if not (name.endswith("_token") and isinstance(value, str) and value):
            continue
        found = [text for text, *_ in made_with.native.find_controls(value, "replace")]
        if found == [value] or value in made_with.roles.values() or (not found and is_marker_shaped(value)):
            continue
        held = f"a text that holds {found[0]}" if found else "another text"
        raise ValueError(f"{name} is one token, such as <s>, and not {held}")


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


def _documents(documents: object) -> list[Mapping[str, Any]]:
    check_depth(documents, "documents")
    listed = list_at(documents, "documents", "documents")
    return [mapping_at(document, f"documents[{at}]", "a document") for at, document in enumerate(listed)]
