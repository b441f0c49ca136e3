"""Images, sound, video and files in a message's content, for a template: never their data, which must not be read as text.

A part that OpenAI's chat or Transformers has goes on as it was given; one of another API becomes a part that templates
know. A template writes a placeholder for either, or its own idea of the part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework._chat.conversation.checks import kind_of, refuse
from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE

if TYPE_CHECKING:
    from piecework._chat.conversation.building import Building

__all__ = ["DATA", "as_medium", "read_medium"]

DATA = "(data)"
"""What stands in the place of data."""

# Parts that only other APIs than the target's have.
_FOREIGN = frozenset({"input_image", "input_video", "input_file", "document"})
_DATA_KEYS = frozenset({"data", "file_data", "base64", "b64_json"})
_NAME_KEYS = ("url", "path", "filename", "file_id")
# Longer than any address or file name that a template would print; what is longer is data.
_MAX_NAME = 2_048
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{64,}={0,2}\s*")


def read_medium(part: Mapping[str, Any], path: str, building: Building, *, as_given: bool) -> dict[str, Any]:
    """Reads a part whose type is in `MEDIUM_OF_TYPE`.

    Args:
        part: The part.
        path: Where it stands.
        building: Counts it, and notes what was changed.
        as_given: Whether its message goes to the template as given.

    Returns:
        The part as it is with `DATA` in place of data, or as a part of type `image`, `audio`, `video` or `file`.

    Raises:
        MessageError: It is a document that is text.
    """
    given = str(part["type"])
    kind = MEDIUM_OF_TYPE[given]
    source = part.get("source")
    if isinstance(source, dict) and kind_of(source) in {"text", "content"}:
        raise refuse(path, "a document that is text has no place here", hint="give its text as a text part")
    building.apart[kind] += 1
    if not as_given or given in _FOREIGN or isinstance(source, Mapping):
        shown = f"a part of type {given}" + (" with a source" if isinstance(source, Mapping) else "")
        building.form_notes.append(f"{path}: {shown}; the template is given one of type {kind}, without data")
        return as_medium(part)
    found: list[str] = []
    kept: dict[str, Any] = _without_data(part, path, "", found)
    building.form_notes += [f"{place}: data; the template is given {DATA} in its place" for place in found]
    return kept


def as_medium(part: Mapping[str, Any]) -> dict[str, Any]:
    """The part as most templates know it: `image`, `audio`, `video` or `file`, with an address or a name and no data.

    Examples:
        >>> as_medium({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}})
        {'type': 'image', 'url': 'https://example.org/a.png'}
    """
    out: dict[str, Any] = {"type": MEDIUM_OF_TYPE[str(part["type"])]}
    for key in _NAME_KEYS:
        name = _name(part, key)
        if name is not None:
            out[key] = name
    return out


def _name(part: Mapping[str, Any], key: str) -> str | None:
    """An address or a name that a part has, in itself or in what it holds; None for data."""
    holders = [part, *(value for value in part.values() if isinstance(value, Mapping))]
    values = [holder.get(key) for holder in holders]
    if key == "url":
        values += [part.get(name) for name in ("image_url", "audio_url", "video_url", "file_url")]
    for value in values:
        if isinstance(value, str) and value != DATA and not _is_data(value, key):
            return value
    return None


def _without_data(value: Any, path: str, key: str, found: list[str]) -> Any:  # noqa: ANN401 - the shape that is given
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _without_data(held, f"{path}.{name}", name, found) for name, held in value.items()}
    if isinstance(value, list | tuple):
        held = [_without_data(item, f"{path}[{at}]", key, found) for at, item in enumerate(value)]
        return tuple(held) if isinstance(value, tuple) else held
    if isinstance(value, str) and not _is_data(value, key):
        return value
    found.append(path)
    return DATA


def _is_data(text: str, key: str) -> bool:
    return (
        len(text) > _MAX_NAME
        or (key in _DATA_KEYS and text != "")
        or text[:5].lower() == "data:"
        or _BASE64.fullmatch(text) is not None
    )
