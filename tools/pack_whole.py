r"""The byte layout of a pack that holds a whole definition, and the tokenizers that are packed so: BERT and T5.

They share their tokens with no other tokenizer, and their models have more to say than a layout of ranks can. So the
engine's own canonical form is packed, as the engine makes it of the published file. All numbers are little-endian.

    offset  bytes
         0  15  magic: b"PIECEWORK-PACK\\0"
        15  1   version, 2
        16  4   n_meta, bytes of the packed metadata           20  4   their unpacked bytes
        24  4   n_definition, bytes of the packed definition   28  4   their unpacked bytes
        32  n_meta        metadata: JSON, UTF-8, raw deflate
            n_definition  the definition's canonical form, raw deflate
       end  32  SHA-256 of everything before it
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from piecework import _core
from tools.fixtures import fixture, fixture_sha256, fixture_source
from tools.pack_format import MAGIC, deflate

VERSION = 2
_HEADER = struct.Struct("<15sB4I")
_N_DIGEST_BYTES = 32

# name -> the published file
FILES = {"bert-base-uncased": "minilm_l6_v2/tokenizer.json", "t5": "t5_v1_1/tokenizer.json"}


@dataclass(frozen=True)
class WholePack:
    """What such a pack holds.

    Attributes:
        meta: The metadata, as in the JSON.
        definition: The canonical form of the definition.
    """

    meta: dict[str, Any]
    definition: bytes


def whole_pack(name: str) -> WholePack:
    """The pack of one of `FILES`: all that the file says but for its own truncation and padding."""
    file = FILES[name]
    data = fixture(file).read_bytes()
    tokenizer = _core.Tokenizer.from_tokenizer_json(data)
    left_out = [part for part in ("padding", "truncation") if json.loads(data)[part] is not None]
    meta = {
        "name": name,
        "n_vocab": tokenizer.vocab_size,
        "fingerprint": tokenizer.fingerprint,
        "left_out": left_out,
        "source": {"from": fixture_source(file), "sha256": fixture_sha256(file)},
        "license": "Apache-2.0",
    }
    return WholePack(meta, tokenizer.definition())


def write_whole_pack(pack: WholePack) -> bytes:
    """The bytes of a pack; equal packs give equal bytes under one version of zlib."""
    meta = json.dumps(pack.meta, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    packed_meta, packed = deflate(meta), deflate(pack.definition)
    sizes = (len(packed_meta), len(meta), len(packed), len(pack.definition))
    body = _HEADER.pack(MAGIC, VERSION, *sizes) + packed_meta + packed
    return body + hashlib.sha256(body).digest()


def read_whole_pack(data: bytes) -> WholePack:
    """Read a pack.

    Raises:
        ValueError: The data is no pack of this version, or does not match its checksum.
    """
    body, digest = data[:-_N_DIGEST_BYTES], data[-_N_DIGEST_BYTES:]
    magic, version, n_meta, _, n_definition, _ = _HEADER.unpack_from(body)
    if magic != MAGIC or version != VERSION:
        raise ValueError(f"not a pack of version {VERSION}")
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("the pack does not match its checksum")
    sections = body[_HEADER.size :]
    meta = json.loads(zlib.decompress(sections[:n_meta], wbits=-15))
    definition = zlib.decompress(sections[n_meta : n_meta + n_definition], wbits=-15)
    return WholePack(meta, definition)
