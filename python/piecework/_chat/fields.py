"""The strings of what a template is given, and their paths, such as `messages[3].content[1].text`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["mapped_texts", "text_fields"]

# As the engine writes the paths of what it renders: a key that is no plain name stands in brackets, cut where it is long.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_MAX_KEY = 44
_KEPT_KEY = 40


def text_fields(value: object, path: str, *, with_keys: bool = False) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each string in a value; of objects' keys (`…~key`) too, if they are wanted.

    Examples:
        >>> list(text_fields({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}, ""))[2]
        ('messages[0].content[0].text', 'Hi')
    """
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if with_keys and isinstance(key, str):
                yield f"{path}~key", key
            yield from text_fields(item, _step(path, key), with_keys=with_keys)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for at, item in enumerate(value):
            yield from text_fields(item, f"{path}[{at}]", with_keys=with_keys)


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


def _step(path: str, key: object) -> str:
    if isinstance(key, str) and _NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    shown = repr(key)
    return f"{path}[{shown if len(shown) <= _MAX_KEY else shown[:_KEPT_KEY] + '…' + shown[0]}]"
