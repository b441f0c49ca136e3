"""Ids are those of the reference libraries: on real text, generated strings, and every short string of all classes.

Each test prints how many it compared.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
import tiktoken
import tokenizers

import piecework as pw
from tools import fixtures, references

from .strings import UNITS

# Bundled tokenizers and tiktoken's encodings of the same name.
TIKTOKEN = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")
# Hugging Face files, by the folder of their fixture.
HUGGING_FACE = ("qwen3", "gpt4o", "gpt35turbo", "gptoss", "llama3", "deepseek_v3")

Reference = Callable[[Sequence[str]], list[list[int]]]


def _tiktoken(name: str) -> Reference:
    encoding: tiktoken.Encoding = references.tiktoken_encoding(name)
    return lambda texts: [encoding.encode_ordinary(text) for text in texts]


def _hugging_face(folder: str) -> Reference:
    tokenizer: tokenizers.Tokenizer = references.hf_tokenizer(folder)
    # Control tokens' strings are text, as they are by default here.
    tokenizer.encode_special_tokens = True

    def encode(texts: Sequence[str]) -> list[list[int]]:
        encoded = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encoded]

    return encode


def _fetched(folder: str) -> pw.Tokenizer:
    return pw.load(fixtures.fixture(f"{folder}/tokenizer.json"))


def _pairs() -> Iterator[tuple[str, Callable[[], pw.Tokenizer], Callable[[], Reference]]]:
    for name in TIKTOKEN:
        yield f"{name}-tiktoken", partial(pw.load, name), partial(_tiktoken, name)
    yield "qwen3-bundled-tokenizers", partial(pw.load, "qwen3"), partial(_hugging_face, "qwen3")
    for folder in HUGGING_FACE:
        yield f"{folder}-tokenizers", partial(_fetched, folder), partial(_hugging_face, folder)


PAIRS = {name: (ours, theirs) for name, ours, theirs in _pairs()}


@pytest.fixture(params=PAIRS, scope="module")
def pair(request: pytest.FixtureRequest) -> tuple[str, pw.Tokenizer, Reference]:
    """A tokenizer of ours and the reference's ids for the same file."""
    ours, theirs = PAIRS[request.param]
    return request.param, ours(), theirs()


def _compare(ours: pw.Tokenizer, theirs: Reference, texts: Sequence[str]) -> int:
    """Compares ids text by text; returns how many ids were the same."""
    batch = ours.encode_batch(texts)
    n_ids = 0
    for i, expected in enumerate(theirs(texts)):
        found = batch[i]
        if found != expected:
            pytest.fail(f"{texts[i]!r}: {found.tolist()} is not {expected}")
        n_ids += len(expected)
    return n_ids


def _documents(max_bytes: int) -> Iterator[list[str]]:
    """Documents of about 2,000 characters from every file of the text sets, each file up to a share."""
    files = [file for text_set in fixtures.text_sets() for file in fixtures.text_set(text_set)]
    share = max_bytes // len(files) * 3
    for file in files:
        text = file.path.read_bytes()[:share].decode(errors="ignore")
        yield [text[at : at + 2000] for at in range(0, len(text), 2000)]


def test_real_text(pair: tuple[str, pw.Tokenizer, Reference]) -> None:
    name, ours, theirs = pair
    n_bytes = n_ids = n_files = 0
    for texts in _documents(18_000_000):
        n_ids += _compare(ours, theirs, texts)
        n_bytes += sum(len(text.encode()) for text in texts)
        n_files += 1
    n_languages = len(fixtures.text_set("languages"))
    print(
        f"\n{name}: {n_bytes:,} bytes, {n_ids:,} ids, {n_files} files, {n_languages} languages and code: 0 different"
    )
    assert n_bytes >= 10_000_000
    assert n_languages >= 40


def _generated(seed: int, n: int) -> Iterator[list[str]]:
    rng = random.Random(seed)
    for _ in range(0, n, 20_000):
        yield ["".join(rng.choices(UNITS, k=rng.randint(1, 14))) for _ in range(20_000)]


def test_generated_strings(pair: tuple[str, pw.Tokenizer, Reference]) -> None:
    name, ours, theirs = pair
    # The bundled ones get a million each; files that share their patterns and engine a part of it.
    n = 1_000_000 if name.endswith("tiktoken") or "bundled" in name else 200_000
    n_ids = sum(_compare(ours, theirs, texts) for texts in _generated(len(name), n))
    print(f"\n{name}: {n:,} generated strings, {n_ids:,} ids: 0 different")


# One representative of each class that some pattern tells apart: upper, lower (and one of a contraction), modifier and
# other letters, mark, number, space, other white space, line breaks, apostrophe, slash, other.
REPRESENTATIVES = ["A", "a", "s", "ʰ", "中", "\u0301", "1", " ", "\t", "\n", "\r", "'", "/", "!"]


def test_every_short_string(pair: tuple[str, pw.Tokenizer, Reference]) -> None:
    name, ours, theirs = pair
    n = n_ids = 0
    for length in range(1, 6):
        every = ("".join(units) for units in itertools.product(REPRESENTATIVES, repeat=length))
        while texts := list(itertools.islice(every, 50_000)):
            n_ids += _compare(ours, theirs, texts)
            n += len(texts)
    print(f"\n{name}: {n:,} strings up to length 5, {n_ids:,} ids: 0 different")
    assert n == sum(len(REPRESENTATIVES) ** length for length in range(1, 6))


def test_every_slice_offset(pair: tuple[str, pw.Tokenizer, Reference]) -> None:
    """The same text from 64 starting points: what depends on blocks of bytes shows here."""
    name, ours, theirs = pair
    text = "".join(file.path.read_text(encoding="utf-8")[:400] for file in fixtures.text_set("languages"))
    texts = [text[offset : offset + 30_000] for offset in range(64)]
    n_ids = _compare(ours, theirs, texts)
    print(f"\n{name}: 64 slices, {n_ids:,} ids: 0 different")
