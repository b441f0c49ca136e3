"""The bundled tokenizers: one pack each, read once in a process and shared, since a loaded tokenizer never changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from piecework import _core
from piecework._files.origin import EmbeddingRows, NamedIds, Origin
from piecework._files.registry import packs
from piecework.errors import ChecksumError, LoadError

__all__ = ["FINGERPRINTS", "bundled", "bundled_origin", "bundled_with_fingerprint", "pack_path"]

_FOLDER = Path(__file__).parent.parent / "_data"

# To hash a definition takes a tenth of the time that `piecework count` may take. A test holds these to the packs.
FINGERPRINTS = {
    "r50k_base": "b4a4702dcbb457a4a31f247253479edf1d2ead04279528bef967b403ee0dde3f",
    "p50k_base": "4ae7e537ec8de3a9af8c76aeda2838e8b4aef1d35074116e629f62096d1cbae2",
    "p50k_edit": "73e1cbb0a183f69cc6cb6594f9080571829e4f91a0534b45476e5518ea862de0",
    "cl100k_base": "66d7aa3fa1fbc8af913787618daea637a0fb0791aea073fef91b3ed5ad2bb2b8",
    "o200k_base": "304e0be4b0fd93139dd62565111784edcff0b43f6370830f37682af59a22984f",
    "o200k_harmony": "4385fca31c49a51b7f3bce884845cbc582ca76b74993f29be8a6d5467c1b049b",
    "qwen3": "2ad08d08ec742b5a39723ca9a709852a1b3ba97724b464f20d8a4ebb4e32cbdf",
    "bert-base-uncased": "14b58414db718607940d569c015ba3f1048f031d556766399340ccb4da6c6256",
    "t5": "3467e8e90edbfca55dccfd844e325c5b5146e4931f148b04df3816f965c8171a",
}

# What the models' published files say, which are not bundled with their tokenizers: the token of each role (those of BERT
# and T5 say their roles themselves), and of Qwen3, whose models agree in it, the rows and the special ids of its config.
_ROLES: Mapping[str, Mapping[str, str]] = {
    "o200k_harmony": {"begin": "<|startoftext|>", "end": "<|return|>", "padding": "<|endoftext|>"},
    "qwen3": {"end": "<|im_end|>", "padding": "<|endoftext|>"},
}
_QWEN3_CONFIG = "config.json of Qwen3"
_EMBEDDING_ROWS = {"qwen3": (EmbeddingRows(_QWEN3_CONFIG, 151_936),)}
_NAMED_IDS = {
    "qwen3": (
        NamedIds(_QWEN3_CONFIG, "bos_token_id", (151_643,)),
        NamedIds(_QWEN3_CONFIG, "eos_token_id", (151_645,)),
    )
}


def bundled_origin(encoding: str) -> Origin:
    """Where a bundled encoding came from, with what its models' published files say of its tokens."""
    return Origin(
        "bundled",
        encoding,
        roles=MappingProxyType(dict(_ROLES.get(encoding, {}))),
        embedding_rows=_EMBEDDING_ROWS.get(encoding, ()),
        named_ids=_NAMED_IDS.get(encoding, ()),
    )


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
