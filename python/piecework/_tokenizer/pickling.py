"""Tokenizers through pickle: a bundled one as its name and fingerprint, any other as its whole definition, compressed.

With any other goes what `info` says of its files, so that it needs them no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from piecework import _core
from piecework._files.bundle import bundled_origin, bundled_with_fingerprint

if TYPE_CHECKING:
    from piecework._files.origin import Origin
    from piecework._tokenizer.tokenizer import Tokenizer
    from piecework.train.training import Training

__all__ = ["reduce_tokenizer"]


def reduce_tokenizer(
    native: _core.Tokenizer, name: str, *, is_bundled: bool, origin: Origin | None, training: Training | None
) -> tuple[Any, ...]:
    """What pickle keeps of a tokenizer: under 200 bytes for a bundled one, about 1 MB for 100,000 tokens otherwise."""
    if is_bundled:
        return _from_bundle, (name, native.fingerprint)
    import zlib  # noqa: PLC0415 - few tokenizers are pickled

    return _from_definition, (zlib.compress(native.definition(), level=6), name, origin, training)


def _from_bundle(name: str, fingerprint: str) -> Tokenizer:
    native = bundled_with_fingerprint(name, fingerprint)
    return _tokenizer(native, name, is_bundled=True, origin=bundled_origin(name))


def _from_definition(
    compressed: bytes, name: str, origin: Origin | None = None, training: Training | None = None
) -> Tokenizer:
    import zlib  # noqa: PLC0415

    native = _core.Tokenizer.from_definition(zlib.decompress(compressed))
    return _tokenizer(native, name, is_bundled=False, origin=origin, training=training)


def _tokenizer(
    native: _core.Tokenizer,
    name: str,
    *,
    is_bundled: bool,
    origin: Origin | None,
    training: Training | None = None,
) -> Tokenizer:
    from piecework._tokenizer.tokenizer import Tokenizer  # noqa: PLC0415 - the class imports this module

    return Tokenizer(native, name, is_bundled=is_bundled, origin=origin, training=training)
