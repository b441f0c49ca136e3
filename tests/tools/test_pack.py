"""Packs give the published files back, exactly; what the packer claims about them is proved and can fail."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tiktoken_ext import openai_public as published

from piecework import _core
from tools.fixtures import fixture
from tools.pack_encodings import BASES, DATA_FOLDER, pack_source, read_source
from tools.pack_format import Pack, byte_alphabet, read_pack, vocabulary, write_pack
from tools.pack_sources import Source, prove_single_merges, unreachable_tokens
from tools.pack_whole import FILES, read_whole_pack, whole_pack, write_whole_pack
from tools.references import tiktoken_encoding

OPENAI = [name for name in BASES if name != "qwen3"]
RANKS = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]
BYTES = dict(enumerate(byte_alphabet()))


def committed(name: str) -> Pack:
    return read_pack((DATA_FOLDER / f"{name}.pack").read_bytes())


def unpacked(name: str) -> dict[int, bytes]:
    base = BASES[name]
    return vocabulary(committed(name), unpacked(base) if base else None)


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    return {name: read_source(name) for name in BASES}


def test_the_packs_are_small() -> None:
    files = list(DATA_FOLDER.glob("*.pack"))
    assert {file.stem for file in files} == {*BASES, *FILES}
    assert sum(file.stat().st_size for file in files) <= 2_300_000


@pytest.mark.parametrize("name", RANKS)
def test_unpacking_gives_the_ranks_file_byte_for_byte(name: str) -> None:
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in sorted(unpacked(name).items()))
    assert "".join(lines).encode() == fixture(f"tiktoken/{name}.tiktoken").read_bytes()


def test_unpacking_gives_qwen3s_vocabulary_and_merges() -> None:
    model = json.loads(fixture("qwen3/tokenizer.json").read_bytes())["model"]
    tokens, splits = unpacked("qwen3"), committed("qwen3").splits
    spelled = spelling()
    assert {token_id: spell(token, spelled) for token_id, token in tokens.items()} == {
        token_id: piece for piece, token_id in model["vocab"].items()
    }
    pairs = [
        [spell(tokens[product][:split], spelled), spell(tokens[product][split:], spelled)]
        for product, split in enumerate(splits, len(BYTES))
    ]
    assert pairs == model["merges"]


def test_unpacking_gives_qwen3s_other_parts() -> None:
    file = json.loads(fixture("qwen3/tokenizer.json").read_bytes())
    meta = committed("qwen3").meta
    assert (meta["normalizer"], meta["merges"], meta["whole_pieces"]) == ("NFC", "single", False)
    assert meta["pattern"] == file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    flags = ("special", "normalized", "single_word", "lstrip", "rstrip")
    added = [
        {"id": token["id"], "content": token["content"], **{flag: flag in token["flags"] for flag in flags}}
        for token in meta["added"]
    ]
    assert added == file["added_tokens"]
    assert len(added) == 26


@pytest.mark.parametrize("name", OPENAI)
def test_metadata_is_the_references(name: str) -> None:
    meta = committed(name).meta
    reference = tiktoken_encoding(name)
    special = dict(reference._special_tokens)
    if name == "o200k_harmony":
        # The reference names this id twice; the packer keeps the real name.
        assert special.pop("<|reserved_200018|>") == special["<|endofprompt|>"] == 200018
    assert {token["content"]: token["id"] for token in meta["added"]} == special
    assert all(token["flags"] == ["special"] for token in meta["added"])
    ids = [token["id"] for token in meta["added"]]
    assert ids == sorted(set(ids))
    assert meta["pattern"] == reference._pat_str
    assert meta["n_vocab"] == reference.n_vocab
    assert (meta["normalizer"], meta["merges"], meta["whole_pieces"]) == (None, "concat", True)


def test_every_claimed_source_hash_is_one_that_the_reference_expects() -> None:
    text = Path(published.__file__).read_text(encoding="utf-8")
    for name in OPENAI:
        assert committed(name).meta["source"]["sha256"] in text


@pytest.mark.parametrize("name", list(BASES))
def test_packing_again_gives_the_committed_pack(name: str, sources: dict[str, Source]) -> None:
    pack = pack_source(sources, name)
    assert pack == committed(name)
    data = write_pack(pack)
    assert data == write_pack(pack)
    assert read_pack(data) == pack


@pytest.mark.parametrize("name", list(FILES))
def test_packing_a_whole_one_again_gives_the_committed_pack(name: str) -> None:
    pack = whole_pack(name)
    data = write_whole_pack(pack)
    assert data == (DATA_FOLDER / f"{name}.pack").read_bytes()
    assert read_whole_pack(data) == pack
    assert _core.Tokenizer.from_pack(data).fingerprint == pack.meta["fingerprint"]
    for at in (0, 15, 16, 24, 40, len(data) // 2, len(data) - 1):
        damaged = bytearray(data)
        damaged[at] ^= 1
        with pytest.raises(ValueError, match="pack"):
            read_whole_pack(bytes(damaged))


@pytest.mark.parametrize("name", list(BASES))
def test_every_token_of_a_bundled_tokenizer_comes_from_its_merges(name: str) -> None:
    assert committed(name).meta["unreachable"] == []


def test_a_token_that_no_merge_builds_is_found() -> None:
    tokens = {**BYTES, 256: b"ab", 257: b"xyz", 258: b"abc"}
    assert unreachable_tokens(tokens, b"") == [257]
    # Listed merges: abc is a and bc, and bc is no token.
    assert unreachable_tokens({**BYTES, 256: b"ab", 257: b"abc"}, bytes([1, 1])) == [257]


def test_single_merges_are_proved() -> None:
    tokens = {**BYTES, 256: b"ab", 257: b"abc"}
    assert prove_single_merges(tokens, [(b"a", b"b"), (b"ab", b"c")]) == bytes([1, 2])
    for pairs, reason in [
        ([(b"a", b"b")], "not exactly one merge"),
        ([(b"a", b"b"), (b"ab", b"c"), (b"a", b"bc")], "not exactly one merge"),
        ([(b"ab", b"c"), (b"a", b"b")], "merge 0 does not make token 256"),
        ([(b"a", b"b"), (b"a", b"bc")], "merge 1 does not make token 257 of earlier tokens"),
    ]:
        with pytest.raises(ValueError, match=reason):
            prove_single_merges(tokens, pairs)
    with pytest.raises(ValueError, match="of earlier tokens"):
        prove_single_merges({**BYTES, 256: b"abc", 257: b"ab"}, [(b"ab", b"c"), (b"a", b"b")])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 255, 256, 257, 1000])
def test_any_number_of_tokens_comes_back(n: int) -> None:
    own = [f"{(i * 7919) % n}".encode() * (1 + i % 3) + bytes([i % 256, i // 256]) for i in range(n)]
    pack = Pack(meta(n), own, b"\x01\x02" if n else b"")
    assert read_pack(write_pack(pack)) == pack


def test_a_damaged_pack_is_refused() -> None:
    data = write_pack(Pack(meta(3), [b"b", b"ab", b"a"], b""))
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1
        with pytest.raises(ValueError, match="pack"):
            read_pack(bytes(damaged))


def test_a_token_that_is_too_long_for_the_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="256 bytes"):
        write_pack(Pack(meta(1), [b"a" * 256], b""))


def meta(n_own: int) -> dict[str, Any]:
    return {"vocab": {"base": None, "skip": [], "first_id": 256, "n_own": n_own}}


def spelling() -> dict[int, str]:
    """The display alphabet, made in another way than the packer's: bytes without a glyph count up from U+0100."""
    plain = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) not in " \u00ad"]
    hidden = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + n) for n, byte in enumerate(hidden)}


def spell(token: bytes, spelled: dict[int, str]) -> str:
    return "".join(spelled[byte] for byte in token)
