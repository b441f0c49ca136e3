"""The width and height of a picture, read from the first bytes of its file: PNG, JPEG, GIF, WebP. Nothing is decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ImageSize", "image_size"]

# JPEG segments that hold the size: SOF0 to SOF15, without DHT (C4), JPG (C8) and DAC (CC), which lie among them.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Segments without a length: TEM, RST0 to RST7, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_SCAN_STARTS, _FILE_ENDS = 0xDA, 0xD9


class ImageSize(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


def image_size(data: bytes) -> ImageSize | None:
    """Reads a picture's size.

    Args:
        data: The file, or enough of its beginning: 30 bytes, for a JPEG all that stands before the picture itself.

    Returns:
        The size; None where the bytes are none of PNG, JPEG, GIF and WebP, end too early, or name an empty picture.

    Examples:
        >>> image_size(b"GIF89a" + bytes([64, 0, 48, 0]))
        ImageSize(width=64, height=48)
        >>> image_size(b"no picture") is None
        True

    Complexity: O(1); for a JPEG, O(number of segments before the size).

    Source: PNG (ISO/IEC 15948) 11.2.2, GIF89a 18, JPEG (ITU-T T.81) B.2, WebP (RFC 9649) 2.5 to 2.7.
    """
    for starts, read in _READERS:
        if data.startswith(starts):
            found = read(data)
            return found if found is not None and min(found) > 0 else None
    return None


def _png(data: bytes) -> ImageSize | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    return ImageSize(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))


def _gif(data: bytes) -> ImageSize | None:
    if len(data) < 10:
        return None
    return ImageSize(int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"))


def _jpeg(data: bytes) -> ImageSize | None:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            # A marker may be preceded by any number of fill bytes.
            at += 1
        elif marker in _BARE:
            at += 2
        elif marker in (_SCAN_STARTS, _FILE_ENDS):
            return None
        elif marker in _FRAMES:
            size = data[at + 5 : at + 9]
            if len(size) < 4:
                return None
            return ImageSize(int.from_bytes(size[2:], "big"), int.from_bytes(size[:2], "big"))
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return None


def _webp(data: bytes) -> ImageSize | None:
    if len(data) < 30 or data[8:12] != b"WEBP":
        return None
    chunk = data[12:16]
    if chunk == b"VP8X":
        return ImageSize(1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little"))
    if chunk == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return ImageSize(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        # The two highest bits say how to scale the picture for display.
        width, height = int.from_bytes(data[26:28], "little"), int.from_bytes(data[28:30], "little")
        return ImageSize(width & 0x3FFF, height & 0x3FFF)
    return None


_READERS: tuple[tuple[bytes, Callable[[bytes], ImageSize | None]], ...] = (
    (b"\x89PNG\r\n\x1a\n", _png),
    (b"\xff\xd8", _jpeg),
    (b"GIF87a", _gif),
    (b"GIF89a", _gif),
    (b"RIFF", _webp),
)
