"""The string that stands at a path of what a template was given, such as `messages[3].content[1].text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["field_at", "text_fields"]


def field_at(variables: Mapping[str, Any], path: str) -> str | None:
    """The string at a path; None where there is none, and for keys of objects (`…~key`), which are as short as they look.

    Examples:
        >>> field_at({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}, "messages[0].content[0].text")
        'Hi'
    """
    if path.endswith("~key"):
        return None
    return dict(_walk(variables, "", path)).get(path)


def text_fields(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each string in a value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from text_fields(item, f"{path}.{key}" if path else key)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for at, item in enumerate(value):
            yield from text_fields(item, f"{path}[{at}]")


def _walk(value: object, path: str, until: str) -> Iterator[tuple[str, str]]:
    """The strings of a value whose path can be, or begins, the one that is looked for: keys may hold dots."""
    if not until.startswith(path):
        return
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}" if path else str(key), until)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for at, item in enumerate(value):
            yield from _walk(item, f"{path}[{at}]", until)
