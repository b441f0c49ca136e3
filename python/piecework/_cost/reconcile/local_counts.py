"""What a record's request counts here, in its layers: the texts, what the template adds, what the tools add."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from piecework._chat.conversation import read_conversation
from piecework.errors import ChatError, EncodeError, PieceworkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from piecework._cost.reconcile.usage_record import UsageRecord
    from piecework._counts import Count
    from piecework._types import Basis

__all__ = ["Counting", "LocalCount", "Request", "all_texts", "count_locally", "count_texts", "read_request"]


class Counting(Protocol):
    """What counts for one model."""

    @property
    def tokenizer(self) -> str:
        """The name of the tokenizer."""

    @property
    def fingerprint(self) -> str:
        """Its fingerprint."""

    @property
    def basis(self) -> Basis:
        """What its count of a text is worth."""

    def text(self, text: str) -> int:
        """The count of a text alone."""

    def chat(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None) -> Count:
        """The count of messages with tools, as they are sent."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was sent, read.

    Attributes:
        messages: The messages.
        tools: The tools; None for none.
        texts: All text in them, calls included.
        n_pictures: What no tokenizer of text counts: images, sounds, videos, files.
    """

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] | None
    texts: tuple[str, ...]
    n_pictures: int


@dataclass(frozen=True, slots=True)
class LocalCount:
    """The layers of a local count; they add up to what should be billed.

    Attributes:
        n_text: The tokens of all texts.
        n_template: What the template adds; None where nothing here knows it.
        n_tools: What the tools add; None likewise.
        text_basis: What the count of the texts is worth.
        basis: What that of the template and the tools is worth.
    """

    n_text: int
    n_template: int | None
    n_tools: int | None
    text_basis: Basis = "exact"
    basis: Basis = "exact"

    @property
    def total(self) -> int | None:
        """The whole; None where a layer is unknown."""
        if self.n_template is None or self.n_tools is None:
            return None
        return self.n_text + self.n_template + self.n_tools


def read_request(record: UsageRecord) -> Request | str | None:
    """Reads what was sent.

    Returns:
        The request; None where the record has none; a reason where it cannot be read.
    """
    if record.messages is None:
        return None
    try:
        read = read_conversation(_openai_shaped(record.messages), record.tools)
    except PieceworkError as error:
        return error.message
    n_pictures = read.n_images + read.n_audio + read.n_videos + read.n_files
    return Request(read.messages, read.tools, all_texts(read.messages), n_pictures)


def count_locally(request: Request, counting: Counting) -> LocalCount:
    """Counts a request in its layers.

    Raises:
        EncodeError: A text cannot be encoded.
    """
    n_text = sum(counting.text(text) for text in request.texts)
    try:
        counted = counting.chat(request.messages, None)
        bare = counted.n
        n_tools = counting.chat(request.messages, request.tools).n - bare if request.tools else 0
    except EncodeError:
        raise
    except (ChatError, PieceworkError):
        # No template, or one that refuses: what it adds is left to be fitted.
        return LocalCount(n_text, None, None if request.tools else 0, counting.basis)
    return LocalCount(n_text, bare - n_text, n_tools, counting.basis, counted.basis)


def count_texts(request: Request, count_text: Callable[[str], int]) -> int:
    """The tokens of all texts and of the tools as JSON, under any tokenizer."""
    tools = [json.dumps(tool, ensure_ascii=False) for tool in request.tools or ()]
    return sum(count_text(text) for text in (*request.texts, *tools))


def all_texts(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """All text in messages, the names and arguments of calls included."""
    return tuple(text for message in messages for text in _texts(message))


def _texts(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    if isinstance(content, list):
        texts += [part["text"] for part in content if isinstance(part.get("text"), str)]
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        arguments = function.get("arguments")
        texts.append(str(function.get("name", "")))
        texts.append(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))
    return [text for text in texts if text]


def _openai_shaped(messages: Any) -> Any:  # noqa: ANN401 - as the record has it
    """Gemini's contents as OpenAI's messages; anything else as it is."""
    if isinstance(messages, dict):
        return {**messages, "messages": _openai_shaped(messages.get("messages"))}
    if not isinstance(messages, list):
        return [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    return [
        _from_gemini(one) if isinstance(one, dict) and isinstance(one.get("parts"), list) else one
        for one in messages
    ]


def _from_gemini(content: Mapping[str, Any]) -> dict[str, Any]:
    role = "assistant" if content.get("role") == "model" else "user"
    texts = [part.get("text") for part in content["parts"] if isinstance(part, dict)]
    kept = [{"type": "text", "text": text} for text in texts if isinstance(text, str)]
    images = [
        {"type": "image"}
        for part in content["parts"]
        if isinstance(part, dict) and ("inlineData" in part or "inline_data" in part)
    ]
    return {"role": role, "content": [*kept, *images]}
