"""Problems that people reported of tokenizer tools: text that comes token by token. Each with others of its kind.

Expected values: an incremental UTF-8 decoder over tiktoken's bytes; sentencepiece 0.2.3; tokenizers 0.23.3.
"""

from __future__ import annotations

import codecs
from itertools import pairwise

import pytest

from tests.reported import loaded
from tools import references

TEXTS = [
    "žluťoučký ďábel", "日本語と한국어 🚀 👩‍👩‍👧", "the  quick\n\n cat", " leading and trailing ", "𓂀 ꦏꦂ x", "naïve café — “quoted”", "\u0301x",
]  # fmt: skip
NAMES = [
    "cl100k_base", "o200k_base", "qwen3", "bert-base-uncased", "t5", "mistral/tokenizer.model.v1", "mistral/tokenizer.model.v7",
    "mistral/tekken_240911.json", "llama2/tokenizer.json", "gemma3/tokenizer.json", "deepseek_v3/tokenizer.json",
    "xlmr_multilingual_e5_small/tokenizer.json", "sentencepiece_test/botchan_en_unigram_1000.model", "gguf/llama-spm.gguf",
    "gguf/bert-bge.gguf", "gguf/qwen2.gguf",
]  # fmt: skip


def stream(name: str, ids: list[int]) -> list[str]:
    """What a stream gives for each id, and at the end."""
    decoder = loaded(name).decoder()
    parts = [decoder.feed(id_) for id_ in ids]
    return [*parts, decoder.finish().text]


# --- B17: accented letters become replacement marks -----------------------------------------------------------------------


def test_b17_letters_come_whole() -> None:
    ids = [12453, 10036, 75901, 283, 13453, 74, 20195, 10044, 237, 1995, 9978]
    assert stream("cl100k_base", ids) == ["ž", "lu", "ť", "ou", "č", "k", "ý", " ", "ď", "á", "bel", ""]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_b17_each_part_is_that_of_an_incremental_decoder(name: str, text: str) -> None:
    encoding = references.tiktoken_encoding(name)
    ids = encoding.encode_ordinary(text)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    expected = [decoder.decode(encoding.decode_single_token_bytes(id_)) for id_ in ids]
    assert stream(name, ids) == [*expected, decoder.decode(b"", final=True)]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", NAMES)
def test_b17_no_replacement_mark_and_nothing_lost(name: str, text: str) -> None:
    tok = loaded(name)
    ids = tok.ids(text).tolist()
    parts = stream(name, ids)
    assert "".join(parts) == tok.decode(ids)
    assert "\ufffd" not in "".join(parts)


@pytest.mark.parametrize(
    "name", ["cl100k_base", "llama2/tokenizer.json", "mistral/tokenizer.model.v1", "gguf/llama-spm.gguf"]
)
def test_b17_a_letter_that_never_ends_is_marked_at_the_end(name: str) -> None:
    tok = loaded(name)
    ids = tok.ids("x 𓂀").tolist()[:-1]
    parts = stream(name, ids)
    assert "".join(parts) == tok.decode(ids)
    assert "\ufffd" in parts[-1]
    assert "\ufffd" not in "".join(parts[:-1])


# --- B19: spaces vanish when ▁ tokens are streamed ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mistral/tokenizer.model.v1", "llama2/tokenizer.json"])
def test_b19_only_the_first_implied_space_vanishes(name: str) -> None:
    assert stream(name, [272, 2936, 5255]) == ["the", " quick", " cat", ""]


@pytest.mark.parametrize("name", NAMES)
def test_b19_words_do_not_run_together(name: str) -> None:
    tok = loaded(name)
    text = "the quick cat runs over the lamp"
    parts = stream(name, tok.ids(text).tolist())
    assert "".join(parts) == text
    assert sum(part.count(" ") for part in parts) == 6


@pytest.mark.parametrize("n_spaces", range(5))
@pytest.mark.parametrize(
    "name",
    [
        "mistral/tokenizer.model.v1",
        "mistral/tokenizer.model.v3",
        "llama2/tokenizer.json",
        "gemma3/tokenizer.json",
        "gguf/llama-spm.gguf",
    ],
)
def test_b19_spaces_of_the_text_itself_stay(name: str, n_spaces: int) -> None:
    text = " " * n_spaces + "cat" + " " * n_spaces + "x"
    assert "".join(stream(name, loaded(name).ids(text).tolist())) == text


@pytest.mark.parametrize("name", NAMES)
def test_b19_two_at_a_time_or_one_is_the_same(name: str) -> None:
    tok = loaded(name)
    ids = tok.ids("the quick 𓂀 cat, naïve").tolist()
    for cut, end in pairwise(range(len(ids) + 1)):
        decoder = tok.decoder()
        text = decoder.feed(ids[:cut]) + decoder.feed(ids[cut:end]) + decoder.feed(ids[end:])
        assert text + decoder.finish().text == tok.decode(ids)
