"""Worked figures: the display alphabet, and Qwen3's tokenizer. Values from tokenizers 0.23.3 and the file itself."""

from __future__ import annotations

import pytest

import piecework as pw
from tools.fixtures import fixture


@pytest.fixture(scope="module", params=["bundled", "tokenizer.json"])
def qwen3(request: pytest.FixtureRequest) -> pw.Tokenizer:
    return pw.load("qwen3" if request.param == "bundled" else fixture("qwen3/tokenizer.json"))


@pytest.mark.parametrize(
    ("text", "hex_bytes", "display"),
    [
        (" ", "20", "Ġ"),
        ("\n", "0a", "Ċ"),
        ("\t", "09", "ĉ"),
        ("á", "c3 a1", "Ã¡"),
        ("ç", "c3 a7", "Ã§"),
        ("🚀", "f0 9f 9a 80", "ðŁļĢ"),
    ],
)
def test_display_alphabet(text: str, hex_bytes: str, display: str) -> None:
    view = pw.show_bytes(text)
    assert (view.hex, view.display) == (hex_bytes, display)


def test_display_alphabet_shows_188_bytes_as_themselves_and_68_from_u0100_in_order() -> None:
    display = pw.byte_table().display
    assert len(display) == len(set(display)) == 256
    assert sum(char == chr(byte) for byte, char in enumerate(display)) == 188
    moved = [ord(char) for byte, char in enumerate(display) if char != chr(byte)]
    assert moved == list(range(0x100, 0x100 + 68))


@pytest.mark.parametrize(
    ("text", "n_characters", "n_bytes"),
    [("refund", 6, 6), ("é", 1, 2), ("e\u0301", 2, 3), ("返金", 2, 6), ("日本語", 3, 9), ("😀", 1, 4)],
)
def test_characters_and_bytes(text: str, n_characters: int, n_bytes: int) -> None:
    view = pw.show_bytes(text)
    assert (view.n_characters, view.n_bytes) == (n_characters, n_bytes)
    assert pw.show_bytes(text.encode()) == view


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("the", [1782]),
        (" the", [279]),
        ("1969", [16, 24, 21, 24]),
        ("I'm", [40, 2776]),
        ("):", [1648]),
        ("    ", [257]),
        (" 🚀", [11162, 248, 222]),
        ("🚀", [145836]),
        (" castanha", [6311, 276, 4223]),
        (" rápida", [135290]),
        (
            "A raposa preguiçosa: 1969 🚀",
            [32, 7327, 11983, 855, 19109, 3131, 11983, 25, 220, 16, 24, 21, 24, 11162, 248, 222],
        ),
        ("<|im_start|>user", [27, 91, 318, 4906, 91, 29, 872]),
    ],
)
def test_ids(qwen3: pw.Tokenizer, text: str, ids: list[int]) -> None:
    assert qwen3.ids(text) == ids
    assert qwen3.count(text) == len(ids)
    assert qwen3.ids(text.encode()) == ids


def test_parsed_turn(qwen3: pw.Tokenizer) -> None:
    assert qwen3.ids("<|im_start|>user", special="parse") == [151644, 872]


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("2026-09-12", 10),
        ("Hello, world!", 4),
        ("Olá, mundo!", 5),
        ("def get_user_by_id(user_id: int):", 10),
        ("🇧🇷🚀", 3),
        ("The quick brown fox jumps over the lazy dog near the river bank.", 14),
        ("1969 2026-09-12 3.14159 1,000,000", 33),
        ("A rápida raposa castanha salta sobre o cão preguiçoso perto da margem do rio.", 25),
        ("El rápido zorro marrón salta sobre el perro perezoso cerca de la orilla del río.", 25),
        ("Le rapide renard brun saute par-dessus le chien paresseux près de la rive.", 23),
        ("Der schnelle braune Fuchs springt über den faulen Hund am Flussufer.", 20),
        ("Быстрая коричневая лиса прыгает через ленивую собаку у берега реки.", 29),
        ("الثعلب البني السريع يقفز فوق الكلب الكسول بالقرب من ضفة النهر.", 25),
        ("敏捷的棕色狐狸跳过了河岸边的懒狗。", 12),
        ("素早い茶色の狐が川岸の近くの怠け者の犬を飛び越える。", 21),
        ("🚀 🇧🇷 🎉 ✅", 10),
        ("refund", 1),
        ("Refund", 2),
        ("refundability", 2),
        ("Erstattungsanspruch", 6),
        (" strawberry", 1),
        ("strawberry", 3),
        (" 1234", 5),
        (" 12345", 6),
        ("My order was charged twice; when will the refund arrive?", 12),
    ],
)
def test_counts(qwen3: pw.Tokenizer, text: str, n: int) -> None:
    assert qwen3.count(text) == n
    assert len(qwen3.ids(text)) == n


def test_three_tokens_share_the_rocket(qwen3: pw.Tokenizer) -> None:
    enc = qwen3.encode("A raposa preguiçosa: 1969 🚀")
    assert enc.char_spans == [
        (0, 1), (1, 5), (5, 8), (8, 12), (12, 15), (15, 16), (16, 19), (19, 20), (20, 21), (21, 22), (22, 23), (23, 24),
        (24, 25), (25, 27), (26, 27), (26, 27),
    ]  # fmt: skip
    assert enc.pieces[5] == "ç"
    assert enc.vocab_pieces[5] == "Ã§"


def test_pretokens_in_the_display_alphabet(qwen3: pw.Tokenizer) -> None:
    stages = qwen3.stages("A raposa preguiçosa: 1969 🚀")
    display = ["A", "Ġraposa", "ĠpreguiÃ§osa", ":", "Ġ", "1", "9", "6", "9", "ĠðŁļĢ"]
    assert [pretoken.display for pretoken in stages.pretokens] == display


def test_numbers_of_the_vocabulary(qwen3: pw.Tokenizer) -> None:
    assert (qwen3.n_base, qwen3.n_tokens, qwen3.vocab_size) == (151_643, 151_669, 151_669)
    info = qwen3.info()
    assert (info.n_added, info.n_special, len(info.control_tokens)) == (26, 14, 26)
    assert [row.id for row in info.control_tokens] == list(range(151_643, 151_669))
    assert {row.id for row in info.control_tokens if row.reason == "special"} == set(range(151_643, 151_657))
    assert info.holes == ()


def test_bundled_qwen3_says_what_its_models_files_say() -> None:
    info = pw.load("qwen3").info()
    roles = {row.id: row.role for row in info.control_tokens}
    assert [roles[id_] for id_ in (151_643, 151_644, 151_645)] == [
        "padding, end, bos_token_id",
        "turn start",
        "end, turn end",
    ]
    assert info.turn_markers == ("<|im_start|>", "<|im_end|>")
    assert info.reconciled == (
        "151,669 = 151,643 learned + 26 added; 151,936 embedding rows (config.json of Qwen3): 267 rows are padding"
    )
    assert info.findings == ()


def test_stages_of_the_file(qwen3: pw.Tokenizer) -> None:
    stages = qwen3.info().stages
    assert list(stages["normalizers"]) == ["NFC"]
    assert stages["model"]["kind"] == "bpe"
    assert stages["decoder"] == "byte-level"


def test_skip_special_drops_only_special_tokens(qwen3: pw.Tokenizer) -> None:
    ids = qwen3.ids("<|im_start|>user <think>", special="parse")
    assert qwen3.decode(ids) == "<|im_start|>user <think>"
    assert qwen3.decode(ids, skip_special=True) == "user <think>"


@pytest.mark.parametrize(
    ("text", "n"),
    [
        (" cat", [9059]),
        ("cat", [8837]),
    ],
)
def test_o200k_ids(text: str, n: list[int]) -> None:
    assert pw.load("o200k_base").ids(text) == n


@pytest.mark.parametrize(
    ("text", "n"),
    [
        (" 1234", 3), (" 12345", 3), (" strawberry", 1), ("strawberry", 3), ("refund", 1), ("Refund", 1),
        ("refundability", 2), ("Erstattungsanspruch", 5), ("My order was charged twice; when will the refund arrive?", 12),
    ],
)  # fmt: skip
def test_o200k_counts(text: str, n: int) -> None:
    assert pw.load("gpt-4o").count(text) == n


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("r50k_base", ["1969"]),
        ("cl100k_base", ["196", "9"]),
        ("o200k_base", ["196", "9"]),
        ("qwen3", ["1", "9", "6", "9"]),
    ],
)
def test_digits(name: str, pieces: list[str]) -> None:
    assert pw.load(name).encode("1969").pieces == pieces


@pytest.mark.parametrize(
    ("model", "encoding", "n"),
    [
        ("gpt-4o", "o200k_base", 5),
        ("gpt-4o-mini", "o200k_base", 5),
        ("o1", "o200k_base", 5),
        ("gpt-4", "cl100k_base", 12),
    ],
)
def test_newer_models_are_not_counted_with_the_older_encoding(model: str, encoding: str, n: int) -> None:
    result = pw.count("नमस्ते दोस्त", model=model)
    assert (result.tokenizer, result.n) == (encoding, n)


def test_text_davinci_003_has_p50k_base() -> None:
    assert pw.load("text-davinci-003").name == "p50k_base"
