"""`python -m tools.pack_encodings`: pack the fetched tokenizers into python/piecework/_data/.

Each vocabulary is written as what it adds to another one: p50k_base is r50k_base and 24 runs of spaces; p50k_edit and
o200k_harmony only add special tokens; Qwen3 is cl100k_base without its 1,100 numbers of two and three digits, in the
same order, and 52,487 tokens of its own. The packer finds this out anew and stops where it no longer holds. BERT and T5
share their tokens with none: they are packed whole.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.pack_format import Pack, byte_alphabet, vocabulary, write_pack
from tools.pack_sources import Source, openai, qwen3, unreachable_tokens
from tools.pack_whole import FILES, whole_pack, write_whole_pack

DATA_FOLDER = Path(__file__).resolve().parent.parent / "python" / "piecework" / "_data"

# encoding -> the encoding whose tokens it starts from
BASES: dict[str, str | None] = {
    "r50k_base": None,
    "p50k_base": "r50k_base",
    "p50k_edit": "p50k_base",
    "cl100k_base": None,
    "o200k_base": None,
    "o200k_harmony": "o200k_base",
    "qwen3": "cl100k_base",
}
_READERS: dict[str, Callable[[], Source]] = {"qwen3": qwen3}


def main(arguments: list[str] | None = None) -> int:
    """Write every pack, or with --check say which are not as committed.

    Returns:
        0 when all is written or equal, 1 when --check finds a difference.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tools.pack_encodings", description="Pack the bundled tokenizers."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a pack would change")
    check: bool = parser.parse_args(arguments).check
    total = 0
    stale = []
    for name, data in _packs():
        target = DATA_FOLDER / f"{name}.pack"
        if not target.is_file() or target.read_bytes() != data:
            stale.append(name)
        if not check:
            DATA_FOLDER.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        total += len(data)
        print(f"{len(data):>10,}  {name}")
    print(f"{total:>10,}  in all")
    if check and stale:
        print(f"not as committed: {', '.join(stale)}", file=sys.stderr)
    return 1 if check and stale else 0


def _packs() -> Iterator[tuple[str, bytes]]:
    """Every pack by name."""
    sources = {name: read_source(name) for name in BASES}
    for name in BASES:
        yield name, write_pack(pack_source(sources, name))
    for name in FILES:
        yield name, write_whole_pack(whole_pack(name))


def read_source(name: str) -> Source:
    """The tokenizer of that name, from fetched files."""
    return _READERS.get(name, lambda: openai(name))()


def pack_source(sources: dict[str, Source], name: str) -> Pack:
    """The pack of one tokenizer, proved to give its vocabulary back.

    Raises:
        ValueError: It would not.
    """
    source, base = sources[name], BASES[name]
    base_tokens = sources[base].tokens if base else None
    inherited = base_tokens if base_tokens is not None else dict(enumerate(byte_alphabet()))
    present = set(source.tokens.values())
    skip = [token_id for token_id, token in sorted(inherited.items()) if token not in present]
    known = set(inherited.values())
    own_ids = sorted(token_id for token_id, token in source.tokens.items() if token not in known)
    first_id = own_ids[0] if own_ids else 0
    pack = Pack(
        meta=_meta(source, base, skip, first_id, len(own_ids)),
        own=[source.tokens[token_id] for token_id in own_ids],
        splits=source.splits,
    )
    if vocabulary(pack, base_tokens) != source.tokens:
        raise ValueError(f"{name} is not {base or 'the bytes'}, less some tokens, and a run of its own")
    return pack


def _meta(source: Source, base: str | None, skip: list[int], first_id: int, n_own: int) -> dict[str, object]:
    return {
        "name": source.name,
        "n_vocab": source.n_vocab,
        "profile": source.profile,
        "normalizer": source.normalizer,
        "pattern": source.pattern,
        "pattern_source": source.pattern_source,
        "vocab": {"base": base, "skip": skip, "first_id": first_id, "n_own": n_own},
        "merges": "single" if source.splits else "concat",
        "whole_pieces": source.whole_pieces,
        "unreachable": _unreachable(source),
        "added": source.added,
        "source": source.origin,
        "license": source.license,
    }


_PROVED: dict[str, list[int]] = {}


def _unreachable(source: Source) -> list[int]:
    """The tokens that no merge builds, found once for each source file: the search takes seconds."""
    if source.file not in _PROVED:
        _PROVED[source.file] = unreachable_tokens(source.tokens, source.splits)
    return _PROVED[source.file]


if __name__ == "__main__":
    sys.exit(main())
