"""Whether a text is chat messages as JSON: then its count as text is not what the model would read."""

from __future__ import annotations

__all__ = ["looks_like_chat"]

# Parsing more than this only for a note would cost more than the count.
_MAX_BYTES = 4 << 20


def looks_like_chat(data: bytes) -> bool:
    """Whether bytes are a JSON list of messages with a role, or an object that holds one as `messages`.

    Examples:
        >>> looks_like_chat(b'[{"role": "user", "content": "Hi"}]'), looks_like_chat(b'{"a": 1}')
        (True, False)
    """
    if len(data) > _MAX_BYTES or not data.lstrip().startswith((b"[", b"{")) or b'"role"' not in data:
        return False
    import json  # noqa: PLC0415 - most texts do not look like JSON

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _is_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and bool({"content", "tool_calls"} & value.keys())
    )
