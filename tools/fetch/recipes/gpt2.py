"""GPT-2's two files, rebuilt from the ranks of r50k_base: the same bytes as `encoder.json` and `vocab.bpe` were published with.

A rank is an id, and a token's merge is the pair that byte-pair encoding with the ranks before it leaves of its bytes.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json

__all__ = ["LETTERS", "MERGES_SHA256", "VOCAB_SHA256", "vocab_merges"]

VOCAB_SHA256 = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
MERGES_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"

_END = "<|endoftext|>"


def vocab_merges(ranks_file: bytes) -> tuple[bytes, bytes]:
    """The vocab.json and the merges.txt.

    Args:
        ranks_file: The content of r50k_base.tiktoken.

    Returns:
        The two files' bytes, 1,042,301 and 456,318 of them.

    Raises:
        ValueError: What comes out is not what was published: these are other ranks.
    """
    ranks = dict(_ranks(ranks_file))
    in_order = sorted(ranks, key=ranks.__getitem__)
    shown = {token: "".join(LETTERS[byte] for byte in token) for token in in_order}
    ids = {shown[token]: ranks[token] for token in in_order}
    vocab = json.dumps({**ids, _END: len(ids)}).encode()
    pairs = (_pair(token, ranks) for token in in_order if len(token) > 1)
    lines = ["#version: 0.2", *(f"{shown[left]} {shown[right]}" for left, right in pairs)]
    merges = "".join(f"{line}\n" for line in lines).encode()
    for name, data, expected in (("vocab", vocab, VOCAB_SHA256), ("merges", merges, MERGES_SHA256)):
        found = hashlib.sha256(data).hexdigest()
        if found != expected:
            raise ValueError(f"the {name} of these ranks have the SHA-256 {found}, not {expected}")
    return vocab, merges


def _ranks(data: bytes) -> list[tuple[bytes, int]]:
    rows = (line.split() for line in data.splitlines() if line)
    return [(base64.b64decode(token), int(rank)) for token, rank in rows]


def _pair(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        joined = [ranks.get(left + right, len(ranks)) for left, right in itertools.pairwise(parts)]
        at = joined.index(min(joined))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    left, right = parts
    return left, right


def _letters() -> tuple[str, ...]:
    """A character that shows itself for every byte: those of Latin-1 that do, then U+0100 and on for the rest."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte if byte in plain else next(others)) for byte in range(0x100))


LETTERS = _letters()
