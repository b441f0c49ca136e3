"""The tokenizers that get packed: from fetched files to a pack's content, with every claim about them proved.

OpenAI's encodings: ranks from the fetched .tiktoken files, everything else from tiktoken's own table. Qwen3: all from
its tokenizer.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from tools.fixtures import fixture, fixture_sha256, fixture_source
from tools.pack_format import byte_alphabet
from tools.references import tiktoken_facts

# Encodings that have the ranks of another one; tiktoken's table has the hashes, and the loader compares them.
_SAME_RANKS = {"p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}
_QWEN3_FILE = "qwen3/tokenizer.json"


@dataclass(frozen=True)
class Source:
    """A tokenizer as its publisher has it.

    Attributes:
        name: The encoding's name.
        tokens: The learned tokens by id.
        added: The added tokens with their flags, in id order.
        pattern: The pre-tokenizer's one pattern, whose matches are the pretokens.
        pattern_source: Where the pattern stands.
        profile: Whose behavior it follows: "tiktoken" or "tokenizers".
        normalizer: "NFC" or None.
        whole_pieces: Whether a pretoken that is a token is taken whole without asking the merges.
        splits: The left part's length of each listed merge, in id order; empty where no merges are listed.
        file: The fixture that the tokens come from.
        license: The license of the vocabulary, as its publisher states it.
    """

    name: str
    tokens: dict[int, bytes]
    added: list[dict[str, Any]]
    pattern: str
    pattern_source: str
    profile: str
    file: str
    license: str
    normalizer: str | None = None
    whole_pieces: bool = True
    splits: bytes = field(default=b"")

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        largest: int = max(*self.tokens, *(token["id"] for token in self.added))
        return largest + 1

    @property
    def origin(self) -> dict[str, str]:
        """Where the tokens come from, as a pack records it."""
        return {"from": fixture_source(self.file), "sha256": fixture_sha256(self.file)}


def openai(name: str) -> Source:
    """One of OpenAI's encodings.

    Raises:
        ValueError: tiktoken's table disagrees with the fetched file, or two added tokens share an id in a new way.
    """
    facts = tiktoken_facts(name)
    added = sorted(_one_per_id(name, facts["special_tokens"]).items(), key=lambda item: item[1])
    return Source(
        name=name,
        tokens={rank: token for token, rank in facts["mergeable_ranks"].items()},
        added=[_added_token(token_id, content) for content, token_id in added],
        pattern=facts["pat_str"],
        pattern_source=f"tiktoken {version('tiktoken')}, tiktoken_ext/openai_public.py",
        profile="tiktoken",
        file=f"tiktoken/{_SAME_RANKS.get(name, name)}.tiktoken",
        license="MIT",
    )


def qwen3() -> Source:
    """Qwen3.

    Raises:
        ValueError: The file is not as the pack's layout needs it.
    """
    data = json.loads(fixture(_QWEN3_FILE).read_bytes())
    model = data["model"]
    spelled = dict(zip(_alphabet_characters(), byte_alphabet(), strict=True))
    tokens = {token_id: _spell(piece, spelled) for piece, token_id in model["vocab"].items()}
    if model["type"] != "BPE" or model["ignore_merges"] or model["byte_fallback"] or model["dropout"]:
        raise ValueError(f"{_QWEN3_FILE}: not a plain byte-level BPE")
    if data["normalizer"] != {"type": "NFC"}:
        raise ValueError(f"{_QWEN3_FILE}: the normalizer is not NFC")
    pairs = [(_spell(left, spelled), _spell(right, spelled)) for left, right in model["merges"]]
    return Source(
        name="qwen3",
        tokens=tokens,
        added=[_flags(token) for token in data["added_tokens"]],
        pattern=_only_pattern(data["pre_tokenizer"]),
        pattern_source=fixture_source(_QWEN3_FILE),
        profile="tokenizers",
        file=_QWEN3_FILE,
        license="Apache-2.0",
        normalizer="NFC",
        whole_pieces=False,
        splits=prove_single_merges(tokens, pairs),
    )


def prove_single_merges(tokens: dict[int, bytes], pairs: list[tuple[bytes, bytes]]) -> bytes:
    """The left parts' lengths of listed merges that are exactly one for each token that is not a byte, in id order.

    Args:
        tokens: Learned tokens by id, without holes, the 256 bytes first.
        pairs: The listed merges, in rank order.

    Raises:
        ValueError: The n-th merge does not make the n-th token after the bytes, or is made of tokens that come later.
    """
    ids = {token: token_id for token_id, token in tokens.items()}
    first = len(byte_alphabet())
    if sorted(tokens) != list(range(first + len(pairs))) or len(ids) != len(tokens):
        raise ValueError("not exactly one merge for each token that is not a byte")
    for product, (left, right) in enumerate(pairs, first):
        if tokens[product] != left + right or max(ids.get(left, product), ids.get(right, product)) >= product:
            raise ValueError(f"merge {product - first} does not make token {product} of earlier tokens")
    return bytes(len(left) for left, _ in pairs)


def unreachable_tokens(tokens: dict[int, bytes], splits: bytes) -> list[int]:
    """The tokens that their own merges do not build.

    Args:
        tokens: Learned tokens by id.
        splits: The left parts' lengths as from `prove_single_merges`; empty where any pair whose join is a token merges.

    Returns:
        The ids of tokens which, given as a pretoken, come out as several tokens (those of one byte never do).

    Complexity: O(n_tokens · length²).
    """
    ranks = {token: token_id for token_id, token in tokens.items()}
    first = len(byte_alphabet())

    def rank(left: bytes, right: bytes) -> int | None:
        joined: int | None = ranks.get(left + right)
        if joined is None or (splits and splits[joined - first] != len(left)):
            return None
        return joined

    return [token_id for token_id, token in tokens.items() if len(_merge(token, rank)) > 1]


def _merge(token: bytes, rank: Callable[[bytes, bytes], int | None]) -> list[bytes]:
    parts = [token[i : i + 1] for i in range(len(token))]
    ranks = [rank(left, right) for left, right in pairwise(parts)]
    while True:
        found = [r for r in ranks if r is not None]
        if not found:
            return parts
        at = ranks.index(min(found))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        for i in (at - 1, at):
            if 0 <= i < len(ranks):
                ranks[i] = rank(parts[i], parts[i + 1])


def _one_per_id(name: str, special_tokens: dict[str, int]) -> dict[str, int]:
    """Special tokens with one name an id.

    tiktoken makes a reserved name for every free id of o200k_harmony, and for 200018 too, which is <|endofprompt|>.
    A reserved name yields to the real one; any other clash is for a person to look at.
    """
    kept: dict[int, str] = {}
    for content, token_id in special_tokens.items():
        rival = kept.get(token_id)
        if rival is None or rival == f"<|reserved_{token_id}|>":
            kept[token_id] = content
        elif content != f"<|reserved_{token_id}|>":
            raise ValueError(f"{name}: {rival} and {content} share the id {token_id}")
    return {content: token_id for token_id, content in kept.items()}


def _added_token(token_id: int, content: str) -> dict[str, Any]:
    return _flags({"id": token_id, "content": content, "special": True})


def _flags(token: dict[str, Any]) -> dict[str, Any]:
    names = ("special", "normalized", "single_word", "lstrip", "rstrip")
    return {
        "id": token["id"],
        "content": token["content"],
        "flags": [name for name in names if token.get(name)],
    }


def _only_pattern(pre_tokenizer: dict[str, Any]) -> str:
    split, bytes_step = pre_tokenizer["pretokenizers"]
    plain = (
        split["behavior"],
        split["invert"],
        bytes_step["type"],
        bytes_step["add_prefix_space"],
        bytes_step["use_regex"],
    )
    if plain != ("Isolated", False, "ByteLevel", False, False):
        raise ValueError(f"{_QWEN3_FILE}: the pre-tokenizer is not one isolated split and the byte alphabet")
    pattern: str = split["pattern"]["Regex"]
    return pattern


def _alphabet_characters() -> list[str]:
    """The characters that stand for the bytes of `byte_alphabet`, in its order: themselves if printable, else 256 on."""
    shifted = iter(range(0x100, 0x200))
    return [
        chr(byte[0])
        if 0x21 <= byte[0] <= 0x7E or (byte[0] >= 0xA1 and byte[0] != 0xAD)
        else chr(next(shifted))
        for byte in byte_alphabet()
    ]


def _spell(piece: str, spelled: dict[str, bytes]) -> bytes:
    return b"".join(spelled[char] for char in piece)
