"""Unigram, WordPiece and character-level BPE against tokenizers and sentencepiece, on the files that publishers ship."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import sentencepiece
import tokenizers

import piecework as pw
from tools.fixtures import fixture, text_set

Encode = Callable[[str], list[int]]

TOKENIZER_JSON = ["gemma3", "llama2", "minilm_l6_v2", "t5_v1_1", "xlmr_multilingual_e5_small"]
SENTENCEPIECE = [
    "curated_toy/toy.model",
    "mistral/tokenizer.model.v1",
    "mistral/tokenizer.model.v3",
    "sentencepiece_test/botchan_en_bpe_1000.model",
    "sentencepiece_test/botchan_en_unigram_1000.model",
    "sentencepiece_test/kyoto_ja_unigram_8000.model",
]

_CHARACTERS = "aeiost  \n\t▁éß字中あア한🎉👍🏽\u200d\u0301\u0308\u200b\xa0ﬁ①ＡQ1234<>/s.,'\"-_#@\u0600"
_N_BYTES = 3000


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """A piece of each text of many languages, code and emoji, and strings of characters that normalizers change."""
    found = []
    for name in ("english", "languages", "udhr", "emoji", "code"):
        for file in text_set(name)[:40]:
            data = file.path.read_bytes()
            start = len(data) // 3
            found.append(data[start : start + _N_BYTES].decode(errors="ignore").replace("\0", ""))
    drawn = random.Random(5)
    found += ["".join(drawn.choices(_CHARACTERS, k=drawn.randrange(60))) for _ in range(2000)]
    return found


def _hold_against(ids: Encode, reference: Encode, texts: list[str]) -> None:
    different = [text for text in texts if ids(text) != reference(text)]
    assert not different, f"{len(different)} of {len(texts)}, the first: {different[0][:200]!r}"
    print(f"{len(texts)} texts compared, 0 different")


@pytest.mark.parametrize("name", TOKENIZER_JSON)
def test_ids_are_those_of_tokenizers(name: str, texts: list[str]) -> None:
    path = fixture(f"{name}/tokenizer.json")
    reference = tokenizers.Tokenizer.from_file(str(path))
    reference.no_truncation()
    reference.no_padding()
    ours = pw.load(path)
    _hold_against(
        lambda text: ours.ids(text, special="parse").tolist(),
        lambda text: list(reference.encode(text, add_special_tokens=False).ids),
        texts,
    )


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_ids_are_those_of_sentencepiece(name: str, texts: list[str]) -> None:
    path = fixture(name)
    reference = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    ours = pw.load(path)
    _hold_against(lambda text: ours.ids(text).tolist(), lambda text: list(reference.encode(text)), texts)
