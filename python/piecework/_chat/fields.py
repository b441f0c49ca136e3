"""The strings of what a template is given, and their paths, such as `messages[3].content[1].text`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["field_at", "mapped_texts", "text_fields"]

# As the engine writes the paths of what it renders: a key that is no plain name stands in brackets, cut where it is long.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_MAX_KEY = 44
_KEPT_KEY = 40


def field_at(variables: Mapping[str, Any], path: str) -> str | None:
    """The string at a path; None where there is none, and for keys of objects (`…~key`), which share one path.

    Examples:
        >>> field_at({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}, "messages[0].content[0].text")
        'Hi'
    """
    return next((text for found, text in _walk(variables, "", path) if found == path), None)


def text_fields(value: object, path: str, *, with_keys: bool = False) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each string in a value; of objects' keys too, if they are wanted."""
    for found, text in _walk(value, path, None):
        if with_keys or not found.endswith("~key"):
            yield found, text


def mapped_texts(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - the same shape as what is given
    """The same value with every string changed, keys too; the roles and types of messages stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {
            change(key) if isinstance(key, str) else key: item
            if key in {"role", "type"}
            else mapped_texts(item, change)
            for key, item in value.items()
        }
    return [mapped_texts(item, change) for item in value] if isinstance(value, list | tuple) else value


def _walk(value: object, path: str, until: str | None) -> Iterator[tuple[str, str]]:
    """The strings of a value; with `until`, only those whose path can be that one or the beginning of it."""
    if until is not None and not until.startswith(path):
        return
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if until is None and isinstance(key, str):
                yield f"{path}~key", key
            yield from _walk(item, _step(path, key), until)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for at, item in enumerate(value):
            yield from _walk(item, f"{path}[{at}]", until)


def _step(path: str, key: object) -> str:
    if isinstance(key, str) and _NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    shown = repr(key)
    return f"{path}[{shown if len(shown) <= _MAX_KEY else shown[:_KEPT_KEY] + '…' + shown[0]}]"
