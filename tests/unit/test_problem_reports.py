"""Problems that people reported of tokenizer tools, as cases: the reported input, and others of its kind.

Expected values were computed with tiktoken 0.14.0 and tokenizers 0.23.3, or by hand where those are wrong.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tools.fixtures import fixture


@pytest.fixture(scope="module")
def llama3() -> pw.Tokenizer:
    return pw.load(fixture("llama3/tokenizer.json"))


# --- B01: vocabulary words that no merge chain reaches --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (" việc", [100769]),
        (" điều", [101309]),
        (" jeho", [101503]),
        ("ektedir", [101673]),
        # Beside other words, where a cache of whole pretokens may answer.
        (" jeho jeho", [101503, 101503]),
    ],
)
def test_b01_words_that_only_ignore_merges_reaches(llama3: pw.Tokenizer, text: str, ids: list[int]) -> None:
    assert llama3.ids(text) == ids
    assert llama3.count(text) == len(ids)
    assert llama3.decode(ids) == text


# --- B03: a character spread over several tokens --------------------------------------------------------------------------


def gpt4o_from_json() -> pw.Tokenizer:
    return pw.load(fixture("gpt4o/tokenizer.json"))


@pytest.mark.parametrize(
    "load", [lambda: pw.load("gpt-4o"), gpt4o_from_json], ids=["bundled", "tokenizer.json"]
)
def test_b03_each_token_spans_the_whole_character(load: object) -> None:
    assert callable(load)
    enc = load().encode("a ⭢ b")
    assert enc.ids == [64, 2969, 255, 95, 287]
    assert enc.char_spans == [(0, 1), (1, 3), (2, 3), (2, 3), (3, 5)]


@pytest.mark.parametrize("text", ["a ⭢ b", "🚀🚀", "𓂀", "x\u0378y", "👩‍👩‍👧", "ཀྵ ꦏꦂ", "⭢" * 50])
@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base", "qwen3"])
def test_b03_no_span_is_empty_or_beyond_the_text(name: str, text: str) -> None:
    enc = pw.load(name).encode(text)
    for start, end in enc.char_spans:
        assert 0 <= start < end <= len(text)
    assert [start for start, _ in enc.char_spans] == sorted(start for start, _ in enc.char_spans)


# --- B07: offsets when NFC joins letters ----------------------------------------------------------------------------------

JAMO = "\u1112\u1161\u11ab\u1100\u1173\u11af \u1110\u1166\u1109\u1173\u1110\u1173"


def test_b07_a_token_covers_every_letter_that_was_joined_into_it() -> None:
    enc = pw.load("qwen3").encode(JAMO)
    assert enc.ids == [23573, 83291, 10764, 72509, 53189]
    assert enc.char_spans == [(0, 3), (3, 6), (6, 9), (7, 9), (9, 13)]


@pytest.mark.parametrize(
    ("text", "char_spans"),
    [
        # e + acute is one token as é: it covers both.
        ("e\u0301", [(0, 2)]),
        ("cafe\u0301!", [(0, 2), (2, 5), (5, 6)]),
        # Nothing changes before and after the joined place.
        ("ab e\u0301 cd", [(0, 2), (2, 5), (5, 8)]),
    ],
)
def test_b07_letters_with_marks(text: str, char_spans: list[tuple[int, int]]) -> None:
    enc = pw.load("qwen3").encode(text)
    assert enc.char_spans[0][0] == 0
    assert enc.char_spans[-1][1] == len(text)
    covered = {at for start, end in enc.char_spans for at in range(start, end)}
    assert covered == set(range(len(text)))
    assert enc.char_spans == char_spans


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


# --- B22: runs of spaces; a typed backslash-n -----------------------------------------------------------------------------

B22_TEXTS = ["a  b", "def f():\n    return  1", "\n", " \n", "\\n"]
B22_IDS = {
    "o200k_base": [[64, 220, 287], [1314, 285, 8595, 271, 622, 220, 220, 16], [198], [793], [3392]],
    "llama3": [[64, 220, 293], [755, 282, 4019, 262, 471, 220, 220, 16], [198], [720], [1734]],
}


@pytest.mark.parametrize(("text", "ids"), list(zip(B22_TEXTS, B22_IDS["o200k_base"], strict=True)))
def test_b22_spaces_o200k(text: str, ids: list[int]) -> None:
    assert pw.load("o200k_base").ids(text) == ids


@pytest.mark.parametrize(("text", "ids"), list(zip(B22_TEXTS, B22_IDS["llama3"], strict=True)))
def test_b22_spaces_llama3(llama3: pw.Tokenizer, text: str, ids: list[int]) -> None:
    assert llama3.ids(text) == ids


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


# --- B67: a local file, and no network ------------------------------------------------------------------------------------


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Fails on any connection, and lists the attempts."""
    attempts: list[object] = []

    def refuse(*args: object, **_: object) -> None:
        attempts.append(args)
        raise AssertionError("something asked the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return attempts


def test_b67_a_path_loads_without_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: list[object]
) -> None:
    (tmp_path / "cl100k_base.tiktoken").write_bytes(fixture("tiktoken/cl100k_base.tiktoken").read_bytes())
    monkeypatch.chdir(tmp_path)
    for source in ("./cl100k_base.tiktoken", "cl100k_base.tiktoken", tmp_path / "cl100k_base.tiktoken"):
        tok = pw.load(source)
        assert tok.ids("hello world") == [15339, 1917]
        assert tok == pw.load("cl100k_base")
    assert no_network == []


@pytest.mark.parametrize(
    "name", ["./cl100k_base.tiktoken", "cl100k_base.tiktoken", "tokenizer.json", "~/no/such.json"]
)
def test_b67_a_missing_file_is_named_with_the_folder_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: list[object], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    start = time.monotonic()
    with pytest.raises(pw.LoadError) as raised:
        pw.load(name)
    assert time.monotonic() - start < 2
    message = str(raised.value)
    assert Path(name).name in message
    assert str(tmp_path) in message
    assert raised.value.searched
    assert no_network == []


@pytest.mark.parametrize("name", ["cl100k", "bert-base-uncased", "meta-llama/Llama-3-8B", "gpt-5-unheard-of"])
def test_b67_an_unknown_name_asks_no_network(name: str, no_network: list[object]) -> None:
    with pytest.raises(pw.UnknownTokenizerError):
        pw.load(name)
    assert no_network == []


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


# --- B73: text with a NUL -------------------------------------------------------------------------------------------------


def test_b73_nul_is_a_character() -> None:
    assert pw.load("o200k_base").ids("a\0b") == [64, 188, 65]


@pytest.mark.parametrize("text", ["\0", "a\0", "\0\0\0", "x\0y\0z" * 1000])
@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base", "qwen3"])
def test_b73_nothing_ends_at_a_nul(name: str, text: str) -> None:
    tok = pw.load(name)
    assert tok.decode(tok.ids(text)) == text
    assert tok.ids(text) == tok.ids(text.encode())


# --- B77: holes, and two names on one id ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "token_id", [100256, 100261, 100275, 100277, 100300, 2**31, 2**32 - 1, 2**32, 2**64, -1]
)
def test_b77_an_id_that_is_no_token_is_named(token_id: int) -> None:
    tok = pw.load("cl100k_base")
    for call in (tok.decode, tok.decode_bytes):
        with pytest.raises(pw.UnknownIdError) as raised:
            call([9906, token_id])
        assert isinstance(raised.value, ValueError)
        assert (raised.value.id, raised.value.position) == (token_id, 1)
        assert str(token_id) in str(raised.value)
    with pytest.raises(pw.UnknownIdError):
        tok.piece(token_id)


@pytest.mark.parametrize(
    ("token_id", "why"),
    [
        (200000, "is a hole of the vocabulary: no token has it"),
        (200019, "is not in the vocabulary of 200019 ids"),
        (2**70, "is not in the vocabulary of 200019 ids"),
        (-5, "is negative, and no id is"),
    ],
)
def test_b77_it_is_said_why_an_id_is_no_token(token_id: int, why: str) -> None:
    tok = pw.load("o200k_base")
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.decode([token_id])
    assert str(raised.value) == f"id {token_id} at position 0 {why}"
    with pytest.raises(pw.UnknownIdError) as raised:
        tok.piece(token_id)
    assert str(raised.value) == f"id {token_id} {why}"


@pytest.mark.parametrize("ids", [[1.0], ["1"], [None], "12", b"12", 12, [[1]]])
def test_b77_what_is_no_id_is_a_type_error(ids: object) -> None:
    with pytest.raises(TypeError):
        pw.load("cl100k_base").decode(ids)  # type: ignore[arg-type]


def test_b77_vocabulary_size_and_number_of_tokens_are_apart() -> None:
    tok = pw.load("cl100k_base")
    assert (tok.vocab_size, tok.n_tokens, tok.n_base, len(tok.special_tokens)) == (100277, 100261, 100256, 5)


def test_b77_harmony_has_one_name_for_each_id() -> None:
    tok = pw.load("o200k_harmony")
    assert tok.piece(200018) == "<|endofprompt|>"
    assert tok.id("<|reserved_200018|>") is None
    assert "<|reserved_200018|>" not in tok.special_tokens
    ids = list(tok.special_tokens.values())
    assert len(ids) == len(set(ids))
