"""YAML in block style, written here and read back by PyYAML: what it takes for a date or a yes is quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from piecework._optional import optional_module
from piecework._slim.data import Number, Value, scalar, write_json

__all__ = ["read", "write"]

_PLAIN = re.compile(r"[A-Za-z_](?:[\w ./()-]*[\w./()-])?", re.ASCII)
_NO_TEXT = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null")


def write(value: Value) -> str | None:
    """A value as YAML; None for a scalar."""
    return "\n".join(_lines(value, "")) if isinstance(value, dict | list) and value else None


def _lines(value: Value, indent: str) -> Iterator[str]:
    items = (
        [(f"{_text(key)}:", item) for key, item in value.items()]
        if isinstance(value, dict)
        else [("-", item) for item in value]
        if isinstance(value, list)
        else []
    )
    for mark, item in items:
        if not isinstance(item, dict | list) or not item:
            yield f"{indent}{mark} {_text(item)}"
        elif mark == "-":
            first, *rest = _lines(item, f"{indent}  ")
            yield f"{indent}- {first.lstrip(' ')}"
            yield from rest
        else:
            yield f"{indent}{mark}"
            yield from _lines(item, indent if isinstance(item, list) else f"{indent}  ")


def _text(value: Value) -> str:
    is_text = isinstance(value, str) and not isinstance(value, Number)
    if is_text and _PLAIN.fullmatch(str(value)) and not _NO_TEXT.fullmatch(str(value)):
        return str(value)
    return write_json(value, separators=(", ", ": "))


def read(text: str) -> Value:
    """Reads YAML as data that JSON has too.

    Raises:
        ValueError: It is no YAML, or holds what JSON has not: dates, anchors, keys that are no texts, NaN.
        MissingExtraError: PyYAML is not installed.
    """
    yaml: Any = optional_module("yaml", extra="yaml")
    try:
        # The parser in C is ten times as fast; PyYAML comes without it where there was no compiler.
        node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error).replace("\n", " ")) from None
    return _value(node, set())


def _value(node: Any, seen: set[int]) -> Value:  # noqa: ANN401 - PyYAML's
    if node is None:
        return None
    if id(node) in seen:
        raise ValueError("an anchor is used again, which JSON has not")
    seen.add(id(node))
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    # A tag may be written before anything: `!!bool [a]`.
    if node.id != {"map": "mapping", "seq": "sequence"}.get(kind, "scalar"):
        raise ValueError(f"a {node.id} is tagged as {kind}")
    if kind == "map":
        pairs = [(_value(key, seen), _value(item, seen)) for key, item in node.value]
        found = {key: item for key, item in pairs if type(key) is str}
        if len(found) != len(node.value):
            raise ValueError("a key is no text, or stands twice")
        return found
    if kind == "seq":
        return [_value(item, seen) for item in node.value]
    return _scalar(kind, node.value)


def _scalar(kind: str, text: str) -> Value:
    if kind == "str":
        return text
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if kind in {"int", "float"} and isinstance(scalar(text), Number):
        return Number(text)
    raise ValueError(f"{text} is a {kind} of YAML, which JSON spells otherwise or has not")
