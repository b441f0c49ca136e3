"""The parts of a message's content: text stays text, and what is no text a part of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import list_at, mapping_at, refuse, shown_type, text_at
from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE
from piecework._chat.conversation.media_parts import read_medium

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from piecework._chat.conversation.building import Building

__all__ = ["read_content", "read_parts", "simplest"]

_TEXT = frozenset({"text", "input_text", "output_text"})


def read_content(
    content: object, path: str, building: Building, *, as_given: bool = False
) -> str | list[dict[str, Any]] | None:
    """Reads a message's content.

    Args:
        content: The content.
        path: Where it stands.
        building: Counts what is counted apart.
        as_given: Whether its parts have the target form, and keep their types and keys.

    Returns:
        A string as it is; a list of parts in the target form; None for null.

    Raises:
        MessageError: It is none of these, or holds a part that has no place in a prompt.
    """
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise refuse(path, f"content is a string or a list of parts, not {shown_type(content)}")
    return read_parts(content, path, building, as_given=as_given)


def read_parts(
    parts: Sequence[object],
    path: str,
    building: Building,
    *,
    at: Callable[[int], str] | None = None,
    as_given: bool = False,
) -> list[dict[str, Any]]:
    """Reads a list of parts.

    Args:
        parts: The parts.
        path: The path of their list.
        building: Counts what is counted apart.
        at: The path of a part by its index; None for `path[index]`.
        as_given: As for `read_content`.

    Raises:
        MessageError: One has no place in a prompt.
    """
    return [
        _part(part, at(index) if at else f"{path}[{index}]", building, as_given=as_given)
        for index, part in enumerate(list_at(parts, path, "content"))
    ]


def simplest(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A single text part as the string that it is, since every template takes that; anything else as it is."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        text: str = parts[0]["text"]
        return text
    return parts


def _part(value: object, path: str, building: Building, *, as_given: bool) -> dict[str, Any]:
    if isinstance(value, str):
        return {"type": "text", "text": value}
    part = mapping_at(value, path, "a part of content")
    kind = part.get("type")
    if not isinstance(kind, str):
        raise refuse(
            path, "a part of content has a type, such as text" if kind is None else "type is a string"
        )
    if kind in _TEXT:
        rest = building.leave_out(part, frozenset({"type", "text"}), path)
        if rest:
            raise refuse(path, f"a text part with {', '.join(sorted(rest))}, which no template would read")
        text = text_at(part, "text", path)
        # The order of the keys shows where a template prints its list.
        return dict(part) if as_given and part.keys() == {"type", "text"} else {"type": "text", "text": text}
    if kind == "refusal":
        return {"type": "refusal", "refusal": text_at(part, "refusal", path)}
    if kind in MEDIUM_OF_TYPE:
        return read_medium(part, path, building, as_given=as_given)
    raise refuse(path, f"a part of type {kind} has no place in the messages that chat templates read")
