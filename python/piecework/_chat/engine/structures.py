"""Lists and mappings written out, as JSON or as Python shows them, with the origins of the strings inside.

Brackets, quotes and separators are the template's; each string keeps its origin through escaping.
"""

# ruff: noqa: ANN401 - a template computes with anything

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jinja2.runtime import Undefined

from piecework._chat.engine.origins import UNKNOWN
from piecework._chat.engine.tracked import Tracked, as_tracked, by_character, concat, literal, plain, tracked

__all__ = ["as_json", "shown"]

Escape = Callable[[str], Tracked]


def as_json(
    value: object,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - the filter's own signature
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002 - the filter's own signature
) -> Tracked:
    """`json.dumps` with origins: the `tojson` filter as Transformers defines it.

    Args:
        value: What is written.
        ensure_ascii: As for json.dumps.
        indent: As for json.dumps.
        separators: As for json.dumps.
        sort_keys: As for json.dumps.

    Returns:
        The JSON; of unknown origin as a whole where it is not what the pieces make.

    Raises:
        TypeError: A value is none that JSON has.
        ValueError: A value contains itself.
    """
    expected = json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
    unit = literal(" " * indent) if isinstance(indent, int) else indent
    item, colon = separators or (literal(", " if indent is None else ","), literal(": "))

    def escape(text: str) -> Tracked:
        def write(character: str) -> str:
            return json.dumps(character, ensure_ascii=ensure_ascii)[1:-1]

        return by_character(text, write, json.dumps(plain(text), ensure_ascii=ensure_ascii)[1:-1])

    made = concat(_json(value, _Layout(unit, item, colon, sort_keys=sort_keys), escape, literal("\n")))
    return made if plain(made) == expected else tracked(expected, UNKNOWN)


class _Layout:
    """What stands between the parts of a JSON text; what a template was given for it keeps its own origin."""

    def __init__(self, unit: str | None, item: str, colon: str, *, sort_keys: bool) -> None:
        self.unit = unit
        self.item = as_tracked(item)
        self.colon = as_tracked(colon)
        self.sort_keys = sort_keys

    def inner(self, line: Tracked) -> Tracked:
        """The line break before the parts of what stands behind `line`."""
        return line + (self.unit or "")

    def between(self, line: Tracked) -> Tracked:
        """What separates two parts."""
        return self.item if self.unit is None else self.item + self.inner(line)

    def edge(self, line: Tracked) -> Tracked:
        """What stands between a bracket and a part."""
        return literal("") if self.unit is None else line


def _json(value: object, layout: _Layout, escape: Escape, line: Tracked) -> Iterator[Tracked]:
    if isinstance(value, str):
        yield from (literal('"'), escape(value), literal('"'))
    elif isinstance(value, Mapping) and value:
        items = sorted(value.items()) if layout.sort_keys else value.items()
        yield literal("{")
        for i, (key, part) in enumerate(items):
            yield layout.between(line) if i else layout.edge(layout.inner(line))
            yield from (
                literal('"'),
                escape(key if isinstance(key, str) else json.dumps(key)),
                literal('"'),
                layout.colon,
            )
            yield from _json(part, layout, escape, layout.inner(line))
        yield from (layout.edge(line), literal("}"))
    elif isinstance(value, list | tuple) and value:
        yield literal("[")
        for i, part in enumerate(value):
            yield layout.between(line) if i else layout.edge(layout.inner(line))
            yield from _json(part, layout, escape, layout.inner(line))
        yield from (layout.edge(line), literal("]"))
    else:
        yield literal(json.dumps(value))


def shown(value: object) -> Tracked:
    """`str(value)` of a list, tuple or mapping, with the origins of the strings inside."""
    expected = str(value)
    made = concat(_shown(value))
    return made if plain(made) == expected else tracked(expected, UNKNOWN)


def _shown(value: object) -> Iterator[Tracked]:
    if isinstance(value, str):
        yield _quoted(value)
    elif isinstance(value, list):
        yield from (literal("["), *_listed(value), literal("]"))
    elif isinstance(value, tuple):
        yield from (literal("("), *_listed(value), literal(",)" if len(value) == 1 else ")"))
    elif isinstance(value, Mapping):
        yield literal("{")
        for i, (key, part) in enumerate(value.items()):
            yield from (literal(", " if i else ""), *_shown(key), literal(": "), *_shown(part))
        yield literal("}")
    elif value is None or isinstance(value, bool | int | float | Undefined):
        yield literal(repr(value))
    else:
        yield tracked(repr(value), UNKNOWN)


def _listed(values: Any) -> Iterator[Tracked]:
    for i, value in enumerate(values):
        yield from (literal(", " if i else ""), *_shown(value))


def _quoted(text: str) -> Tracked:
    written = repr(plain(text))
    quote = written[0]

    def write(character: str) -> str:
        if character in "\"'":
            return f"\\{character}" if character == quote else character
        return repr(character)[1:-1]

    return concat((literal(quote), by_character(text, write, written[1:-1]), literal(quote)))
