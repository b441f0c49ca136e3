"""GGUF files that lack something: a fetched one, without some of its keys."""

from __future__ import annotations

import struct

__all__ = ["without_keys"]

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _LIST = 8, 9


def without_keys(data: bytes, *keys: str) -> bytes:
    """The file without these keys.

    Raises:
        ValueError: It is no GGUF file, or has none of the keys.
    """
    magic, version, n_tensors, n_keys = struct.unpack_from("<4sIQQ", data)
    if magic != b"GGUF":
        raise ValueError("no GGUF file")
    kept, at = [], struct.calcsize("<4sIQQ")
    for _ in range(n_keys):
        start = at
        (n_bytes,) = struct.unpack_from("<Q", data, at)
        name = data[at + 8 : at + 8 + n_bytes].decode()
        at += 8 + n_bytes
        (kind,) = struct.unpack_from("<I", data, at)
        at = _after(data, at + 4, kind)
        if name not in keys:
            kept.append(data[start:at])
    if len(kept) == n_keys:
        raise ValueError(f"it has none of {keys}")
    return struct.pack("<4sIQQ", magic, version, n_tensors, len(kept)) + b"".join(kept) + data[at:]


def _after(data: bytes, at: int, kind: int) -> int:
    """Where a value ends."""
    if kind in _SIZES:
        return at + _SIZES[kind]
    (n,) = struct.unpack_from("<Q", data, at + (4 if kind == _LIST else 0))
    if kind == _TEXT:
        return at + 8 + int(n)
    (inner,) = struct.unpack_from("<I", data, at)
    at += 12
    for _ in range(n):
        at = _after(data, at, inner)
    return at
