"""The bundled tokenizers: one pack each, read once in a process and shared, since a loaded tokenizer never changes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from piecework import _core
from piecework._files.registry import packs
from piecework.errors import ChecksumError, LoadError

__all__ = ["bundled", "bundled_with_fingerprint", "pack_path"]

_FOLDER = Path(__file__).parent.parent / "_data"


def pack_path(encoding: str) -> Path:
    """Returns where the pack of a bundled encoding lies, whether it is there or not."""
    return _FOLDER / f"{encoding}.pack"


@cache
def bundled(encoding: str) -> _core.Tokenizer:
    """The native tokenizer of a bundled encoding.

    Args:
        encoding: A name such as `o200k_base`, as the registry resolves it.

    Returns:
        The same object for every call in one process.

    Raises:
        LoadError: The installation lacks the pack.
        ChecksumError: The pack is damaged.
    """
    return _core.Tokenizer.from_pack(b"".join(_read_pack(name) for name in packs(encoding)))


def _read_pack(name: str) -> bytes:
    path = pack_path(name)
    try:
        return path.read_bytes()
    except OSError as error:
        raise LoadError(
            f"the bundled tokenizer {name} cannot be read: {path}: {error.strerror}",
            path=str(path),
            searched=(str(path.parent),),
            hint="the installation is incomplete; install piecework again",
        ) from error


def bundled_with_fingerprint(encoding: str, fingerprint: str) -> _core.Tokenizer:
    """The native tokenizer of a bundled encoding, if it is still the one with this fingerprint.

    Raises:
        ChecksumError: It has another fingerprint: it was recorded by a version that bundled another one.
    """
    native = bundled(encoding)
    if native.fingerprint != fingerprint:
        raise ChecksumError(
            f"the bundled tokenizer {encoding} has the fingerprint {native.fingerprint}, not {fingerprint} as recorded",
            what=encoding,
            expected=fingerprint,
            found=native.fingerprint,
            hint="the two sides have different versions of piecework",
        )
    return native
