"""Counts of messages for a model by its name: by its own template, by its server's rules, by estimate, or by endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from piecework._chat.conversation import read_conversation
from piecework._chat.served.counting import count_estimated, count_framed, estimate_text
from piecework._chat.served.media import Medium, find_media
from piecework._chat.served.models import ServedModel, served_model
from piecework._chat.served.openai import openai_model
from piecework._decoding import decoded
from piecework.errors import RemoteCountError, TemplateError, UnknownTokenizerError

if TYPE_CHECKING:
    from piecework._chat.conversation import Conversation
    from piecework._chat.conversation.media_kinds import MediumKind
    from piecework._chat.templates import TemplateChoice
    from piecework._counts import Count
    from piecework._types import Basis, Errors, Text

__all__ = [
    "Prompt",
    "PromptTokenizer",
    "ask_endpoint",
    "ask_endpoint_async",
    "count_messages",
    "estimate_served",
]

Messages: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""Messages in any form that `read_conversation` takes: a list, or the body of a request."""

Tools: TypeAlias = Sequence[Any] | Mapping[str, Any] | None
"""Tools in any form; None for those of the body."""


class Prompt(Protocol):
    """What is needed of a prompt."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What somebody should know, in sentences."""

    @property
    def not_counted(self) -> str:
        """What is in no count, such as `2 images`; "" for nothing."""

    def count(self) -> Count:
        """The count with its parts."""


class PromptTokenizer(Protocol):
    """What is needed of a tokenizer."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def fingerprint(self) -> str:
        """The hash of all that decides ids."""

    def count(self, text: str, /) -> int:
        """Counts the tokens of a text."""

    def chat(self, messages: Messages, /, *, tools: Tools = None, template: TemplateChoice = None) -> Prompt:
        """Renders messages by the model's own template."""


def count_messages(
    messages: Messages,
    *,
    tools: Tools,
    name: str | None,
    is_assumed: bool,
    template: TemplateChoice,
    load: Callable[[], tuple[PromptTokenizer, Basis]],
) -> Count:
    """Counts messages for a model.

    Args:
        messages: Messages in any form that `read_conversation` takes.
        tools: Tools in any form; None for none.
        name: The model's name; None where a path or a tokenizer was given.
        is_assumed: Whether the caller named a tokenizer to count with where the model has none.
        template: The template, as `Tokenizer.chat` takes it; None for the tokenizer's own.
        load: Loads the tokenizer, and says what its counts are worth.

    Returns:
        Exact by the tokenizer's own template; calibrated by published rules for OpenAI's chat; an estimate for Claude and
        Gemini; a lower bound where images or the like are not counted.

    Raises:
        UnknownTokenizerError: The name is unknown and nothing is assumed, or nothing is known of its generation.
        ChatError: The messages or the template are not what they must be.
        ValueError: There is a template for a model whose server has its own.
    """
    served = None if name is None or is_assumed else served_model(name)
    framed = None if name is None else openai_model(name)
    if template is not None and (served or framed):
        raise ValueError(
            f"template= goes with a tokenizer's own chat; the server of {name} has a template of its own"
        )
    if served is not None:
        conversation = read_conversation(messages, tools)
        return count_estimated(conversation, _media(messages, conversation), served, _generation(served))
    tokenizer, basis = load()
    if framed is None:
        prompt = _prompt(tokenizer, messages, tools, template, is_estimate=basis == "estimate")
        counted = prompt.count()
        left_out = prompt.not_counted
        notes = (*counted.notes, *((f"not counted: {left_out}",) if left_out else ()), *prompt.warnings)
        counted = replace(counted, notes=tuple(dict.fromkeys(notes)))
    else:
        conversation = read_conversation(messages, tools)
        counted = count_framed(
            conversation,
            _media(messages, conversation),
            framed,
            count=tokenizer.count,
            tokenizer=tokenizer.name,
            fingerprint=tokenizer.fingerprint,
        )
    if basis == "estimate" and counted.basis != "lower-bound":
        return replace(counted, basis="estimate", band=None)
    return counted


def _media(messages: Messages, conversation: Conversation) -> list[Medium]:
    """What is no text; what the conversation has beside its parts, such as an answer's own sound, without data."""
    media = list(find_media(messages))
    known: tuple[tuple[MediumKind, int], ...] = (
        ("image", conversation.n_images),
        ("audio", conversation.n_audio),
        ("video", conversation.n_videos),
        ("file", conversation.n_files),
    )
    for kind, n in known:
        media += [Medium(kind)] * (n - sum(medium.kind == kind for medium in media))
    return media


def _prompt(
    tokenizer: PromptTokenizer,
    messages: Messages,
    tools: Tools,
    template: TemplateChoice,
    *,
    is_estimate: bool,
) -> Prompt:
    """The prompt; where a tokenizer only stands in and has no template, in a ChatML of our own."""
    try:
        return tokenizer.chat(messages, tools=tools, template=template)
    except TemplateError:
        if not is_estimate or template is not None:
            raise
        return tokenizer.chat(messages, tools=tools, template="chatml")


def estimate_served(text: Text, name: str, errors: Errors) -> Count | None:
    """Estimates a text for a model behind a server; None for every other name.

    Raises:
        UnknownTokenizerError: Nothing is known of the model's generation.
        NotUnicodeError: The bytes are not UTF-8, and `errors` is `"strict"`.
    """
    served = served_model(name)
    if served is None:
        return None
    generation = _generation(served)
    return estimate_text(decoded(text, errors), generation)


def ask_endpoint(messages: Messages, *, tools: Tools, name: str | None) -> Count:
    """Counts messages by the provider's endpoint.

    Raises:
        RemoteCountError: The model has no endpoint that is known here, there is no key, or no count came back.
        MessageError: The messages are not what they must be, or have no place in what the endpoint takes.
    """
    from piecework._chat.remote import remote_count  # noqa: PLC0415 - only where it is asked for

    served = _with_endpoint(name)
    return remote_count(read_conversation(messages, tools), find_media(messages), served)


async def ask_endpoint_async(messages: Messages, *, tools: Tools, name: str | None) -> Count:
    """As `ask_endpoint`, without holding up the event loop."""
    from piecework._chat.remote import remote_count_async  # noqa: PLC0415 - only where it is asked for

    served = _with_endpoint(name)
    return await remote_count_async(read_conversation(messages, tools), find_media(messages), served)


def _with_endpoint(name: str | None) -> ServedModel:
    served = None if name is None else served_model(name)
    if served is None:
        raise RemoteCountError(
            f"no endpoint that counts is known for {'a tokenizer of your own' if name is None else name}",
            hint="Anthropic's is for names such as claude-opus-4-7, Gemini's for names such as gemini-2.5-pro",
        )
    return served


def _generation(served: ServedModel) -> str:
    if served.generation is None:
        raise UnknownTokenizerError(
            f"no tokenizer is published for {served.name}, and no counts that an estimate could stand on",
            name=served.name,
            hint="remote=True (--remote) asks its provider, assume= (--assume NAME) estimates with a tokenizer",
        )
    return served.generation
