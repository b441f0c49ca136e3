"""Images and the like that a template passes over: with such parts taken out, its text is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE
from piecework._chat.conversation.media_parts import as_medium
from piecework._chat.engine import render
from piecework.errors import ChatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from piecework._chat.reading import Rendering

__all__ = ["unwritten_media"]

_Part = dict[str, Any]


def unwritten_media(made: Rendering) -> Iterator[str]:
    """Says which parts a template writes nothing for, and which type it would write, in sentences.

    Complexity: One rendering more for each type of such parts, one more for a type that is passed over.
    """
    places: dict[str, list[str]] = {}
    for at, message in enumerate(made.conversation.messages):
        content = message.get("content")
        for index, part in enumerate(content if isinstance(content, list) else ()):
            if part["type"] in MEDIUM_OF_TYPE:
                place = made.conversation.place(f"messages[{at}].content[{index}]")
                places.setdefault(part["type"], []).append(place)
    for kind, paths in places.items():
        if _text(made, kind, lambda _: []) != made.rendered.text:
            continue
        target = MEDIUM_OF_TYPE[kind]
        known = kind != target and _text(made, kind, lambda part: [as_medium(part)])
        hint = f"; it writes one of type {target}" if known and known != made.rendered.text else ""
        for path in paths:
            yield f"{path}: the template writes nothing for a part of type {kind}{hint}"


def _text(made: Rendering, kind: str, change: Callable[[_Part], list[_Part]]) -> str | None:
    """The text with other parts in the place of those of a type; None where the template fails on them."""
    messages = [_changed(message, kind, change) for message in made.conversation.messages]
    variables = {**made.variables, "messages": messages}
    try:
        return render(
            made.template.source, name=made.template.name, variables=variables, today=made.today
        ).text
    except ChatError:
        return None


def _changed(
    message: Mapping[str, Any], kind: str, change: Callable[[_Part], list[_Part]]
) -> Mapping[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = [new for part in content for new in (change(part) if part["type"] == kind else [part])]
    return {**message, "content": parts}
