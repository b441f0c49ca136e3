"""The trainers, each as a function that imports its library and gives one that trains.

All read the same file and make 32,000 entries of bytes, each in the quickest way that its library documents. gigabpe and
gigatoken have one pattern for this, GPT-2's. gigatoken takes the file as one text, the others a line at a time with its
end, so only its pretokens may go over line ends. rustbpe and bpeasy have no exact ties to hold them to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

from tools.fetch.recipes.gpt2 import LETTERS

__all__ = ["N_ENTRIES", "N_THREADS", "TRAINERS", "TRAINERS_OF"]

N_ENTRIES = 32_000
N_THREADS = 2
# bpeasy wants a bound; this one binds nothing.
_MAX_TOKEN_BYTES = 1_000_000

# Merges in order, as pairs of tokens in GPT-2's letters; or the merged tokens, where a library tells no pairs.
Learned = list[tuple[str, str]] | list[str]
# From a file and a regular expression, None for GPT-2's as the library has it built in. What was learned is read out of
# the library's own result later, outside of what is measured.
Train = Callable[[Path, str | None], Callable[[], Learned]]


def _piecework() -> Train:
    bpe = import_module("piecework").train.bpe

    def train(path: Path, pattern: str | None) -> Callable[[], Learned]:
        # The name, as its users write it; the expression is the same.
        name = "gpt2" if pattern is None else "o200k_base"
        made = bpe(files=[path], vocab_size=N_ENTRIES, pre_tokenizer=name, n_threads=N_THREADS)
        return lambda: list(made.training.merges)

    return train


def _tokenizers() -> Train:
    lib = import_module("tokenizers")
    stages = lib.pre_tokenizers

    def train(path: Path, pattern: str | None) -> Callable[[], Learned]:
        made = lib.Tokenizer(lib.models.BPE())
        made.pre_tokenizer = stages.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
        if pattern is not None:
            cut = stages.Split(lib.Regex(pattern), behavior="isolated")
            made.pre_tokenizer = stages.Sequence([cut, made.pre_tokenizer])
        trainer = lib.trainers.BpeTrainer(
            vocab_size=N_ENTRIES, initial_alphabet=stages.ByteLevel.alphabet(), show_progress=False
        )
        made.train([str(path)], trainer)
        return lambda: [tuple(merge) for merge in json.loads(made.to_str())["model"]["merges"]]

    return train


def _gigabpe() -> Train:
    train_bpe = import_module("gigabpe").train_bpe

    def train(path: Path, _: str | None) -> Callable[[], Learned]:
        made = train_bpe([str(path)], N_ENTRIES, pretokenizer="bytelevel", threads=N_THREADS)
        return lambda: list(made[1])

    return train


def _gigatoken() -> Train:
    train_bpe = import_module("gigatoken").train_bpe

    def train(path: Path, _: str | None) -> Callable[[], Learned]:
        made = train_bpe(path, N_ENTRIES, [])
        return lambda: [(_letters(left), _letters(right)) for left, right in made[1]]

    return train


def _rustbpe() -> Train:
    tokenizer = import_module("rustbpe").Tokenizer

    def train(path: Path, pattern: str | None) -> Callable[[], Learned]:
        made = tokenizer()
        made.train_from_iterator(_lines(path), N_ENTRIES, pattern=pattern)
        return lambda: _merged((bytes(token), rank) for token, rank in made.get_mergeable_ranks())

    return train


def _bpeasy() -> Train:
    train_bpe = import_module("bpeasy").train_bpe

    def train(path: Path, pattern: str | None) -> Callable[[], Learned]:
        made = train_bpe(_lines(path), pattern, _MAX_TOKEN_BYTES, N_ENTRIES)
        return lambda: _merged(made.items())

    return train


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        yield from lines


def _merged(ranks: Iterable[tuple[bytes, int]]) -> list[str]:
    return [_letters(token) for token, _ in sorted(ranks, key=lambda row: row[1]) if len(token) > 1]


def _letters(token: bytes) -> str:
    return "".join(LETTERS[byte] for byte in token)


TRAINERS: dict[str, Callable[[], Train]] = {
    "piecework": _piecework,
    "gigabpe": _gigabpe,
    "gigatoken": _gigatoken,
    "rustbpe": _rustbpe,
    "tokenizers": _tokenizers,
    "bpeasy": _bpeasy,
}

# Which are measured with which pattern. tokenizers is in both: it is what merges are compared with.
TRAINERS_OF = {
    "gpt2": ("piecework", "gigabpe", "gigatoken", "tokenizers"),
    "o200k_base": ("piecework", "rustbpe", "tokenizers", "bpeasy"),
}
