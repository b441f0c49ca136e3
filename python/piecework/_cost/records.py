"""Usage as providers report it, in one form: the whole prompt with the parts of it that a cache served, the whole answer.

OpenAI counts cached tokens among those of the prompt, Anthropic beside them; Gemini counts thoughts beside the answer,
OpenAI among it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from piecework._cost.usage import Usage, read_usage
from piecework.errors import CostError

__all__ = ["Record", "read_record", "read_records"]

_OWN = (
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Record:
    """One request that ran.

    Attributes:
        usage: What it used.
        model: The model that the record names; None where it names none.
    """

    usage: Usage
    model: str | None


def read_records(lines: Iterable[Mapping[str, Any] | str | bytes]) -> list[Record]:
    """Reads the records of a log, one a line; empty lines are left out.

    Args:
        lines: Each a record, or its JSON.

    Raises:
        CostError: One is no record of usage; the message names its line.
    """
    found: list[Record] = []
    for at, line in enumerate(lines, 1):
        if isinstance(line, str | bytes) and not line.strip():
            continue
        try:
            found.append(read_record(line if isinstance(line, Mapping) else _parsed(line)))
        except CostError as error:
            raise CostError(f"line {at}: {error.message}", hint=error.hint) from None
    return found


def read_record(record: Mapping[str, Any]) -> Record:
    """Reads one record: a provider's response, its usage alone, an OpenTelemetry span's attributes, or our own names.

    Raises:
        CostError: It holds no usage, or numbers that contradict each other.

    Examples:
        >>> read_record({"model": "claude-sonnet-4-5", "usage": {"input_tokens": 50, "cache_read_input_tokens": 1000,
        ...     "cache_creation_input_tokens": 0, "output_tokens": 20}}).usage.input_tokens
        1050
    """
    body = _body(record)
    model = next(
        (found for key in ("model", "modelVersion") if isinstance(found := body.get(key), str)), None
    )
    attributes = record.get("attributes")
    spans = attributes if isinstance(attributes, Mapping) else record
    if "gen_ai.usage.input_tokens" in spans:
        name = spans.get("gen_ai.response.model") or spans.get("gen_ai.request.model")
        return Record(_of_span(spans), name if isinstance(name, str) else model)
    usage = next(
        (found for key in ("usage", "usageMetadata") if isinstance(found := body.get(key), Mapping)), body
    )
    return Record(_of_usage(usage), model)


def _body(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The response in a line that wraps it, as logs and batch files do."""
    for key in ("response", "body"):
        inner = record.get(key)
        if isinstance(inner, Mapping):
            return {"model": record.get("model"), **_body(inner)} if "model" in record else _body(inner)
    return record


def _of_usage(usage: Mapping[str, Any]) -> Usage:
    if "promptTokenCount" in usage:
        return _of_gemini(usage)
    if "prompt_tokens" in usage:
        return _of_openai(usage, "prompt", "completion")
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        return _of_anthropic(usage)
    if "input_tokens_details" in usage or "output_tokens_details" in usage:
        return _of_openai(usage, "input", "output")
    if "input_tokens" not in usage:
        keys = ", ".join(map(str, usage))[:_SHOWN] or "nothing"
        raise CostError(
            f"no usage is in the record (it has {keys})",
            hint="a record has usage as OpenAI, Anthropic or Gemini report it, or input_tokens and output_tokens",
        )
    return read_usage({name: _n(usage, name) for name in _OWN})


def _of_openai(usage: Mapping[str, Any], prompt: str, completion: str) -> Usage:
    read, written = usage.get(f"{prompt}_tokens_details"), usage.get(f"{completion}_tokens_details")
    return read_usage(
        {
            "input_tokens": _n(usage, f"{prompt}_tokens"),
            "output_tokens": _n(usage, f"{completion}_tokens"),
            "cached_tokens": _n(read, "cached_tokens"),
            "reasoning_tokens": _n(written, "reasoning_tokens"),
        }
    )


def _of_anthropic(usage: Mapping[str, Any]) -> Usage:
    cached, written = _n(usage, "cache_read_input_tokens"), _n(usage, "cache_creation_input_tokens")
    long_lived = _n(usage.get("cache_creation"), "ephemeral_1h_input_tokens")
    return read_usage(
        {
            "input_tokens": _n(usage, "input_tokens") + cached + written,
            "output_tokens": _n(usage, "output_tokens"),
            "cached_tokens": cached,
            "cache_write_tokens": written,
        },
        {"cache_write_1h_tokens": long_lived} if long_lived else None,
    )


def _of_gemini(usage: Mapping[str, Any]) -> Usage:
    thoughts = _n(usage, "thoughtsTokenCount")
    return read_usage(
        {
            "input_tokens": _n(usage, "promptTokenCount") + _n(usage, "toolUsePromptTokenCount"),
            "output_tokens": _n(usage, "candidatesTokenCount") + thoughts,
            "cached_tokens": _n(usage, "cachedContentTokenCount"),
            "reasoning_tokens": thoughts,
        }
    )


def _of_span(span: Mapping[str, Any]) -> Usage:
    """OpenTelemetry's attributes of generative AI: the prompt with its cached part, as OpenAI counts."""
    return read_usage(
        {
            "input_tokens": _n(span, "gen_ai.usage.input_tokens"),
            "output_tokens": _n(span, "gen_ai.usage.output_tokens"),
            "cached_tokens": _n(span, "gen_ai.usage.cache_read.input_tokens"),
            "cache_write_tokens": _n(span, "gen_ai.usage.cache_creation.input_tokens"),
        }
    )


def _n(values: object, name: str) -> int:
    """A number of tokens; 0 where it is missing or null."""
    found: object = values.get(name) if isinstance(values, Mapping) else None
    if found is None:
        return 0
    if isinstance(found, bool) or not isinstance(found, int):
        raise CostError(f"{name} is {str(found)[:_SHOWN]!r}, and a whole number is needed")
    return found


def _parsed(line: str | bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)[:_SHOWN]
        raise CostError(f"it is no JSON: {why}") from None
    if not isinstance(value, dict):
        raise CostError(f"it is a JSON {type(value).__name__}, and an object is needed")
    return value
