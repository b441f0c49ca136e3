"""One request as its provider billed it, whatever the provider calls the numbers.

Read: bodies of OpenAI's chat and Responses, Anthropic and Gemini; spans with OpenTelemetry's GenAI attributes; rows of
`log_request`. Each may stand alone, or as `response` beside its `request`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from piecework._cost.reconcile.spans import span_as_pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NotUsageError", "UsageRecord", "read_record"]

_USAGE = ("usage", "usageMetadata", "usage_metadata")
# How providers say that a reply was cut by its limit.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


# No bill has so many tokens, and no model such a name.
_MAX_TOKENS = 10**12
_MAX_NAME = 500


class NotUsageError(ValueError):
    """A row is no usage record; the message says why."""


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """What a provider billed for a request.

    Attributes:
        line: The line of the log that it stands on, from 1.
        model: The model, as the provider names it, else as it was asked for.
        input_tokens: All tokens that were read, those from a cache included.
        reported_input_tokens: What the provider's own field for input says; less than `input_tokens` where it leaves out
            what was read from or written to a cache.
        cached_tokens: Tokens read from a cache.
        cache_write_tokens: Tokens written to a cache.
        output_tokens: All tokens that were written, reasoning included.
        reasoning_tokens: Tokens of reasoning that the reply does not show; None where the provider does not say.
        is_cut: Whether the reply ended at its limit; None where nothing says.
        time: When, as the record has it.
        messages: What was sent, if the record has it: messages, or the body of the request.
        tools: The tools that were sent.
        reply: The text that came back, if the record has it.
        max_output_tokens: The limit of the reply that was asked for.
        logged_tokens: The local count that a row of `log_request` has.
        logged_parts: Its parts.
    """

    line: int
    model: str
    input_tokens: int
    reported_input_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int | None
    is_cut: bool | None
    time: str | None = None
    messages: Any = None
    tools: Any = None
    reply: str | None = None
    max_output_tokens: int | None = None
    logged_tokens: int | None = None
    logged_parts: tuple[tuple[str, int], ...] = ()


def read_record(row: Mapping[str, Any], *, line: int = 1, model: str | None = None) -> UsageRecord:
    """Reads a usage record.

    Args:
        row: A response, a pair of `request` and `response`, a span, or a row of `log_request`.
        line: Where it stands.
        model: The model, where the record names none.

    Raises:
        NotUsageError: It has no usage, or a number of it is none.

    Examples:
        >>> usage = {"input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 2}
        >>> record = read_record({"model": "claude-sonnet-4-5", "usage": usage, "stop_reason": "max_tokens"})
        >>> record.input_tokens, record.reported_input_tokens, record.cached_tokens, record.is_cut
        (10, 3, 7, True)
    """
    request, response = span_as_pair(row) or _as_pair(row)
    usage: Any = next((response[key] for key in _USAGE if response.get(key) is not None), None)
    if not hasattr(usage, "get"):
        raise NotUsageError("it has no usage")
    numbers = _Numbers(usage)
    named = (
        response.get("model"),
        response.get("modelVersion"),
        request.get("model"),
        row.get("model"),
        model,
    )
    name = next((one for one in named if one), None)
    if not isinstance(name, str) or len(name) > _MAX_NAME:
        raise NotUsageError("it names no model")
    if not name.isprintable():
        raise NotUsageError("its model's name has control characters")
    sent = next((request[key] for key in ("messages", "input", "contents") if request.get(key)), None)
    cached = numbers.one_of(
        "cache_read_input_tokens", "cachedContentTokenCount", "cached_content_token_count",
        within=(("prompt_tokens_details", "cached_tokens"), ("input_tokens_details", "cached_tokens")),
    )  # fmt: skip
    written = numbers.one_of("cache_creation_input_tokens")
    reported = numbers.needed("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count")
    # Anthropic alone leaves out of its input what a cache had or got.
    is_apart = "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage
    used_by_tools = numbers.one_of("toolUsePromptTokenCount", "tool_use_prompt_token_count") or 0
    thought = numbers.one_of("thoughtsTokenCount", "thoughts_token_count")
    reasoning = numbers.one_of(
        within=(
            ("completion_tokens_details", "reasoning_tokens"),
            ("output_tokens_details", "reasoning_tokens"),
        )
    )
    written_out = numbers.needed(
        "completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count"
    )
    return UsageRecord(
        line=line,
        model=name,
        input_tokens=reported + used_by_tools + ((cached or 0) + (written or 0) if is_apart else 0),
        reported_input_tokens=reported,
        cached_tokens=cached or 0,
        cache_write_tokens=written or 0,
        output_tokens=written_out + (thought or 0),
        reasoning_tokens=thought if thought is not None else reasoning,
        is_cut=_is_cut(response),
        time=_time(row, response),
        messages=_with_system(sent, request),
        tools=request.get("tools") or None,
        reply=_reply(response),
        max_output_tokens=_limit(request),
        logged_tokens=row["n_tokens"] if _is_number(row.get("n_tokens")) else None,
        logged_parts=_parts(row.get("parts")),
    )


class _Numbers:
    """The numbers of a usage object, under any of several names."""

    def __init__(self, usage: Mapping[str, Any]) -> None:
        self._usage = usage

    def one_of(self, *names: str, within: Sequence[tuple[str, str]] = ()) -> int | None:
        """The first number that is there; None for none."""
        found = [(name, self._usage.get(name)) for name in names]
        for outer, inner in within:
            details: Any = self._usage.get(outer)
            found.append((f"{outer}.{inner}", details.get(inner) if hasattr(details, "get") else None))
        for name, value in found:
            if value is None:
                continue
            if not _is_number(value):
                raise NotUsageError(f"usage.{name} is {_shown(value)}, and not a number of tokens")
            return value
        return None

    def needed(self, *names: str) -> int:
        """The first number that is there."""
        value = self.one_of(*names)
        if value is None:
            raise NotUsageError(f"its usage has none of {', '.join(names[:3])}")
        return value


def _as_pair(row: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The request and the response of a row; a row that is both stands for both."""
    request, response = row.get("request"), row.get("response")
    return (
        request if hasattr(request, "get") and request else row,
        response if hasattr(response, "get") and response else row,
    )


def _with_system(sent: Any, request: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as the record has it
    """Messages with the instructions that stand beside them."""
    system = request.get("system") or request.get("instructions")
    if sent is None or not isinstance(system, str | list):
        return sent
    return {"messages": sent, "system": system}


def _is_cut(response: Mapping[str, Any]) -> bool | None:
    """Whether a reply ended at its limit."""
    reasons = [response.get("stop_reason"), response.get("finish_reason")]
    for key, name in (("choices", "finish_reason"), ("candidates", "finishReason")):
        rows = response.get(key)
        reasons += [row.get(name) for row in rows if hasattr(row, "get")] if isinstance(rows, list) else []
    details: Any = response.get("incomplete_details")
    reasons.append(details.get("reason") if hasattr(details, "get") else None)
    if response.get("status") == "completed":
        reasons.append("completed")
    said = [str(reason).lower() for reason in reasons if reason]
    return None if not said else any(reason in _CUT for reason in said)


def _reply(response: Mapping[str, Any]) -> str | None:
    """The text of a reply; None where there is none, or where it also holds what is no text, such as a call."""
    for key, path in (("choices", "message"), ("candidates", "content")):
        rows = response.get(key)
        if isinstance(rows, list) and len(rows) == 1 and hasattr(rows[0], "get"):
            message: Any = rows[0].get(path)
            if not hasattr(message, "get") or message.get("tool_calls"):
                return None
            return _text(message.get("content", message.get("parts")))
    return _text(response.get("content")) if response.get("role") == "assistant" else None


def _text(content: Any) -> str | None:  # noqa: ANN401 - as the record has it
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part.get("text") if hasattr(part, "get") else None for part in content]
    return "".join(texts) if texts and all(isinstance(text, str) for text in texts) else None  # type: ignore[arg-type]


def _limit(request: Mapping[str, Any]) -> int | None:
    for key in ("max_completion_tokens", "max_output_tokens", "max_tokens"):
        value = request.get(key)
        if _is_number(value) and value:
            return value
    return None


def _time(row: Mapping[str, Any], response: Mapping[str, Any]) -> str | None:
    for holder in (row, response):
        for key in ("time", "timestamp", "created_at", "created", "createTime", "startTimeUnixNano"):
            value = holder.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return "".join(char for char in str(value)[:_MAX_NAME] if char.isprintable())
    return None


def _parts(parts: Any) -> tuple[tuple[str, int], ...]:  # noqa: ANN401 - as the record has it
    rows = parts.items() if hasattr(parts, "items") else ()
    return tuple((str(name), n) for name, n in rows if _is_number(n))


def _is_number(value: object) -> TypeGuard[int]:
    """Whether a value is a number of tokens that a bill can have."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_TOKENS


def _shown(value: object) -> str:
    return repr(value)[:40]
