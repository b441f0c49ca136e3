"""A count by a provider's endpoint: the conversation in its form, the answer kept, the result a `Count`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from piecework._chat.remote.asking import Patience, ask, ask_async
from piecework._chat.remote.bodies import anthropic_body, gemini_body
from piecework._chat.remote.endpoints import Question, question
from piecework._chat.remote.kept import Kept, find_kept, keep
from piecework._counts import Count, Part

if TYPE_CHECKING:
    from piecework._chat.conversation import Conversation
    from piecework._chat.served.media import Medium
    from piecework._chat.served.models import ServedModel

__all__ = ["remote_count", "remote_count_async"]

_BODIES = {"anthropic": anthropic_body, "google": gemini_body}


def remote_count(
    conversation: Conversation,
    media: Sequence[Medium],
    model: ServedModel,
    patience: Patience = Patience(),  # noqa: B008 - immutable
) -> Count:
    """Asks the provider how many tokens a conversation has.

    Args:
        conversation: The conversation.
        media: What in it is no text, with its data.
        model: The model.
        patience: How long to wait.

    Returns:
        The count, exact for the request as it was sent; from the cache where the same was asked before.

    Raises:
        RemoteCountError: There is no key, or no count came back.
        MessageError: Something has no place in what the endpoint takes.
    """
    asked = question(model, _BODIES[model.provider](conversation, iter(media), model))
    kept = find_kept(asked) or keep(asked, ask(asked, patience))
    return _result(asked, kept, conversation)


async def remote_count_async(
    conversation: Conversation,
    media: Sequence[Medium],
    model: ServedModel,
    patience: Patience = Patience(),  # noqa: B008 - immutable
) -> Count:
    """As `remote_count`, without holding up the event loop while the provider is waited for."""
    asked = question(model, _BODIES[model.provider](conversation, iter(media), model))
    kept = find_kept(asked) or keep(asked, await ask_async(asked, patience))
    return _result(asked, kept, conversation)


def _result(asked: Question, kept: Kept, conversation: Conversation) -> Count:
    notes = [f"counted by {asked.title} on {kept.date}"]
    if asked.provider == "anthropic":
        notes.append("Anthropic says that a message may in the end differ from it by a small amount")
    if any(message.get("reasoning_content") for message in conversation.messages):
        notes.append("thinking of earlier turns was not sent: the endpoint does not count it")
    return Count(kept.n, "exact", asked.title, "", (kept.n, kept.n), (Part("request", kept.n),), tuple(notes))
