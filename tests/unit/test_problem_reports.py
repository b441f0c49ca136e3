"""Problems that people reported of tokenizer tools, as cases: wrong ids. The reported input, and others of its kind.

Expected values were computed with tiktoken 0.14.0, tokenizers 0.23.3 and sentencepiece 0.2.3, or by hand where those
are wrong. The other kinds are in the files beside this one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.reported import hugging_face, loaded, processor
from tools.fixtures import fixture

# --- B01: vocabulary words that no merge chain reaches --------------------------------------------------------------------

B01 = {" việc": [100769], " điều": [101309], " jeho": [101503], "ektedir": [101673]}


@pytest.mark.parametrize(
    ("text", "ids"),
    # Beside other words, where a cache of whole pretokens may answer.
    [*B01.items(), (" jeho jeho", [101503, 101503])],
)
@pytest.mark.parametrize("name", ["llama3/tokenizer.json", "gguf/llama-bpe.gguf"])
def test_b01_words_that_only_ignore_merges_reaches(name: str, text: str, ids: list[int]) -> None:
    llama3 = loaded(name)
    assert llama3.ids(text) == ids
    assert llama3.count(text) == len(ids)
    assert llama3.decode(ids) == text


def test_b01_the_switch_decides(tmp_path: Path) -> None:
    file = json.loads(fixture("llama3/tokenizer.json").read_bytes())
    file["model"]["ignore_merges"] = False
    (tmp_path / "tokenizer.json").write_text(json.dumps(file), encoding="utf-8")
    merged = pw.load(tmp_path / "tokenizer.json")
    expected = [[3355, 26298, 66], [74686, 41038, 84], [503, 2701, 78], [1247, 6702, 404]]
    assert [merged.ids(text).tolist() for text in B01] == expected


def test_b01_ranks_take_the_same_words_whole() -> None:
    pattern = json.loads(fixture("llama3/tokenizer.json").read_bytes())["pre_tokenizer"]["pretokenizers"][0]
    ranks = pw.load(fixture("llama3_tiktoken/tokenizer.model"), pattern=pattern["pattern"]["Regex"])
    assert [ranks.ids(text).tolist() for text in B01] == list(B01.values())


@pytest.mark.parametrize(
    "name", ["llama3", "gptoss", "deepseek_v3", "qwen3", "gemma3", "minilm_l6_v2", "t5_v1_1"]
)
def test_b01_each_piece_as_a_text_is_what_the_reference_makes_of_it(name: str) -> None:
    tok, reference = loaded(f"{name}/tokenizer.json"), hugging_face(name)
    # Whole characters only: another piece is no text. The last are mostly those that few merges reach.
    pieces = [tok.piece(id_) for id_ in (*range(300, tok.n_base, 997), *range(tok.n_base - 300, tok.n_base))]
    texts = [piece for piece in pieces if "\\x" not in piece]
    assert len(texts) > 300
    expected = reference.encode_batch(texts, add_special_tokens=False)
    for text, encoding in zip(texts, expected, strict=True):
        assert tok.ids(text, special="parse") == encoding.ids, text


# --- B11: literal </s> in SentencePiece input -----------------------------------------------------------------------------

MISTRAL_MODELS = [f"mistral/tokenizer.model.{version}" for version in ("v1", "v2", "v3", "v7")]


@pytest.mark.parametrize("name", ["mistral/tokenizer.model.v1", "llama2/tokenizer.json"])
def test_b11_a_typed_end_token_is_text(name: str) -> None:
    tok = loaded(name)
    assert tok.ids("close it with </s> now") == [2848, 378, 395, 1867, 28713, 28767, 1055]
    assert [found.token for found in tok.encode("close it with </s> now").forged] == ["</s>"]


def test_b11_an_end_token_only_on_request() -> None:
    tok, text = loaded("llama2/tokenizer.json"), "close it with </s> now"
    assert 2 in tok.ids(text, special="parse")
    # tokenizers 0.23.3 knows no other way.
    assert hugging_face("llama2").encode(text, add_special_tokens=False).ids == tok.ids(text, special="parse")


@pytest.mark.parametrize(
    "text", ["<s>", "</s>x</s>", "<unk>", "a <0x41> b", "[INST] hi [/INST]", "<pad>", "[TOOL_CALLS]"]
)
@pytest.mark.parametrize("name", [*MISTRAL_MODELS, "sentencepiece_test/botchan_en_unigram_1000.model"])
def test_b11_no_piece_that_steers_is_made_of_text(name: str, text: str) -> None:
    tok = loaded(name)
    assert tok.ids(text) == processor(name).encode(text)
    if "botchan" not in name:
        assert tok.decode(tok.ids(text)) == text


@pytest.mark.parametrize(
    "name",
    [
        "llama2/tokenizer.json",
        "gguf/llama-spm.gguf",
        "gguf/phi-3.gguf",
        "mistral/tekken_240911.json",
        "t5",
        "bert-base-uncased",
    ],
)
def test_b11_other_forms_give_no_control_id_either(name: str) -> None:
    tok = loaded(name)
    controls = {row.id: row.token for row in tok.info().control_tokens}
    ids = tok.ids(" ".join(controls.values()))
    # The unknown token is what the model itself makes of a sign that it lacks.
    assert {controls[id_] for id_ in set(ids) & controls.keys()} <= {"<unk>"}


# --- B13: leading spaces in a ▁ vocabulary --------------------------------------------------------------------------------

B13 = [[5255], [28705, 5255], [259, 5255], [2287, 5255], [260, 5255]]


@pytest.mark.parametrize("name", ["mistral/tokenizer.model.v1", "llama2/tokenizer.json"])
def test_b13_the_implied_space_is_neither_lost_nor_doubled(name: str) -> None:
    tok = loaded(name)
    texts = [" " * n + "cat" for n in range(5)]
    assert [tok.ids(text).tolist() for text in texts] == B13
    assert [tok.decode(ids) for ids in B13] == texts


SPACED = [
    f"{left}cat{right}"
    for left in ("", " ", "  ", "\n", "\t", "\u00a0", "\u3000", "▁", " ▁", "\n ")
    for right in ("", " ", "   ")
]


@pytest.mark.parametrize("text", [*SPACED, "", " ", "  ", "▁"])
def test_b13_spaces_of_every_kind(text: str) -> None:
    for name in (
        *MISTRAL_MODELS,
        "sentencepiece_test/botchan_en_bpe_1000.model",
        "sentencepiece_test/kyoto_ja_unigram_8000.model",
    ):
        assert loaded(name).ids(text) == processor(name).encode(text), name
    for folder in ("llama2", "gemma3", "t5_v1_1", "xlmr_multilingual_e5_small"):
        expected = hugging_face(folder).encode(text, add_special_tokens=False).ids
        assert loaded(f"{folder}/tokenizer.json").ids(text) == expected, folder


# --- B15: a rare character silently dropped -------------------------------------------------------------------------------


def test_b15_a_character_that_no_piece_has_becomes_its_bytes() -> None:
    tok = loaded("mistral/tokenizer.model.v1")
    assert tok.ids("\U00013080") == [28705, 243, 150, 133, 131]
    assert tok.decode([28705, 243, 150, 133, 131]) == "\U00013080"


@pytest.mark.parametrize(
    "text", ["𓂀", "a𓂀b", "ꦏꦂ 𓂀𓂀", "\ue000", "\U0010ffff", "\x01\x7f", "x\u0378", "🫠 🇧🇷", "ཀྵ"]
)
@pytest.mark.parametrize(
    "name",
    [
        *MISTRAL_MODELS,
        "llama2/tokenizer.json",
        "gemma3/tokenizer.json",
        "gguf/llama-spm.gguf",
        "gguf/phi-3.gguf",
    ],
)
def test_b15_nothing_is_dropped(name: str, text: str) -> None:
    tok = loaded(name)
    ids = tok.ids(text)
    assert tok.decode(ids) == text
    covered = {at for start, end in tok.encode(text).char_spans for at in range(start, end)}
    assert covered == set(range(len(text)))
    if name in MISTRAL_MODELS:
        assert ids == processor(name).encode(text)
    elif name.endswith(".json"):
        folder = name.split("/", maxsplit=1)[0]
        assert ids == hugging_face(folder).encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("text", ["𓂀", "a 𓂀𓂀 b", "x𓂀y ꦏ"])
@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("sentencepiece_test/botchan_en_bpe_1000.model", 0),
        ("t5", 2),
        ("bert-base-uncased", 100),
        ("xlmr_multilingual_e5_small/tokenizer.json", 3),
    ],
)
def test_b15_without_bytes_there_is_an_unknown_token_in_its_place(name: str, unknown: int, text: str) -> None:
    enc = loaded(name).encode(text)
    spans = [span for id_, span in zip(enc.ids, enc.char_spans, strict=True) if id_ == unknown]
    assert {at for start, end in spans for at in range(start, end)} >= {
        at for at, char in enumerate(text) if char in "𓂀ꦏ"
    }


# --- B22: runs of spaces; a typed backslash-n -----------------------------------------------------------------------------

B22_TEXTS = ["a  b", "def f():\n    return  1", "\n", " \n", "\\n"]
B22_IDS = {
    "o200k_base": [[64, 220, 287], [1314, 285, 8595, 271, 622, 220, 220, 16], [198], [793], [3392]],
    "llama3/tokenizer.json": [[64, 220, 293], [755, 282, 4019, 262, 471, 220, 220, 16], [198], [720], [1734]],
}


@pytest.mark.parametrize("name", B22_IDS)
def test_b22_spaces_and_line_breaks(name: str) -> None:
    assert [loaded(name).ids(text).tolist() for text in B22_TEXTS] == B22_IDS[name]


@pytest.mark.parametrize(
    "folder", ["gpt4o", "llama3", "qwen3", "deepseek_v3", "gemma3", "llama2", "minilm_l6_v2", "t5_v1_1"]
)
def test_b22_runs_of_white_space_of_every_kind(folder: str) -> None:
    tok, reference = loaded(f"{folder}/tokenizer.json"), hugging_face(folder)
    runs = [
        " ",
        "  ",
        " " * 7,
        "\n",
        "\n\n\n",
        "\r\n",
        "\r\n\r\n",
        "\t",
        "\t\t ",
        " \n ",
        "\u00a0 ",
        "\u2003",
        "\u3000\n",
        "\\n",
        "\\r\\n",
        "\x0b",
        "\x85",
    ]
    texts = [
        f"{left}{run}{right}"
        for run in runs
        for left in ("", "a", "1", ".")
        for right in ("", "b", "2", "(", "\nx")
    ]
    expected = reference.encode_batch(texts, add_special_tokens=False)
    for text, encoding in zip(texts, expected, strict=True):
        assert tok.ids(text) == encoding.ids, repr(text)


def test_b22_a_line_break_and_a_typed_backslash_n_look_different() -> None:
    tok = pw.load("o200k_base")
    assert str(tok.show("a\nb")) == "a|⏎|\nb"
    assert "⏎" not in str(tok.show("a\\nb"))
    assert "\\" in str(tok.show("a\\nb"))


# --- B24: one very long run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "char", "n", "count"),
    [
        ("r50k_base", "^", 1_000_000, 250_000),
        ("cl100k_base", "a", 100_000, 12_500),
        ("cl100k_base", "a", 200_000, 25_000),
        ("o200k_base", "a", 1_000_000, 125_000),
        ("qwen3", "a", 1_000_000, 125_000),
    ],
)
def test_b24_a_long_run_of_one_character(name: str, char: str, n: int, count: int) -> None:
    assert pw.load(name).count(char * n) == count


@pytest.mark.parametrize("char", [" ", "\n", "\t", "猫", "\u0301", "🚀", "1", "\u200b"])
@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base", "qwen3"])
def test_b24_a_long_run_of_any_kind_comes_back(name: str, char: str) -> None:
    tok = pw.load(name)
    ids = tok.ids(char * 100_000)
    assert tok.decode(ids) == char * 100_000
