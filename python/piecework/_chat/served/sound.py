"""How long a sound is, where the head of its file says so: WAV. Other formats would have to be read through."""

from __future__ import annotations

__all__ = ["sound_seconds"]

_CHUNK_HEAD = 8


def sound_seconds(head: bytes, n_bytes: int) -> float | None:
    """Reads the length of a sound.

    Args:
        head: The beginning of the file.
        n_bytes: The whole file's size, which limits what its head may claim.

    Returns:
        Seconds; None for what is no WAV file, or one whose head does not say.

    Examples:
        >>> form = b"fmt " + (16).to_bytes(4, "little") + bytes([1, 0, 1, 0]) + (8000).to_bytes(4, "little") * 2 + bytes(4)
        >>> sound_seconds(b"RIFF" + bytes(4) + b"WAVE" + form + b"data" + (16000).to_bytes(4, "little"), 16044)
        2.0

    Source: Multimedia Programming Interface and Data Specifications 1.0, "Waveform Audio File Format".
    """
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
        return None
    at = 12
    bytes_per_second = 0
    while at + _CHUNK_HEAD <= len(head):
        name, size = head[at : at + 4], int.from_bytes(head[at + 4 : at + 8], "little")
        if name == b"fmt ":
            bytes_per_second = int.from_bytes(head[at + 16 : at + 20], "little")
        elif name == b"data":
            held = min(size, n_bytes - at - _CHUNK_HEAD)
            return held / bytes_per_second if bytes_per_second and held >= 0 else None
        at += _CHUNK_HEAD + size + size % 2
    return None
