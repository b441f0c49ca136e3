"""Files as streams of bytes, unpacked where they are compressed; every failure names the file."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from piecework._optional import optional_module
from piecework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from piecework.train.sources.formats import Packed

__all__ = ["Stream", "naming", "opened"]

# What so little can unpack to at most, 64 MB, still fits beside everything else.
_ZSTD_BYTES = 2 << 10


class Stream(Protocol):
    """What is read of a stream."""

    def read(self, n_bytes: int, /) -> bytes:
        """The next bytes, at most so many; none at the end."""
        ...

    def seek(self, offset: int, /) -> int:
        """Goes to an offset."""
        ...


@contextlib.contextmanager
def naming(path: Path, *others: type[Exception]) -> Iterator[None]:
    """Turns the failures of the system and of unpacking into an InputError that names the file.

    Args:
        path: The file.
        others: Further exceptions that say that it cannot be read.

    Raises:
        InputError: In place of any of them.
    """
    failures: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, *others)
    try:
        yield
    except failures as error:
        unsaid = (
            "it asks for more memory than there is" if isinstance(error, MemoryError) else "it is cut off"
        )
        reason = getattr(error, "strerror", None) or str(error) or unsaid
        raise InputError(f"{path}: {reason}", path=str(path), reason=reason) from None


@contextlib.contextmanager
def opened(path: Path, packed: Packed) -> Iterator[tuple[Stream, Callable[[], int]]]:
    """A file's bytes, unpacked, and a function that tells how many bytes of the file itself have been read.

    Args:
        path: The file.
        packed: How it is compressed.

    Yields:
        The stream and the function. A stream that is unpacked has no `seek`.

    Raises:
        InputError: It is missing, unreadable, cut off or no such archive.
        MissingExtraError: It is `.zst`, and zstandard is not installed.
    """
    zstandard = optional_module("zstandard", extra="zstd") if packed == "zst" else None
    failures = () if zstandard is None else (zstandard.ZstdError,)
    with naming(path, *failures), path.open("rb") as raw:
        if packed == "gz":
            with gzip.GzipFile(fileobj=raw) as stream:
                yield cast("Stream", stream), raw.tell
        elif zstandard is not None:
            yield cast("Stream", _ZstdStream(raw, zstandard)), raw.tell
        else:
            yield raw, raw.tell


class _ZstdStream:
    """One Zstandard frame after the other. The library's own stream ends quietly where a frame is cut off."""

    def __init__(self, raw: IO[bytes], zstandard: Any) -> None:  # noqa: ANN401 - an optional module
        self._raw = raw
        self._unpacker = zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._packed = b""
        self._ready = bytearray()

    def read(self, n_bytes: int) -> bytes:
        """The next bytes, fewer only at the end."""
        while len(self._ready) < n_bytes and self._fill():
            pass
        found = bytes(self._ready[:n_bytes])
        del self._ready[:n_bytes]
        return found

    def _fill(self) -> bool:
        """Unpacks a little; False at the end."""
        if not self._packed:
            self._packed = self._raw.read(_ZSTD_BYTES)
        if not self._packed:
            if self._frame is not None:
                raise EOFError("the file is cut off inside a Zstandard frame")
            return False
        if self._frame is None:
            self._frame = self._unpacker.decompressobj()
        self._ready += self._frame.decompress(self._packed)
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return True
