"""Where providers count, how they know who asks, and where the number stands in what they answer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from piecework.errors import RemoteCountError

if TYPE_CHECKING:
    from piecework._chat.served.models import Provider, ServedModel

__all__ = ["Question", "question"]


@dataclass(frozen=True, slots=True)
class Question:
    """A request for a count.

    Attributes:
        provider: Who is asked.
        title: The endpoint's name, for people.
        url: Its address.
        body: What is sent.
        answer_key: The field of the answer with the number.
        key: The caller's key; never printed.
        headers: What is sent beside the body; never printed, since the key is in it.
    """

    provider: Provider
    title: str
    url: str
    body: bytes
    answer_key: str
    key: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    title: str
    base_url: str
    base_variables: tuple[str, ...]
    path: str
    key_variables: tuple[str, ...]
    key_header: str
    answer_key: str
    headers: Mapping[str, str]


_ENDPOINTS: Mapping[str, _Endpoint] = {
    "anthropic": _Endpoint(
        title="Anthropic's count_tokens",
        base_url="https://api.anthropic.com",
        base_variables=("ANTHROPIC_BASE_URL",),
        path="/v1/messages/count_tokens",
        key_variables=("ANTHROPIC_API_KEY",),
        key_header="x-api-key",
        answer_key="input_tokens",
        headers={"anthropic-version": "2023-06-01"},
    ),
    "google": _Endpoint(
        title="Gemini's countTokens",
        base_url="https://generativelanguage.googleapis.com",
        base_variables=("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        path="/v1beta/models/{model}:countTokens",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_header="x-goog-api-key",
        answer_key="totalTokens",
        headers={},
    ),
}


def question(
    model: ServedModel, body: Mapping[str, object], environment: Mapping[str, str] | None = None
) -> Question:
    """Makes the request for a count.

    Args:
        model: The model.
        body: What is asked.
        environment: The variables with the key and, for another address, the base of it; None for the process's.

    Raises:
        RemoteCountError: There is no key, it cannot be sent, or the base is no address.
    """
    variables = os.environ if environment is None else environment
    endpoint = _ENDPOINTS[model.provider]
    key = _first(variables, endpoint.key_variables)
    if not key:
        raise RemoteCountError(
            f"{endpoint.title} needs a key, and {' or '.join(endpoint.key_variables)} is not set",
            provider=model.provider,
            hint=f"set {endpoint.key_variables[0]}, or count without the endpoint",
        )
    if not (key.isascii() and key.isprintable()):
        raise RemoteCountError(
            f"the key of {' or '.join(endpoint.key_variables)} has characters that no key has",
            provider=model.provider,
            hint="look for a line end or a quotation mark in it",
        )
    base = (_first(variables, endpoint.base_variables) or endpoint.base_url).rstrip("/")
    if not _is_address(base):
        raise RemoteCountError(
            f"{' or '.join(endpoint.base_variables)} is no address of a server: {_without_password(base)}",
            provider=model.provider,
        )
    headers = {"content-type": "application/json", **endpoint.headers, endpoint.key_header: key}
    # Sorted and compact, so that the same question is the same bytes.
    data = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return Question(
        model.provider,
        endpoint.title,
        base + endpoint.path.format(model=quote(model.wire_name, safe="")),
        data.encode("utf-8", "replace"),
        endpoint.answer_key,
        key,
        headers,
    )


def _first(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := variables.get(name, "").strip())), "")


def _without_password(base: str) -> str:
    head, at, tail = base.rpartition("@")
    return f"{head.partition('//')[0]}//***{at}{tail}" if at else base


def _is_address(base: str) -> bool:
    if not (base.isascii() and base.isprintable()) or " " in base:
        return False
    try:
        parts = urlsplit(base)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
