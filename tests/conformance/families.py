"""Every tokenizer that is compared with a live reference, and how each is asked: one adapter a reference library."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import sentencepiece
import tiktoken

import piecework as pw
from tools import fixtures, references

Span = tuple[int, int]


class Answer(NamedTuple):
    """What a reference makes of one text: ids, the characters of each, and the ids as text again."""

    ids: list[int]
    char_spans: list[Span] | None
    text: str
    text_without_special: str | None


Reference = Callable[[Sequence[str]], list[Answer]]


@dataclass(frozen=True)
class Pair:
    """A tokenizer of ours beside the reference for the same file."""

    family: str
    ours: Callable[[], pw.Tokenizer]
    theirs: Callable[[], Reference]
    # Control tokens in a text are parsed where the reference always parses them.
    special: Literal["text", "parse"] = "parse"
    # One of each family is compared on all text and a million strings, the others on a part of it.
    is_whole: bool = False
    # Where a text that normalizes to a control token's content becomes that token in the reference, and never in ours.
    normalized: Callable[[str], str] | None = None
    # Characters that a rule table drops. tokenizers' spans drift in texts that hold one; sentencepiece's hold it,
    # where ours are of what became the token.
    dropped: Callable[[], frozenset[str]] = frozenset


def _every_character() -> Iterator[str]:
    return (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def _dropped_by_file(folder: str) -> frozenset[str]:
    """The characters that the normalizer of a tokenizer.json turns into nothing."""
    normalizer = references.hf_tokenizer(folder).normalizer
    return frozenset(c for c in _every_character() if normalizer.normalize_str(c) == "")


def _hugging_face(folder: str) -> Reference:
    tokenizer = references.hf_tokenizer(folder)
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def answers(texts: Sequence[str]) -> list[Answer]:
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ids = [encoding.ids for encoding in encoded]
        whole = tokenizer.decode_batch(ids, skip_special_tokens=False)
        plain = tokenizer.decode_batch(ids, skip_special_tokens=True)
        rows = zip(encoded, whole, plain, strict=True)
        return [Answer(encoding.ids, encoding.offsets, text, rest) for encoding, text, rest in rows]

    return answers


def _sentencepiece(name: str) -> Reference:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(fixtures.fixture(name)))

    def answers(texts: Sequence[str]) -> list[Answer]:
        made = []
        for text in texts:
            mapped = processor.encode(text, return_type="offset_mapping")
            ids = mapped["ids"]
            made.append(Answer(ids, mapped["offsets"], processor.decode(ids), None))
        return made

    return answers


def _tekken(name: str) -> Reference:
    """Mistral's own library runs tiktoken on the file's pattern and ranks, ids moved past the special tokens."""
    file = json.loads(fixtures.fixture(name).read_bytes())
    config = file["config"]
    n_special = config["default_num_special_tokens"]
    n_learned = config["default_vocab_size"] - n_special
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in file["vocab"][:n_learned]}
    encoding = tiktoken.Encoding(name, pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})

    def answers(texts: Sequence[str]) -> list[Answer]:
        encoded = encoding.encode_ordinary_batch(list(texts), num_threads=2)
        return [
            Answer([rank + n_special for rank in ids], None, encoding.decode(ids), None) for ids in encoded
        ]

    return answers


def _ours(name: str) -> pw.Tokenizer:
    return pw.load(str(fixtures.fixture(name)))


def _normalized(folder: str, text: str) -> str:
    normalized: str = references.hf_tokenizer(folder).normalizer.normalize_str(text)
    return normalized


def _json(folder: str, family: str, *, is_whole: bool = False) -> Pair:
    ours = partial(_ours, f"{folder}/tokenizer.json")
    theirs = partial(_hugging_face, folder)
    if family != "Unigram":
        return Pair(family, ours, theirs, is_whole=is_whole)
    forges = partial(_normalized, folder)
    drops = partial(_dropped_by_file, folder)
    return Pair(family, ours, theirs, is_whole=is_whole, normalized=forges, dropped=drops)


def _dropped_by_model(name: str) -> frozenset[str]:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(fixtures.fixture(name)))
    nothing = processor.normalize("aa")
    return frozenset(c for c in _every_character() if processor.normalize(f"a{c}a") == nothing)


def _model(name: str, family: str, *, is_whole: bool = False) -> Pair:
    theirs = partial(_sentencepiece, name)
    drops = partial(_dropped_by_model, name)
    return Pair(family, partial(_ours, name), theirs, "text", is_whole, dropped=drops)


def _tekken_pair(name: str, *, is_whole: bool = False) -> Pair:
    return Pair("tekken", partial(_ours, name), partial(_tekken, name), "text", is_whole)


PAIRS = {
    "qwen3": _json("qwen3", "byte-level BPE", is_whole=True),
    "llama3": _json("llama3", "byte-level BPE"),
    "gpt4o": _json("gpt4o", "byte-level BPE"),
    "gptoss": _json("gptoss", "byte-level BPE"),
    "deepseek_v3": _json("deepseek_v3", "byte-level BPE"),
    "gemma3": _json("gemma3", "character-level BPE", is_whole=True),
    "mistral-v0.1": _json("llama2", "character-level BPE"),
    "t5_v1_1": _json("t5_v1_1", "Unigram"),
    "xlmr": _json("xlmr_multilingual_e5_small", "Unigram", is_whole=True),
    "minilm": _json("minilm_l6_v2", "WordPiece", is_whole=True),
    "mistral.model.v1": _model("mistral/tokenizer.model.v1", "sentencepiece BPE", is_whole=True),
    "mistral.model.v2": _model("mistral/tokenizer.model.v2", "sentencepiece BPE"),
    "mistral.model.v3": _model("mistral/tokenizer.model.v3", "sentencepiece BPE"),
    "mistral.model.v7": _model("mistral/tokenizer.model.v7", "sentencepiece BPE"),
    "botchan-bpe": _model("sentencepiece_test/botchan_en_bpe_1000.model", "sentencepiece BPE"),
    "botchan-unigram": _model("sentencepiece_test/botchan_en_unigram_1000.model", "sentencepiece Unigram"),
    "kyoto-unigram": _model(
        "sentencepiece_test/kyoto_ja_unigram_8000.model", "sentencepiece Unigram", is_whole=True
    ),
    "curated-toy": _model("curated_toy/toy.model", "sentencepiece Unigram"),
    "tekken-240718": _tekken_pair("mistral/tekken_240718.json"),
    "tekken-240911": _tekken_pair("mistral/tekken_240911.json", is_whole=True),
}
