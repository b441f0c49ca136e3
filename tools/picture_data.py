"""The rows of the pictures in docs/pictures, from bundled tokenizers and built-in samples alone.

Merges and lattices are worked out here from the tokenizers' own files, in the plainest way: the pictures then also check
the engine, whose ids the last symbols must be.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import piecework as pw

__all__ = [
    "budget",
    "compression_curve",
    "content",
    "conversation",
    "lattice",
    "merges",
    "premium_intervals",
    "premiums",
]

Rows: TypeAlias = list[dict[str, Any]]

SAMPLES = Path(pw.__file__).parent / "_data" / "samples"
# Those that know every byte: the counts of t5 and bert-base-uncased would say of many languages how much is unknown to them.
TOKENIZERS = ("r50k_base", "cl100k_base", "o200k_base", "qwen3")
_CURVE = {"en": "English", "de": "German", "ru": "Russian", "hi": "Hindi", "zh-Hans": "Chinese (Simplified)"}
_INTERVALS = ("de", "pt", "tr", "ru", "ar", "zh-Hans", "ja", "sw", "hi", "my")
_N_RESAMPLES = 2_000


@cache
def _names(set_name: str) -> dict[str, str]:
    """The English name of each sample of a set."""
    with (SAMPLES / "index.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["key"]: row["english_name"] for row in rows if row["set"] == set_name}


def _text(set_name: str, key: str) -> str:
    return (SAMPLES / set_name / f"{key}.txt").read_text(encoding="utf-8")


@cache
def _line_counts(tokenizer: str, language: str) -> list[int]:
    return pw.load(tokenizer).count_batch(_text("parallel", language).splitlines()).tolist()


def content() -> Rows:
    """Bytes per token of each kind of text, and of English beside them."""
    samples = [
        ("parallel", "en", "English"),
        *(("kinds", key, name) for key, name in _names("kinds").items()),
    ]
    return [
        {
            "content": name,
            "tokenizer": tokenizer,
            "bytes_per_token": len(_text(of, key).encode()) / pw.load(tokenizer).count(_text(of, key)),
        }
        for of, key, name in samples
        for tokenizer in TOKENIZERS
    ]


def premiums() -> Rows:
    """The tokens of each language's lines over those of the same lines in English."""
    return [
        {
            "language": name,
            "tokenizer": tokenizer,
            "premium": sum(_line_counts(tokenizer, key)) / sum(_line_counts(tokenizer, "en")),
        }
        for key, name in _names("parallel").items()
        for tokenizer in TOKENIZERS
    ]


def premium_intervals() -> Rows:
    """The same for some languages, with 95 % intervals of the paired percentile bootstrap over lines."""
    rows: Rows = []
    for key in _INTERVALS:
        for tokenizer in TOKENIZERS:
            pairs = list(zip(_line_counts(tokenizer, key), _line_counts(tokenizer, "en"), strict=True))
            draw = random.Random(0)  # noqa: S311 - the same picture every time
            ratios = sorted(_ratio(draw.choices(pairs, k=len(pairs))) for _ in range(_N_RESAMPLES))
            rows.append(
                {
                    "language": _names("parallel")[key],
                    "tokenizer": tokenizer,
                    "premium": _ratio(pairs),
                    "low": ratios[int(0.025 * _N_RESAMPLES)],
                    "high": ratios[int(0.975 * _N_RESAMPLES) - 1],
                }
            )
    return rows


def _ratio(pairs: Sequence[tuple[int, int]]) -> float:
    return sum(n for n, _ in pairs) / sum(n for _, n in pairs)


def compression_curve() -> Rows:
    """Bytes per token with the first 256, 512 ... ranks of o200k_base alone, in five languages.

    A vocabulary that is cut after a rank is the one that training had made by then.
    """
    whole = pw.load("o200k_base")
    pattern = str(whole.stages("").pre_tokenizers[0]["pattern"])
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cut.tiktoken"
        whole.save(path)
        ranks = path.read_bytes().splitlines(keepends=True)
        sizes = [2**power for power in range(8, 18)] + [len(ranks)]
        for size in sizes:
            path.write_bytes(b"".join(ranks[:size]))
            cut = pw.load(path, pattern=pattern)
            for key, name in _CURVE.items():
                text = _text("parallel", key)
                n_bytes = len(text.encode())
                rows.append(
                    {"series": name, "vocab_size": size, "bytes_per_token": n_bytes / cut.count(text)}
                )
    return sorted(rows, key=lambda row: list(_CURVE.values()).index(row["series"]))


def merges(tokenizer: str, text: str) -> Rows:
    """The symbols and merges of a pretoken of a byte-level BPE tokenizer.

    Raises:
        ValueError: The tokens that come out are not those of the engine.
    """
    tok = pw.load(tokenizer)
    symbols = [_display(bytes([byte])) for byte in text.encode()]
    ranks = _ranks(tokenizer)
    rows: Rows = [{"text": symbol, "left": None, "right": None} for symbol in symbols]
    state = list(range(len(rows)))
    while pairs := list(_pairs(rows, state, ranks)):
        rank, at = min(pairs)
        left, right = state[at : at + 2]
        lost = [pair for pair in pairs if abs(pair[1] - at) == 1]
        note = f"lost: {_pair_text(rows, state, min(lost)[1])}, rank {min(lost)[0]:,}" if lost else None
        rows.append(
            {
                "text": rows[left]["text"] + rows[right]["text"],
                "left": left,
                "right": right,
                "rank": rank,
                "note": note,
            }
        )
        state[at : at + 2] = [len(rows) - 1]
    for node in state:
        rows[node].update(is_token=True, id=tok.id(_bytes(rows[node]["text"])))
    ids = [rows[node]["id"] for node in state]
    if ids != tok.ids(text).tolist():
        raise ValueError(f"{tokenizer} makes {tok.ids(text).tolist()} of {text!r}, its merges {ids}")
    return rows


def _pairs(rows: Rows, state: Sequence[int], ranks: dict[tuple[str, str], int]) -> Iterator[tuple[int, int]]:
    for at, (left, right) in enumerate(itertools.pairwise(state)):
        rank = ranks.get((rows[left]["text"], rows[right]["text"]))
        if rank is not None:
            yield rank, at


def _pair_text(rows: Rows, state: Sequence[int], at: int) -> str:
    return "+".join(rows[node]["text"] for node in state[at : at + 2])


def _display(symbol: bytes) -> str:
    return "".join(pw.byte_table().display[byte] for byte in symbol)


def _bytes(symbol: str) -> bytes:
    return bytes(pw.byte_table().display.index(char) for char in symbol)


@cache
def _ranks(tokenizer: str) -> dict[tuple[str, str], int]:
    with tempfile.TemporaryDirectory() as folder:
        pw.load(tokenizer).save(folder, format="vocab-merges")
        lines = (Path(folder) / "merges.txt").read_text(encoding="utf-8").split("\n")[1:-1]
    found: dict[tuple[str, str], int] = {}
    for rank, line in enumerate(lines):
        left, _, right = line.partition(" ")
        found[left, right] = rank
    return found


def lattice(tokenizer: str, text: str) -> Rows:
    """Every piece of a Unigram vocabulary that fits into a pretoken, and the two best ways through it.

    Args:
        tokenizer: A bundled Unigram tokenizer.
        text: A pretoken as the model sees it, its space as `▁`.
    """
    data = text.encode()
    tok = pw.load(tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        tok.save(path)
        vocab = json.loads(path.read_bytes())["model"]["vocab"]
    scores = {piece.encode(): (token_id, score) for token_id, (piece, score) in enumerate(vocab)}
    best, second = (
        _spans([vocab[token_id][0] for token_id in ids]) for ids, _ in tok.nbest(text.lstrip("▁"), 2)
    )
    return [
        {
            "start": start,
            "end": end,
            "text": data[start:end].decode().replace("▁", "·"),
            "score": scores[data[start:end]][1],
            "id": scores[data[start:end]][0],
            "is_best": (start, end) in best,
            "is_runner_up": (start, end) in second,
        }
        for start in range(len(data))
        for end in range(start + 1, len(data) + 1)
        if data[start:end] in scores
    ]


def _spans(pieces: Sequence[str]) -> set[tuple[int, int]]:
    spans, start = set(), 0
    for piece in pieces:
        end = start + len(piece.encode())
        spans.add((start, end))
        start = end
    return spans


def conversation() -> Rows:
    """Ten turns of a conversation that sends all of its history: system 400, question 150, answer 250 tokens."""
    return [
        {"turn": turn, "part": part, "n_tokens": n_tokens}
        for turn in range(1, 11)
        for part, n_tokens in (
            ("system", 400),
            ("history", 400 * (turn - 1)),
            ("question", 150),
            ("answer", 250),
        )
    ]


def budget() -> Rows:
    """A window of 32,768 tokens with and without a document, in three languages."""
    parts = {"system": 300, "tools": 602, "evidence": 3_072, "history": 4_100, "answer": 2_048}
    documents = {"no document": 0, "English document": 20_000, "in Portuguese": 35_714, "in Hindi": 82_857}
    return [
        {"plan": plan, "part": part, "n_tokens": n_tokens}
        for plan, document in documents.items()
        for part, n_tokens in {**parts, "document": document}.items()
    ]
