"""Asks an endpoint, again after what may pass: too many requests, an error of the server, no answer in time.

What to do with an answer is decided in one place (`judge`), for both ways of waiting.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from piecework.errors import RemoteCountError

if TYPE_CHECKING:
    from piecework._chat.remote.endpoints import Question

__all__ = ["Answer", "Patience", "ask", "ask_async", "judge"]

_OK, _TIMEOUT_STATUS, _TOO_MANY, _SERVER_ERRORS = 200, 408, 429, 500
# An answer is a few dozen bytes, an error a few hundred.
_MAX_ANSWER_BYTES = 1 << 20
_MAX_SHOWN = 200
_MOST_TOKENS = 10**12


class Patience(NamedTuple):
    """How long to wait for an answer.

    Attributes:
        max_attempts: How often to ask.
        first_delay_s: How long to wait before the second time; twice as long before each next one.
        max_delay_s: How long to wait at most; a server that asks for more is not asked again.
        timeout_s: How long to wait for one answer.
    """

    max_attempts: int = 4
    first_delay_s: float = 0.5
    max_delay_s: float = 30.0
    timeout_s: float = 30.0


class Answer(NamedTuple):
    """What came back.

    Attributes:
        status: The HTTP status; None where there was no answer.
        body: The answer, or in words why there was none.
        retry_after: The header of that name; None where there was none.
    """

    status: int | None
    body: bytes
    retry_after: str | None = None


def judge(question: Question, answer: Answer, attempt: int, patience: Patience) -> int | float:
    """Decides what an answer means.

    Args:
        question: What was asked.
        answer: What came back.
        attempt: How often it was asked so far.
        patience: How long to wait.

    Returns:
        The count as an int, or as a float the seconds to wait before asking again.

    Raises:
        RemoteCountError: It is an error that asking again does not change, or has been asked often enough.
    """
    if answer.status == _OK:
        return _count(question, answer.body)
    passes = (
        answer.status is None
        or answer.status in (_TIMEOUT_STATUS, _TOO_MANY)
        or answer.status >= _SERVER_ERRORS
    )
    if not passes:
        raise _error(question, answer, "refused", hint=_hint(answer.status))
    if attempt >= patience.max_attempts:
        raise _error(question, answer, f"did not answer in {attempt} attempts", hint="later it may")
    asked = _seconds(answer.retry_after)
    if asked is not None and asked > patience.max_delay_s:
        raise _error(question, answer, f"asks to wait {asked:,.0f} s", hint="later it may answer")
    return max(asked or 0.0, min(patience.first_delay_s * 2.0 ** (attempt - 1), patience.max_delay_s))


def ask(question: Question, patience: Patience) -> int:
    """Asks for a count.

    Raises:
        RemoteCountError: There is none.
    """
    import httpx2  # noqa: PLC0415 - only where an endpoint is asked

    attempt = 0
    # Redirects are not followed: the key is for the address that was named.
    with httpx2.Client(timeout=patience.timeout_s, follow_redirects=False) as client:
        while True:
            attempt += 1
            deadline = time.monotonic() + patience.timeout_s
            try:
                with client.stream(
                    "POST", question.url, content=question.body, headers=dict(question.headers)
                ) as response:
                    answer = _opened(response.status_code, response.headers)
                    for piece in response.iter_bytes():
                        answer = _longer(answer, piece, deadline)
            except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as error:
                answer = Answer(None, _failure(error))
            found = judge(question, answer, attempt, patience)
            if isinstance(found, int):
                return found
            time.sleep(found)


async def ask_async(question: Question, patience: Patience) -> int:
    """Asks for a count without holding up the event loop.

    Raises:
        RemoteCountError: There is none.
    """
    import httpx2  # noqa: PLC0415 - only where an endpoint is asked

    attempt = 0
    async with httpx2.AsyncClient(timeout=patience.timeout_s, follow_redirects=False) as client:
        while True:
            attempt += 1
            deadline = time.monotonic() + patience.timeout_s
            try:
                async with client.stream(
                    "POST", question.url, content=question.body, headers=dict(question.headers)
                ) as response:
                    answer = _opened(response.status_code, response.headers)
                    async for piece in response.aiter_bytes():
                        answer = _longer(answer, piece, deadline)
            except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as error:
                answer = Answer(None, _failure(error))
            found = judge(question, answer, attempt, patience)
            if isinstance(found, int):
                return found
            await asyncio.sleep(found)


def _opened(status: int, headers: Mapping[str, str]) -> Answer:
    return Answer(status, b"", headers.get("retry-after"))


def _longer(answer: Answer, piece: bytes, deadline: float) -> Answer:
    """Adds a piece to an answer.

    Raises:
        TimeoutError: It takes too long, or is too long to be one.
    """
    if time.monotonic() > deadline:
        raise TimeoutError("the answer took too long")
    if len(answer.body) + len(piece) > _MAX_ANSWER_BYTES:
        raise TimeoutError("the answer does not end")
    return answer._replace(body=answer.body + piece)


def _failure(error: Exception) -> bytes:
    return (str(error) or type(error).__name__).encode("utf-8", "replace")


def _count(question: Question, body: bytes) -> int:
    try:
        held = json.loads(body)
    except (ValueError, RecursionError):
        held = None
    # Gemini leaves a zero out.
    n = (
        held.get(question.answer_key, 0 if question.provider == "google" else None)
        if isinstance(held, dict)
        else None
    )
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= _MOST_TOKENS:
        raise _error(question, Answer(_OK, body), f"answered without a count ({question.answer_key})")
    return n


def _error(question: Question, answer: Answer, what: str, *, hint: str | None = None) -> RemoteCountError:
    status = "" if answer.status in (None, _OK) else f" with status {answer.status}"
    said = _said(answer.body, question.key)
    return RemoteCountError(
        f"{question.title} {what}{status}{f': {said}' if said else ''}",
        provider=question.provider,
        status=answer.status,
        hint=hint,
    )


def _said(body: bytes, key: str) -> str:
    """The message of an error in one line of printable characters, or the beginning of what came; never the key."""
    text = body.decode("utf-8", "replace")
    try:
        held = json.loads(body)
        held = held["error"] if isinstance(held, dict) and isinstance(held.get("error"), dict) else held
        text = str(held["message"])
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    # Before anything is cut: the beginning of a key is not to be printed either.
    text = text.replace(key, "***")[: _MAX_SHOWN * 8]
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    line = line.replace(key, "***")
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"


def _hint(status: int | None) -> str | None:
    if status in (401, 403):
        return "the key is not accepted: look at the variable that it comes from"
    return "the endpoint may not know the model" if status == 404 else None


def _seconds(retry_after: str | None) -> float | None:
    """The seconds of a Retry-After header, which has a number or a date; None for neither."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            then = parsedate_to_datetime(retry_after)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        seconds = (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - datetime.now(
            UTC
        ).timestamp()
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124 - not a number
