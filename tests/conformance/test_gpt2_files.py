"""GPT-2 by the two files that it was published as: the ids of tiktoken's r50k_base and of transformers' GPT2Tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import transformers

import piecework as pw
from tools import references
from tools.fetch.recipes.gpt2 import vocab_merges
from tools.fixtures import fixture
from tools.gguf_texts import generated
from tools.make_goldens import TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

_END = "<|endoftext|>"
_AROUND = (
    _END,
    f"a{_END}b",
    f"{_END}{_END}",
    f"Hello {_END} world",
    f" {_END}\n",
    "<|endoftext|",
    "<|endoftext|>>",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gpt2")
    vocab, merges = vocab_merges(fixture("tiktoken/r50k_base.tiktoken").read_bytes())
    (path / "vocab.json").write_bytes(vocab)
    (path / "merges.txt").write_bytes(merges)
    return path


@pytest.fixture(scope="module")
def texts() -> Sequence[str]:
    prose = fixture("sentencepiece_test/botchan.txt").read_text(encoding="utf-8")
    return [*TEXTS, *_AROUND, *generated(3000, seed=11), *prose.split("\n")[:1000], prose[:100_000]]


def test_the_files_are_the_published_ones(folder: Path) -> None:
    sizes = [(folder / name).stat().st_size for name in ("vocab.json", "merges.txt")]
    assert sizes == [1_042_301, 456_318]
    # Any character beyond ASCII is escaped, and ids are in order.
    assert (folder / "vocab.json").read_bytes().startswith(b'{"!": 0, "\\"": 1, "#": 2')
    assert b'"\\u0120the": 262' in (folder / "vocab.json").read_bytes()


def test_other_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="the vocab of these ranks have the SHA-256"):
        vocab_merges(b"IQ== 0\nIg== 1\nISI= 2\n")


@pytest.mark.parametrize("name", ["vocab.json", ""])
def test_ids_of_r50k_base(folder: Path, texts: Sequence[str], name: str) -> None:
    tok, reference = pw.load(folder / name), references.tiktoken_encoding("r50k_base")
    assert tok.vocab_size == 50257
    assert tok.id(_END) == 50256
    n_ids = 0
    for text in texts:
        plain = tok.ids(text).tolist()
        assert plain == reference.encode_ordinary(text), text
        assert tok.ids(text, special="parse").tolist() == reference.encode(text, allowed_special="all"), text
        assert tok.decode(plain) == text
        n_ids += len(plain)
    print(
        f"gpt2 by {name or 'its folder'}: {len(texts)} texts, {n_ids:,} ids compared with r50k_base, 0 different"
    )
    assert n_ids > 50_000


def test_ids_of_transformers(folder: Path, texts: Sequence[str]) -> None:
    tok = pw.load(folder)
    reference = transformers.GPT2Tokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    for text in texts:
        assert tok.ids(text, special="parse").tolist() == reference(text)["input_ids"], text
    print(f"gpt2: {len(texts)} texts compared with transformers' GPT2Tokenizer, 0 different")


def test_every_piece_is_that_of_r50k_base(folder: Path) -> None:
    tok, bundled = pw.load(folder), pw.load("r50k_base")
    assert [tok.decode_bytes([id_]) for id_ in range(50257)] == [
        bundled.decode_bytes([id_]) for id_ in range(50257)
    ]
