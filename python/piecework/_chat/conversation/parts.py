"""The parts of a message's content: text stays text; images, sound, video and files are kept as parts without their data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import kind_of, list_at, mapping_at, refuse, shown_type, text_at
from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from piecework._chat.conversation.building import Building

__all__ = ["read_content", "read_parts", "simplest"]

_TEXT = frozenset({"text", "input_text", "output_text"})
# Longer than any address or file name that a template would print; what is longer is data.
_MAX_NAME = 2_048


def read_content(content: object, path: str, building: Building) -> str | list[dict[str, Any]] | None:
    """Reads a message's content.

    Returns:
        A string as it is; a list of parts in the target form; None for null.

    Raises:
        MessageError: It is none of these, or holds a part that has no place in a prompt.
    """
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise refuse(path, f"content is a string or a list of parts, not {shown_type(content)}")
    return read_parts(content, path, building)


def read_parts(
    parts: Sequence[object], path: str, building: Building, *, at: Callable[[int], str] | None = None
) -> list[dict[str, Any]]:
    """Reads a list of parts.

    Args:
        parts: The parts.
        path: The path of their list.
        building: Counts what is counted apart.
        at: The path of a part by its index; None for `path[index]`.

    Raises:
        MessageError: One has no place in a prompt.
    """
    return [
        _part(part, at(index) if at else f"{path}[{index}]", building)
        for index, part in enumerate(list_at(parts, path, "content"))
    ]


def simplest(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A single text part as the string that it is, since every template takes that; anything else as it is."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        text: str = parts[0]["text"]
        return text
    return parts


def _part(value: object, path: str, building: Building) -> dict[str, Any]:
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
        return {"type": "text", "text": text_at(part, "text", path)}
    if kind == "refusal":
        return {"type": "refusal", "refusal": text_at(part, "refusal", path)}
    if kind in MEDIUM_OF_TYPE:
        return _apart(part, MEDIUM_OF_TYPE[kind], path, building)
    raise refuse(path, f"a part of type {kind} has no place in the messages that chat templates read")


def _apart(part: Mapping[str, Any], kind: str, path: str, building: Building) -> dict[str, Any]:
    """The part that a template replaces by its placeholder, without data: base64 must never be read as text."""
    source = part.get("source")
    if isinstance(source, dict) and kind_of(source) in {"text", "content"}:
        raise refuse(path, "a document that is text has no place here", hint="give its text as a text part")
    building.apart[kind] += 1
    out: dict[str, Any] = {"type": kind}
    for key in ("url", "path", "filename", "file_id"):
        name = _name(part, key)
        if name is not None:
            out[key] = name
    return out


def _name(part: Mapping[str, Any], key: str) -> str | None:
    """An address or a name that a part has, in itself or in what it holds; None for data."""
    holders = [part, *(value for value in part.values() if isinstance(value, dict))]
    values = [holder.get(key) for holder in holders]
    if key == "url":
        values += [part.get(name) for name in ("image_url", "audio_url", "video_url", "file_url")]
    for value in values:
        if isinstance(value, str) and len(value) <= _MAX_NAME and not value.startswith("data:"):
            return value
    return None
