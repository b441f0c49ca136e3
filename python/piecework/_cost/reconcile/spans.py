"""Spans with OpenTelemetry's attributes for generative AI, as a request and its response.

Source: OpenTelemetry's semantic conventions for generative AI, version 1.37 (`gen_ai.*`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["span_as_pair"]

_INPUT, _OUTPUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
# Names that earlier versions had.
_OLD = {"gen_ai.usage.prompt_tokens": _INPUT, "gen_ai.usage.completion_tokens": _OUTPUT}


def span_as_pair(row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Reads a span.

    Args:
        row: A span with `attributes`, as a mapping or as OTLP's list of keys and values; or the attributes themselves.

    Returns:
        Request and response with OpenAI's names; None where the row is no such span.

    Examples:
        >>> row = {"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 1}
        >>> span_as_pair(row)[1]["usage"]["input_tokens"]
        9
    """
    found = _attributes(row)
    attributes = {_OLD.get(key, key): value for key, value in found.items()}
    if _INPUT not in attributes and _OUTPUT not in attributes:
        return None
    request: dict[str, Any] = {
        "model": attributes.get("gen_ai.request.model"),
        "max_tokens": attributes.get("gen_ai.request.max_tokens"),
        "messages": _messages(_value(attributes.get("gen_ai.input.messages"))),
        "system": _system(_value(attributes.get("gen_ai.system_instructions"))),
        "tools": _value(attributes.get("gen_ai.tool.definitions")),
    }
    usage: dict[str, Any] = {
        "input_tokens": attributes.get(_INPUT),
        "output_tokens": attributes.get(_OUTPUT, 0),
        "input_tokens_details": {"cached_tokens": attributes.get("gen_ai.usage.cache_read.input_tokens")},
        "output_tokens_details": {"reasoning_tokens": attributes.get("gen_ai.usage.reasoning.output_tokens")},
    }
    reasons = _value(attributes.get("gen_ai.response.finish_reasons"))
    response = {
        "model": attributes.get("gen_ai.response.model"),
        "usage": usage,
        "choices": [{"finish_reason": reason} for reason in reasons] if isinstance(reasons, list) else [],
    }
    return request, response


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    held = row.get("attributes", row)
    if isinstance(held, list):
        return {
            str(pair["key"]): _otlp(pair.get("value"))
            for pair in held
            if hasattr(pair, "get") and "key" in pair
        }
    return dict(held) if hasattr(held, "items") else {}


def _otlp(value: Any) -> Any:  # noqa: ANN401 - any value of OTLP
    """A value of OTLP's JSON: `{"intValue": "9"}` is 9."""
    if not hasattr(value, "items") or len(value) != 1:
        return value
    ((kind, held),) = value.items()
    if kind == "intValue":
        return int(held) if isinstance(held, str) and _INTEGER.fullmatch(held) else held
    if kind == "arrayValue":
        # Arrays of arrays are in no attribute that is read here.
        values = held.get("values") if hasattr(held, "get") else None
        return [_scalar(one) for one in values] if isinstance(values, list) else []
    return held


def _scalar(value: Any) -> Any:  # noqa: ANN401 - any value of OTLP
    return None if hasattr(value, "get") and "arrayValue" in value else _otlp(value)


def _value(value: Any) -> Any:  # noqa: ANN401 - whatever it holds
    """Structured attributes travel as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _messages(value: Any) -> Any:  # noqa: ANN401 - as above
    """Messages with OpenTelemetry's parts, in OpenAI's shape."""
    if not isinstance(value, list):
        return None
    return [
        _message(one) if hasattr(one, "get") and isinstance(one.get("parts"), list) else one for one in value
    ]


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = [part for part in message["parts"] if hasattr(part, "get")]
    results = [part for part in parts if part.get("type") == "tool_call_response"]
    if results:
        part = results[0]
        content = part.get("response", part.get("result"))
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        return {"role": "tool", "tool_call_id": part.get("id"), "content": text}
    calls = [
        {
            "id": part.get("id"),
            "type": "function",
            "function": {"name": part.get("name"), "arguments": part.get("arguments") or {}},
        }
        for part in parts
        if part.get("type") == "tool_call"
    ]
    text = "".join(str(part.get("content", "")) for part in parts if part.get("type") == "text")
    return {"role": message.get("role"), "content": text, **({"tool_calls": calls} if calls else {})}


def _system(value: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, list):
        texts = [part.get("content") for part in value if hasattr(part, "get")]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return value
