"""Pictures, sound, video and files in messages of any form: what each is and how large, without reading it as text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from piecework._chat.conversation.media_kinds import MEDIUM_OF_TYPE, MediumKind
from piecework._chat.served.image_size import ImageSize, image_size
from piecework._chat.served.sound import sound_seconds

__all__ = ["Medium", "MediumKind", "find_media"]

# Where messages, and the parts of their contents, stand in the forms of the APIs.
_HOLDERS = ("messages", "input", "content", "output")
_DATA_KEYS = ("data", "file_data")
_ADDRESS_KEYS = ("url", "image_url", "audio_url", "video_url", "file_url", "image", "audio", "video")
_MAX_DEPTH = 8
# What stands before the size in a JPEG is rarely more than a few 64 kB segments.
_HEAD_CHARS = 4 << 18


@dataclass(frozen=True, slots=True)
class Medium:
    """One part of a message that is no text.

    Attributes:
        kind: What it is.
        detail: How closely the model shall look, as the part says; None where it does not.
        media_type: Such as `image/png`; None where it is not said.
        data: It, in base64; None where there is only an address.
        url: Its address; None where there is data, or neither.
        size: A picture's width and height; None where they cannot be read.
        seconds: How long a sound is; None where that cannot be read.
    """

    kind: MediumKind
    detail: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    size: ImageSize | None = None
    seconds: float | None = None


def find_media(messages: object) -> tuple[Medium, ...]:
    """Finds everything in messages that is no text, in their order.

    Args:
        messages: Messages in any form that `read_conversation` takes, which has refused what is none.

    Returns:
        What there is; a picture with its size if that stands in it.

    Examples:
        >>> part = {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lGODlhQAAwAA=="}}
        >>> find_media([{"role": "user", "content": [part]}])[0].size
        ImageSize(width=64, height=48)
    """
    return tuple(_found(messages, _MAX_DEPTH))


def _found(value: object, depth: int) -> Iterator[Medium]:
    if depth == 0:
        return
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, Mapping | type):
        # What an API's library returns.
        value = dump(exclude_none=True)
    if isinstance(value, list | tuple):
        for item in value:
            yield from _found(item, depth - 1)
    elif isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and kind in MEDIUM_OF_TYPE:
            yield _medium(value, MEDIUM_OF_TYPE[kind])
        else:
            for key in _HOLDERS:
                yield from _found(value.get(key), depth - 1)


def _medium(part: Mapping[str, Any], kind: MediumKind) -> Medium:
    holders = [part, *(inner for inner in part.values() if isinstance(inner, Mapping))]
    data = next((text for key in _DATA_KEYS if (text := _text(holders, key)) is not None), None)
    url = next((text for key in _ADDRESS_KEYS if (text := _text(holders, key)) is not None), None)
    detail = _text(holders, "detail") or _text(holders, "media_resolution") or _text(holders, "resolution")
    media_type = _text(holders, "media_type") or _text(holders, "mime_type") or _of_format(holders, kind)
    held = data or url
    if held is not None and held.startswith("data:"):
        head, _, data = held.partition(",")
        media_type = head.removeprefix("data:").split(";")[0] or media_type
        if "base64" not in head:
            return Medium(kind, detail, media_type)
    if data is None:
        return Medium(kind, detail, media_type, url=url)
    start = _decoded(data)
    return Medium(
        kind,
        detail,
        media_type,
        data=data,
        size=image_size(start) if kind == "image" else None,
        seconds=sound_seconds(start, 3 * len(data) // 4) if kind == "audio" else None,
    )


def _text(holders: list[Mapping[str, Any]], key: str) -> str | None:
    return next((value for holder in holders if isinstance(value := holder.get(key), str)), None)


def _of_format(holders: list[Mapping[str, Any]], kind: MediumKind) -> str | None:
    form = _text(holders, "format")
    return None if form is None else f"{kind}/{form}"


def _decoded(data: str) -> bytes:
    """The beginning of what base64 holds; nothing where it is none."""
    head = "".join(data[:_HEAD_CHARS].split())
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""
