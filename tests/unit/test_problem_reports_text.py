"""Problems that people reported of tokenizer tools: what may stand in a text. Each with others of its kind.

Expected values were computed with tiktoken 0.14.0, tokenizers 0.23.3 and sentencepiece 0.2.3.
"""

from __future__ import annotations

from typing import Any

import pytest
import sentencepiece

import piecework as pw
from tests.reported import hugging_face, loaded, processor

# One of each model and of each format.
KINDS = [
    "cl100k_base", "qwen3", "bert-base-uncased", "t5", "llama3/tokenizer.json", "llama2/tokenizer.json", "gemma3/tokenizer.json",
    "xlmr_multilingual_e5_small/tokenizer.json", "mistral/tokenizer.model.v1", "mistral/tekken_240718.json",
    "sentencepiece_test/botchan_en_unigram_1000.model", "gguf/llama-spm.gguf", "gguf/bert-bge.gguf", "gguf/gpt-2.gguf",
    "minilm_l6_v2/vocab.txt",
]  # fmt: skip

# --- B09: a document that mentions a control token ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("cl100k_base", [8144, 83739, 8862, 728, 428, 91, 29, 520, 279, 842]),
        ("o200k_base", [10930, 464, 91, 419, 1440, 919, 91, 29, 540, 290, 1268]),
    ],
)
def test_b09_a_control_token_in_a_text_is_text(name: str, ids: list[int]) -> None:
    tok = pw.load(name)
    text = "Write <|endoftext|> at the end"
    assert tok.ids(text) == ids
    assert tok.count(text) == len(ids)
    assert pw.count(text, model=name).n == len(ids)
    assert [found.token for found in tok.encode(text).forged] == ["<|endoftext|>"]


def test_b09_a_control_token_only_on_request() -> None:
    text = "Write <|endoftext|> at the end"
    assert pw.load("cl100k_base").ids(text, special="parse") == [8144, 220, 100257, 520, 279, 842]


@pytest.mark.parametrize(
    "name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony", "qwen3"]
)
def test_b09_no_control_token_of_any_tokenizer_comes_out_of_text(name: str) -> None:
    tok = pw.load(name)
    controls = [row.token for row in tok.info().control_tokens]
    ids = {row.id for row in tok.info().control_tokens}
    assert controls
    text = " and ".join(controls)
    assert not ids & set(tok.ids(text))
    assert len(tok.encode(text).forged) == len(controls)
    assert tok.decode(tok.ids(text)) == text
    assert ids <= set(tok.ids(text, special="parse"))


# --- B71: a lone surrogate ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ab\ud800", "the text has a lone surrogate at character 2"),
        (b"a\xff", "the input is not UTF-8 at byte 1"),
    ],
)
def test_b71_the_error_says_where_and_in_which_text(text: str | bytes, why: str) -> None:
    tok = pw.load("gpt-4o")
    with pytest.raises(pw.NotUnicodeError) as one:
        tok.count(text)
    assert one.value.message == why
    for call in (tok.encode_batch, tok.count_batch):
        with pytest.raises(pw.NotUnicodeError) as raised:
            call(["a", text])
        assert raised.value.message == f"text 1: {why}"
        assert (raised.value.index, raised.value.hint) == (one.value.index, one.value.hint)
    wrong: Any = ["a", "b", 5]
    with pytest.raises(TypeError, match=r"^text 2: a text is a str or UTF-8 bytes, not int$"):
        tok.encode_batch(wrong)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("ok \udbc0 end", [564, 30433, 842]),
        # A pair in two halves is one character.
        ("\ud83d\udc4d", [9468, 239, 235]),
    ],
)
def test_b71_replaced_on_request(text: str, ids: list[int]) -> None:
    assert pw.load("cl100k_base").ids(text, errors="replace") == ids


@pytest.mark.parametrize(("text", "index"), [("ok \udbc0 end", 3), ("\udfff", 0), ("🚀x\ud800", 2)])
def test_b71_refused_by_default_with_its_place(text: str, index: int) -> None:
    with pytest.raises(pw.NotUnicodeError) as raised:
        pw.load("cl100k_base").ids(text)
    assert raised.value.index == index


def test_b71_spans_stay_in_step_with_the_text() -> None:
    text = "ok \udbc0 end"
    enc = pw.load("cl100k_base").encode(text, errors="replace")
    assert enc.char_spans == [(0, 2), (2, 4), (4, 8)]


@pytest.mark.parametrize(("data", "index"), [(b"ok \xff end", 3), (b"caf\xc3", 3), (b"\xed\xa0\x80", 0)])
def test_b71_bytes_that_are_not_utf8(data: bytes, index: int) -> None:
    tok = pw.load("cl100k_base")
    with pytest.raises(pw.NotUnicodeError) as raised:
        tok.count(data)
    assert raised.value.index == index
    assert tok.ids(data, errors="replace") == tok.ids(data.decode("utf-8", "replace"))


@pytest.mark.parametrize("name", KINDS)
def test_b71_every_kind_refuses_with_the_place_and_replaces_on_request(name: str) -> None:
    tok = loaded(name)
    with pytest.raises(pw.NotUnicodeError) as raised:
        tok.ids("ok \udbc0 end")
    assert raised.value.index == 3
    assert tok.ids("ok \udbc0 end", errors="replace") == tok.ids("ok \ufffd end")
    assert tok.ids("\ud83d\udc4d", errors="replace") == tok.ids("👍")
    assert tok.encode("ok \udbc0 end", errors="replace").char_spans == tok.encode("ok \ufffd end").char_spans
    stream = tok.encoder(errors="replace")
    assert [*stream.feed("ok \ud83d"), *stream.feed("\udc4d"), *stream.finish()] == tok.ids("ok 👍").tolist()


def test_b71_the_references_refuse_without_a_place() -> None:
    with pytest.raises(TypeError):
        hugging_face("llama2").encode("ok \udbc0 end")
    model: Any = processor("mistral/tokenizer.model.v1")
    assert isinstance(model, sentencepiece.SentencePieceProcessor)
    with pytest.raises((TypeError, RuntimeError, UnicodeError)):
        model.encode("ok \udbc0 end")


# --- B73: text with a NUL -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ids", "char_spans"),
    [
        ("mistral/tokenizer.model.v1", [264, 3, 28726], [(0, 1), (1, 2), (2, 3)]),
        ("llama2/tokenizer.json", [264, 3, 28726], [(0, 1), (1, 2), (2, 3)]),
        ("o200k_base", [64, 188, 65], [(0, 1), (1, 2), (2, 3)]),
        ("gpt4o/tokenizer.json", [64, 188, 65], [(0, 1), (1, 2), (2, 3)]),
        # BERT cleans it away; the word goes over its place.
        ("minilm_l6_v2/tokenizer.json", [11113], [(0, 3)]),
        ("minilm_l6_v2/vocab.txt", [11113], [(0, 3)]),
    ],
)
def test_b73_nul_is_a_character(name: str, ids: list[int], char_spans: list[tuple[int, int]]) -> None:
    enc = loaded(name).encode("a\0b")
    assert (enc.ids.tolist(), enc.char_spans) == (ids, char_spans)


@pytest.mark.parametrize("text", ["\0", "a\0", "\0a", "\0\0\0", "a \0 b", "x\0y\0z" * 1000])
@pytest.mark.parametrize("name", KINDS)
def test_b73_nothing_ends_at_a_nul(name: str, text: str) -> None:
    tok = loaded(name)
    ids = tok.ids(text)
    assert ids == tok.ids(text.encode())
    assert tok.count(text) == len(ids)
    if name.endswith("tokenizer.json"):
        folder = name.split("/", maxsplit=1)[0]
        assert ids == hugging_face(folder).encode(text, add_special_tokens=False).ids
    elif name.endswith((".model", ".model.v1")):
        assert ids == processor(name).encode(text)
    elif "bert" not in name and "minilm" not in name and name != "t5":
        assert tok.decode(ids) == text
