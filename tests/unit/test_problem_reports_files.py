"""Problems that people reported of tokenizer tools: files that are odd or broken. Each with others of its kind.

Expected values were computed with tokenizers 0.23.3.
"""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest
import transformers
from tokenizers import AddedToken

import piecework as pw
from tests.gguf_files import without_keys
from tests.reported import loaded, with_added
from tools.fixtures import fixture

LOW = {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}


def bpe(folder: Path, vocab: dict[str, int], merges: object) -> pw.Tokenizer:
    """A tokenizer.json of these tokens and merges."""
    path = folder / "tokenizer.json"
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}), encoding="utf-8")
    return pw.load(path)


def pair_of_files(folder: Path, vocab: bytes, merges: bytes) -> pw.Tokenizer:
    (folder / "vocab.json").write_bytes(vocab)
    (folder / "merges.txt").write_bytes(merges)
    return pw.load(folder)


# --- B40: merges in two forms, and bad ones -------------------------------------------------------------------------------


@pytest.mark.parametrize("merges", [["l o", "lo w"], [["l", "o"], ["lo", "w"]]])
def test_b40_merges_are_strings_or_pairs(tmp_path: Path, merges: object) -> None:
    tok = bpe(tmp_path, LOW, merges)
    assert tok.ids("lowlo") == [4, 3]
    assert tok == bpe(tmp_path, LOW, [["l", "o"], ["lo", "w"]])


@pytest.mark.parametrize(
    ("vocab", "merges", "text"),
    [
        ({"a": 0, " ": 1, "b": 2, " b": 3, "a b": 4}, [[" ", "b"], ["a", " b"]], "a b"),
        ({" ": 0, "  ": 1, "    ": 2}, [[" ", " "], ["  ", "  "]], "    "),
        (
            {
                "\n": 0,
                "#version": 1,
                "#version\n": 2,
                "#": 3,
                **{c: 4 + i for i, c in enumerate("versio")},
                "n": 10,
            },
            [],
            "\n",
        ),
        ({"a": 0, "\r": 1, "a\r": 2}, [["a", "\r"]], "a\r"),
    ],
)
def test_b40_pairs_may_hold_white_space(
    tmp_path: Path, vocab: dict[str, int], merges: object, text: str
) -> None:
    assert bpe(tmp_path, vocab, merges).ids(text) == [vocab[text]]


@pytest.mark.parametrize("merges", [["l o", "o w", "lo w"], [["l", "o"], ["o", "w"], ["lo", "w"]]])
def test_b40_a_missing_token_is_named_with_the_merge(tmp_path: Path, merges: object) -> None:
    with pytest.raises(pw.FormatError) as raised:
        bpe(tmp_path, LOW, merges)
    assert raised.value.place == "model.merges[1]"
    assert str(raised.value).endswith('merge 1 joins "o" and "w", but the vocabulary lacks the token "ow"')


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("lo", 'merge 1 is "lo"; expected two tokens with one space between them'),
        ("l o w", 'merge 1 is "l o w"; expected'),
        ("", 'merge 1 is ""; expected'),
        ("l  o", 'merge 1 is "l  o"; expected'),
        (["l"], "a pair has two parts"),
        (["l", "o", "w"], "a pair has two parts"),
        ([1, "o"], "invalid type: integer `1`, expected a string"),
        (5, 'expected a merge: "a b" or ["a", "b"]'),
        (None, 'expected a merge: "a b" or ["a", "b"]'),
        (["l", "x"], "merges are all strings or all pairs"),
        ("x l", 'merge 1 joins "x" and "l", but the vocabulary lacks the token "x"'),
    ],
)
def test_b40_a_broken_merge_is_shown_with_its_number(tmp_path: Path, bad: object, why: str) -> None:
    with pytest.raises(pw.FormatError) as raised:
        bpe(tmp_path, LOW, ["l o", bad])
    assert "model.merges[1]" in str(raised.value)
    assert why in str(raised.value)
    assert raised.value.path == str(tmp_path / "tokenizer.json")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"low", '"low"; expected two tokens with one space between them'),
        (b"lo w x", '"lo w x"; expected two tokens'),
        (b"o w", 'it joins "o" and "w", but vocab.json lacks "ow"'),
        (b"lo  w", '"lo  w"; expected two tokens'),
    ],
)
def test_b40_a_broken_line_of_merges_txt_is_shown_with_its_number(
    tmp_path: Path, line: bytes, why: str
) -> None:
    with pytest.raises(pw.FormatError, match=r"merges\.txt line 3") as raised:
        pair_of_files(tmp_path, json.dumps(LOW).encode(), b"#version: 0.2\nl o\n" + line + b"\n")
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("vocab", "merges"),
    [("vocab.json", "merges.txt"), ("my-vocab.json", "my-merges.txt"), ("encoder.json", "vocab.bpe")],
)
def test_b40_the_two_files_by_each_of_their_names(tmp_path: Path, vocab: str, merges: str) -> None:
    (tmp_path / vocab).write_text(json.dumps(LOW), encoding="utf-8")
    (tmp_path / merges).write_text("#version: 0.2\nl o\nlo w\n", encoding="utf-8")
    for source in (tmp_path, tmp_path / vocab, tmp_path / merges):
        tok = pw.load(source)
        assert tok.ids("lowlo") == [4, 3]
        assert [file.name for file in tok.info().files] == [vocab, merges]


def test_b40_two_pairs_in_a_folder_are_one_too_many(tmp_path: Path) -> None:
    for prefix in ("a-", "b-"):
        (tmp_path / f"{prefix}vocab.json").write_text(json.dumps(LOW), encoding="utf-8")
        (tmp_path / f"{prefix}merges.txt").write_text("#version: 0.2\nl o\n", encoding="utf-8")
    with pytest.raises(pw.LoadError, match=r"several tokenizers: a-vocab\.json, b-vocab\.json"):
        pw.load(tmp_path)
    assert pw.load(tmp_path / "b-merges.txt").ids("lo") == [3]


# --- B42: GGUF of BPE type without merges ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-2", "llama-bpe", "qwen2"])
def test_b42_missing_merges_are_named_with_a_cause(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(without_keys(fixture(f"gguf/{name}.gguf").read_bytes(), "tokenizer.ggml.merges"))
    for source in (path, tmp_path):
        with pytest.raises(pw.FormatError) as raised:
            pw.load(source)
        assert (raised.value.path, raised.value.place) == (str(path), "tokenizer.ggml.merges")
        assert str(path) in str(raised.value)
        assert "a converter that does not know the tokenizer leaves them out" in str(raised.value)


@pytest.mark.parametrize("key", ["tokenizer.ggml.model", "tokenizer.ggml.tokens"])
@pytest.mark.parametrize("name", ["gpt-2", "llama-spm", "bert-bge"])
def test_b42_other_missing_keys_are_named(tmp_path: Path, name: str, key: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(without_keys(fixture(f"gguf/{name}.gguf").read_bytes(), key))
    with pytest.raises(pw.FormatError, match=key) as raised:
        pw.load(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("gone", ["vocab", "merges"])
def test_b42_what_a_tokenizer_json_lacks_is_named(tmp_path: Path, gone: str) -> None:
    model = {"type": "BPE", "vocab": LOW, "merges": ["l o", "lo w"]}
    del model[gone]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    with pytest.raises(pw.FormatError, match=gone) as raised:
        pw.load(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(("kept", "lacking"), [("vocab.json", "merges.txt"), ("merges.txt", "vocab.json")])
def test_b42_half_of_a_pair_names_its_other_half(tmp_path: Path, kept: str, lacking: str) -> None:
    content = json.dumps(LOW) if kept == "vocab.json" else "#version: 0.2\nl o\n"
    (tmp_path / kept).write_text(content, encoding="utf-8")
    with pytest.raises(pw.LoadError, match=lacking):
        pw.load(tmp_path / kept)


# --- B44: options of an added token lost on the second save ---------------------------------------------------------------

FLAGS = (
    AddedToken("zorp", single_word=True),
    AddedToken("[left]", lstrip=True, normalized=False),
    AddedToken("[right]", rstrip=True, normalized=False),
    AddedToken("[both]", lstrip=True, rstrip=True, single_word=True),
)
FLAG_TEXTS = ["zorps zorp", "a [left] b[right]  c", "a  [both]  b x[both]", "ZORP [LEFT]"]


@pytest.mark.parametrize("target", ["tokenizer.json", "folder"])
def test_b44_a_single_word_stays_one(tmp_path: Path, target: str) -> None:
    reference = with_added("minilm_l6_v2")
    reference.add_tokens([AddedToken("zorp", single_word=True)])
    tok = pw.load(reference)
    for cycle in range(3):
        enc = tok.encode("zorps zorp")
        assert enc.ids == [1062, 2953, 4523, 30522]
        assert enc.vocab_pieces == ["z", "##or", "##ps", "zorp"]
        path = tmp_path / f"{cycle}-{target}"
        tok.save(path)
        tok = pw.load(path)


@pytest.mark.parametrize("folder", ["minilm_l6_v2", "qwen3", "t5_v1_1"])
def test_b44_no_option_is_lost(tmp_path: Path, folder: str) -> None:
    reference = with_added(folder, *FLAGS)
    first = pw.load(reference)
    tok = first
    for cycle in range(2):
        path = tmp_path / f"{cycle}.json"
        tok.save(path)
        tok = pw.load(path)
        assert tok == first
    for text in FLAG_TEXTS:
        assert tok.ids(text, special="parse") == reference.encode(text, add_special_tokens=False).ids


def test_b44_the_libraries_may_save_in_turn(tmp_path: Path) -> None:
    reference = with_added("minilm_l6_v2")
    reference.add_tokens([AddedToken("zorp", single_word=True)])
    pw.load(reference).save(tmp_path / "ours")
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours", local_files_only=True)
    theirs.save_pretrained(tmp_path / "theirs")
    pw.load(tmp_path / "theirs").save(tmp_path / "again")
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "again", local_files_only=True)
    expected = [1062, 2953, 4523, 30522]
    assert again("zorps zorp", add_special_tokens=False)["input_ids"] == expected
    for source in (tmp_path / "theirs", tmp_path / "again", theirs, again):
        assert pw.load(source).ids("zorps zorp") == expected


# --- B69: a vocabulary file with Windows line ends ------------------------------------------------------------------------

WORDS = b"[UNK]\nred\n##dish\nfish\n"
MERGES = b"#version: 0.2\nl o\nlo w\n"


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("data", [WORDS, crlf(WORDS), crlf(WORDS)[:-2], WORDS.replace(b"red\n", b"red\r\n")])
def test_b69_a_vocab_txt(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "vocab.txt").write_bytes(data)
    for source in (tmp_path / "vocab.txt", tmp_path):
        tok = pw.load(source)
        assert tok.ids("reddish fish") == [1, 2, 3]
        assert [tok.piece(id_) for id_ in range(tok.vocab_size)] == ["[UNK]", "red", "dish", "fish"]


@pytest.mark.parametrize(
    "merges", [MERGES, crlf(MERGES), crlf(MERGES)[:-2], b"#version: 0.2\r\nl o\nlo w\r\n"]
)
@pytest.mark.parametrize("vocab", [json.dumps(LOW).encode(), crlf(json.dumps(LOW, indent=1).encode())])
def test_b69_a_vocab_json_with_its_merges(tmp_path: Path, vocab: bytes, merges: bytes) -> None:
    assert pair_of_files(tmp_path, vocab, merges).ids("low") == [4]


def test_a_vocab_txt_that_ends_inside_a_line_may_have_been_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(WORDS)
    assert pw.load(path).info().findings == ()
    path.write_bytes(WORDS[:-3])
    (finding,) = pw.load(path).info().findings
    assert finding == 'line 4: the file ends inside this line: if it was cut off, "fi" is no whole token'


def test_tokens_that_no_merge_makes_tell_of_a_merges_txt_that_was_cut_off(tmp_path: Path) -> None:
    pw.load("qwen3").save(tmp_path / "merges.txt")
    assert pw.load(tmp_path).info().findings == ()
    lines = (tmp_path / "merges.txt").read_bytes().splitlines(keepends=True)
    (tmp_path / "merges.txt").write_bytes(b"".join(lines[:100_001]))
    (finding,) = pw.load(tmp_path).info().findings
    # The last 51,387 merges are gone; three of them make `<s>`, `</s>` and `<unk>`, which pass for markers.
    assert finding.startswith("merges.txt: no merge makes 51384 of the 151387 tokens of several symbols")


def test_b69_lines_that_end_in_a_carriage_return_alone_are_refused(tmp_path: Path) -> None:
    # They would be one long line that names the version: a tokenizer without merges, in silence.
    with pytest.raises(pw.FormatError, match=r"merges\.txt line 1"):
        pair_of_files(tmp_path, json.dumps(LOW).encode(), MERGES.replace(b"\n", b"\r"))


@pytest.mark.parametrize(
    "name",
    [
        "tiktoken/cl100k_base.tiktoken",
        "minilm_l6_v2/tokenizer.json",
        "minilm_l6_v2/vocab.txt",
        "mistral/tekken_240718.json",
    ],
)
def test_b69_every_text_format_is_the_same_with_windows_line_ends(tmp_path: Path, name: str) -> None:
    path = tmp_path / Path(name).name
    path.write_bytes(crlf(fixture(name).read_bytes()))
    assert pw.load(path) == loaded(name)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_b69_the_files_around_a_tokenizer(tmp_path: Path, ending: bytes) -> None:
    source = fixture("minilm_l6_v2/tokenizer.json").parent
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        (tmp_path / name).write_bytes((source / name).read_bytes().replace(b"\n", ending))
    assert pw.load(tmp_path) == pw.load(source)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("tokenizer.json", b"\xef\xbb\xbf{}"),
        ("vocab.txt", b"\xef\xbb\xbf" + WORDS),
        ("merges.txt", b"\xef\xbb\xbf" + MERGES),
    ],
)
def test_b69_a_byte_order_mark_is_said(tmp_path: Path, name: str, data: bytes) -> None:
    if name == "merges.txt":
        (tmp_path / "vocab.json").write_text(json.dumps(LOW), encoding="utf-8")
    if name == "tokenizer.json":
        data = data[:3] + fixture("minilm_l6_v2/tokenizer.json").read_bytes()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(pw.FormatError, match="begins with a byte order mark; save it without one"):
        pw.load(tmp_path)


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


@pytest.mark.parametrize("name", ["cl100k", "bert-base-cased", "meta-llama/Llama-3-8B", "gpt-5-unheard-of"])
def test_b67_an_unknown_name_asks_no_network(name: str, no_network: list[object]) -> None:
    with pytest.raises(pw.UnknownTokenizerError):
        pw.load(name)
    assert no_network == []
