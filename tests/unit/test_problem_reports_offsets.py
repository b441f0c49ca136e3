"""Problems that people reported of tokenizer tools: where a token stands in the text. Each with others of its kind.

Expected values were computed with tokenizers 0.23.3, or by hand where it is wrong; then its value stands beside ours.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
import tokenizers
from tokenizers import AddedToken

import piecework as pw
from tests.reported import hugging_face, loaded, with_added

Spans = list[tuple[int, int]]


def reference_spans(folder: str, text: str) -> tuple[list[int], Spans]:
    encoding = hugging_face(folder).encode(text, add_special_tokens=False)
    return encoding.ids, [(start, end) for start, end in encoding.offsets]


# --- B03: a character spread over several tokens --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-4o", "gpt4o/tokenizer.json", "o200k_base"])
def test_b03_each_token_spans_the_whole_character(name: str) -> None:
    enc = loaded(name).encode("a ⭢ b")
    assert enc.ids == [64, 2969, 255, 95, 287]
    assert enc.char_spans == [(0, 1), (1, 3), (2, 3), (2, 3), (3, 5)]


@pytest.mark.parametrize("text", ["a ⭢ b", "🚀🚀", "𓂀", "x\u0378y", "👩‍👩‍👧", "ཀྵ ꦏꦂ", "⭢" * 50])
@pytest.mark.parametrize(
    "name",
    ["r50k_base", "cl100k_base", "o200k_base", "qwen3", "mistral/tekken_240718.json", "mistral/tokenizer.model.v3",
     "gguf/llama-bpe.gguf", "gguf/qwen2.gguf", "gguf/llama-spm.gguf"],
)  # fmt: skip
def test_b03_no_span_is_empty_or_beyond_the_text(name: str, text: str) -> None:
    tok = loaded(name)
    enc = tok.encode(text)
    # The space that a SentencePiece model puts before a text stands nowhere in it.
    is_put_in = [piece == "▁" for piece in enc.vocab_pieces[:1]] + [False] * len(enc.ids)
    for (start, end), inserted in zip(enc.char_spans, is_put_in, strict=False):
        assert 0 <= start <= end <= len(text)
        assert start < end or inserted
    assert [start for start, _ in enc.char_spans] == sorted(start for start, _ in enc.char_spans)
    assert enc.char_spans[-1][1] == len(text)


@pytest.mark.parametrize("text", ["a ⭢ b", "🚀 rocket 🚀", "日本語 ⭢⭢", "x\u0378y", "👩‍👩‍👧 é", "ཀྵ ꦏꦂ"])
@pytest.mark.parametrize("folder", ["gpt4o", "llama3", "gptoss", "gemma3"])
def test_b03_spans_are_those_of_the_reference(folder: str, text: str) -> None:
    enc = loaded(f"{folder}/tokenizer.json").encode(text)
    assert (enc.ids.tolist(), enc.char_spans) == reference_spans(folder, text)


# --- B04: spans that drift after an accent or a special token -------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["minilm_l6_v2/tokenizer.json", "bert-base-uncased", "minilm_l6_v2/vocab.txt"]
)
def test_b04_spans_point_into_the_original(name: str) -> None:
    enc = loaded(name).encode("A naïve [MASK] reader.", special="parse")
    assert enc.ids == [1037, 15743, 103, 8068, 1012]
    assert enc.char_spans == [(0, 1), (2, 7), (8, 14), (15, 21), (21, 22)]


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("minilm_l6_v2", "É [MASK] é [MASK] ñandú"),
        ("minilm_l6_v2", "Ünïcödé [CLS]İstanbul"),
        ("minilm_l6_v2", "naïve[MASK]naïve"),
        ("minilm_l6_v2", "a\u200bb [MASK] c"),
        ("minilm_l6_v2", "中é文 [MASK] 日"),
        ("minilm_l6_v2", "zero\0width [MASK] é"),
        ("minilm_l6_v2", "\t\né  [MASK]\u00a0é"),
        ("xlmr_multilingual_e5_small", "naïve <mask> reader"),
        ("xlmr_multilingual_e5_small", "ﬁne ½ <mask> ㍿ x"),
        ("qwen3", "naïve <|im_start|> é"),
        ("gemma3", "naïve <bos> é  x"),
    ],
)
def test_b04_no_drift_after_what_changed(folder: str, text: str) -> None:
    enc = loaded(f"{folder}/tokenizer.json").encode(text, special="parse")
    assert (enc.ids.tolist(), enc.char_spans) == reference_spans(folder, text)


def test_b04_a_space_that_was_put_in_stands_nowhere() -> None:
    text = "naïve </s> é"
    enc = loaded("t5_v1_1/tokenizer.json").encode(text, special="parse")
    ids, theirs = reference_spans("t5_v1_1", text)
    assert enc.ids == ids
    assert [
        piece for piece, (start, end) in zip(enc.vocab_pieces, enc.char_spans, strict=True) if start == end
    ] == ["▁"]
    # tokenizers 0.23.3 gives it the first letter, which the next token has as well.
    assert (enc.char_spans[0], theirs[0]) == ((0, 0), (0, 1))
    assert enc.char_spans[1:] == theirs[1:]


# --- B07: spans when NFC joins letters ------------------------------------------------------------------------------------

JAMO = "\u1112\u1161\u11ab\u1100\u1173\u11af \u1110\u1166\u1109\u1173\u1110\u1173"


def test_b07_a_token_covers_every_letter_that_was_joined_into_it() -> None:
    enc = loaded("qwen3").encode(JAMO)
    assert enc.ids == [23573, 83291, 10764, 72509, 53189]
    assert enc.char_spans == [(0, 3), (3, 6), (6, 9), (7, 9), (9, 13)]
    # tokenizers 0.23.3 has the first letter of each syllable alone.
    assert reference_spans("qwen3", JAMO) == (enc.ids.tolist(), [(0, 1), (3, 4), (6, 8), (7, 8), (9, 12)])


@pytest.mark.parametrize(
    ("text", "char_spans"),
    [
        # e + acute is one token as é: it covers both.
        ("e\u0301", [(0, 2)]),
        ("cafe\u0301!", [(0, 2), (2, 5), (5, 6)]),
        # Nothing changes before and after the joined place.
        ("ab e\u0301 cd", [(0, 2), (2, 5), (5, 8)]),
        # か with its voicing mark; the Kelvin and the Ångström sign.
        ("か\u3099", [(0, 2)]),
        ("\u212b", [(0, 1)]),
    ],
)
def test_b07_letters_with_marks(text: str, char_spans: Spans) -> None:
    assert loaded("qwen3").encode(text).char_spans == char_spans


@pytest.mark.parametrize(
    ("name", "text", "ids", "char_spans", "theirs"),
    [
        # The mark is dropped with its letter's change, so the word has it too; by hand, theirs from tokenizers 0.23.3.
        ("minilm_l6_v2/tokenizer.json", "cafe\u0301 x", [7668, 1060], [(0, 5), (6, 7)], [(0, 4), (6, 7)]),
        (
            "xlmr_multilingual_e5_small/tokenizer.json",
            "e\u0301 x",
            [393, 1022],
            [(0, 2), (2, 4)],
            [(0, 1), (2, 4)],
        ),
    ],
)
def test_b07_other_normalizers(
    name: str, text: str, ids: list[int], char_spans: Spans, theirs: Spans
) -> None:
    enc = loaded(name).encode(text)
    assert (enc.ids.tolist(), enc.char_spans) == (ids, char_spans)
    assert reference_spans(name.split("/", maxsplit=1)[0], text) == (ids, theirs)


@pytest.mark.parametrize(
    "text",
    [
        JAMO,
        "e\u0301" * 5,
        "q\u0307\u0323 a\u0323\u0307",
        "\u1100\u1161\u11a8\u11a9",
        "\u0915\u093c",
        "x \u0958 y",
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        "qwen3",
        "bert-base-uncased",
        "t5",
        "xlmr_multilingual_e5_small/tokenizer.json",
        "mistral/tokenizer.model.v1",
    ],
)
def test_b07_no_source_character_is_left_out(name: str, text: str) -> None:
    enc = loaded(name).encode(text)
    covered = {at for start, end in enc.char_spans for at in range(start, end)}
    assert covered | {at for at, char in enumerate(text) if char == " "} == set(range(len(text)))
    assert all(left[0] <= right[0] for left, right in pairwise(enc.char_spans))


# --- B75: white space beside an added token -------------------------------------------------------------------------------

ADDED = (
    AddedToken("[left]", lstrip=True, normalized=False),
    AddedToken("[right]", rstrip=True, normalized=False),
    AddedToken("[both]", lstrip=True, rstrip=True, normalized=False),
    AddedToken("[word]", single_word=True, normalized=False),
    AddedToken("[word left]", single_word=True, lstrip=True, normalized=False),
    AddedToken("[none]", normalized=False),
    AddedToken("[late]", lstrip=True, normalized=True),
)  # fmt: skip
AROUND = [
    "a  {}  b",
    "{}",
    " {} ",
    "\n\t {} x",
    "a\u00a0{}\u00a0b",
    "a\u3000 {} {}  b",
    "{}{}",
    "x{}y",
    "é  {}\n\nz",
    "a\u2028{}b",
    "a\x85{}",
    "a\x0b{}\x0c",
]


def test_b75_lstrip_takes_the_space_before() -> None:
    tok = pw.load(with_added("gpt4o", AddedToken("[gap]", lstrip=True)))
    enc = tok.encode("I like  [gap] tea", special="parse")
    assert (tok.id("[gap]"), enc.ids.tolist()) == (200019, [40, 1299, 200019, 17966])
    assert enc.char_spans == [(0, 1), (1, 6), (6, 13), (13, 17)]


@pytest.mark.parametrize("folder", ["gpt4o", "qwen3", "minilm_l6_v2"])
def test_b75_each_flag_takes_what_the_reference_takes(folder: str) -> None:
    reference = with_added(folder, *ADDED)
    tok = pw.load(reference)
    for text, encoding in answers(reference):
        enc = tok.encode(text, special="parse")
        assert (enc.ids.tolist(), enc.char_spans) == (encoding.ids, encoding.offsets), text


@pytest.mark.parametrize("folder", ["llama2", "t5_v1_1"])
def test_b75_flags_where_spaces_become_pieces(folder: str) -> None:
    # Spans differ where a ▁ was put in or stands for a run of spaces: see docs/offsets.md.
    reference = with_added(folder, *ADDED)
    tok = pw.load(reference)
    for text, encoding in answers(reference):
        assert tok.ids(text, special="parse") == encoding.ids, text


def answers(reference: tokenizers.Tokenizer) -> list[tuple[str, tokenizers.Encoding]]:
    """Each added token in each surrounding, and what the reference makes of it."""
    texts = [around.replace("{}", token.content) for token in ADDED for around in AROUND]
    return list(zip(texts, reference.encode_batch(texts, add_special_tokens=False), strict=True))
