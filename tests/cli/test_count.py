"""`piecework count`: one number, or a table; what it is worth and what is left out goes to stderr."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import piecework as pw
from piecework._cli import documents
from piecework._cli.inputs import read_file
from tests.cli.conftest import Run
from tests.made_files import llama3_with_begin

FINGERPRINT = pw.load("o200k_base").fingerprint[:12]


def test_one_text_is_the_bare_number(run: Run) -> None:
    Path("prompt.txt").write_text("Hello, world!", encoding="utf-8")
    ran = run("count", "prompt.txt", "-m", "gpt-4o")
    assert (ran.code, ran.text) == (0, "4\n")
    assert ran.err == f"exact · o200k_base for gpt-4o · fingerprint {FINGERPRINT}\n"


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (["--text", "Hello, world!"], b""),
        ([], b"Hello, world!"),
        (["-"], b"Hello, world!"),
        (["-t", "Hello, world!"], b""),
    ],
)
def test_where_text_comes_from(run: Run, args: list[str], stdin: bytes) -> None:
    ran = run("count", *args, "-m", "gpt-4o", stdin=stdin)
    assert (ran.code, ran.text) == (0, "4\n")


def test_quiet(run: Run) -> None:
    assert run("count", "-q", "--text", "<|endoftext|>").err == ""


def test_nothing_is_something(run: Run) -> None:
    assert run("count", "-m", "gpt-4o").text == "0\n"


def test_bytes_are_counted_as_they_are(run: Run) -> None:
    # Line ends are not translated, a NUL ends nothing, a byte order mark is a character.
    for data in (b"a\r\nb", b"a\0b", b"\xef\xbb\xbfa"):
        Path("file").write_bytes(data)
        assert (
            run("count", "-q", "file", "-m", "gpt-4o").text == f"{pw.load('gpt-4o').count(data.decode())}\n"
        )


# --- which model ----------------------------------------------------------------------------------------------------------


def test_no_model_named(run: Run) -> None:
    ran = run("count", "--text", "x")
    assert ran.err.startswith(
        "no model named; using o200k_base (-m NAME, PIECEWORK_MODEL, or piecework.toml)\n"
    )


def test_model_from_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIECEWORK_MODEL", "gpt-4")
    ran = run("count", "--text", "नमस्ते दोस्त")
    assert ran.text == "12\n"
    assert "model gpt-4, from PIECEWORK_MODEL" in ran.err
    assert run("count", "--text", "नमस्ते दोस्त", "-m", "gpt-4o").text == "5\n"


def test_model_from_the_nearest_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("piecework.toml").write_text('[default]\nmodel = "gpt-4"\n', encoding="utf-8")
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    ran = run("count", "--text", "नमस्ते दोस्त")
    assert ran.text == "12\n"
    assert str(folder / "piecework.toml") in ran.err
    # One that names no model does not hide it.
    for content in ("", "[check]\n", "[default]\n"):
        (inner / "piecework.toml").write_text(content, encoding="utf-8")
        assert f"model gpt-4, from {folder / 'piecework.toml'}\n" in run("count", "--text", "x").err


def test_an_unknown_setting_is_named(run: Run, folder: Path) -> None:
    Path("piecework.toml").write_text('[default]\nmodell = "gpt-4"\n', encoding="utf-8")
    ran = run("count", "--text", "x")
    assert (ran.code, ran.out) == (2, b"")
    assert f"{folder / 'piecework.toml'}: [default] has no setting 'modell'" in ran.err


def test_a_path_in_the_settings_is_meant_from_where_they_are(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("piecework.toml").write_text('[default]\nmodel = "./own/tokenizer.json"\n', encoding="utf-8")
    (folder / "own").mkdir()
    llama3_with_begin(folder / "own")
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    assert run("count", "--text", " jeho").text == "1\n"


@pytest.mark.parametrize(
    "content", ["[default\n", "[default]\nmodel = 4\n", '[default]\nmodel = ""\n', "default = 1\n"]
)
def test_a_broken_settings_file_is_a_usage_error(run: Run, content: str) -> None:
    Path("piecework.toml").write_text(content, encoding="utf-8")
    ran = run("count", "--text", "x")
    assert (ran.code, ran.out) == (2, b"")
    assert "piecework.toml" in ran.err


def test_an_unknown_model(run: Run) -> None:
    ran = run("count", "--text", "x", "-m", "gpt-4o-min")
    assert (ran.code, ran.out) == (3, b"")
    assert ran.err.startswith("error[unknown-tokenizer]: ")
    assert "hint: close names are gpt-4o-mini" in ran.err


@pytest.mark.parametrize("name", ["mistral-large", "meta-llama/Llama-3-8B", "gpt-4o-min"])
def test_an_unknown_model_comes_with_the_ways_out(run: Run, name: str) -> None:
    err = run("count", "--text", "x", "-m", name).err
    assert "--assume NAME" in err
    assert "-m path/to/tokenizer.json" in err


def test_two_models_in_one_name(run: Run) -> None:
    ran = run("count", "--text", "x", "-m", "gpt-4o,qwen3")
    assert ran.code == 3
    assert "hint: -m takes one name: -m gpt-4o -m qwen3\n" in ran.err


def test_an_assumed_tokenizer_is_labelled(run: Run) -> None:
    ran = run("count", "--text", "red fish blue fish", "-m", "zz-unknown-9", "--assume", "o200k_base")
    assert (ran.code, ran.text) == (0, "4\n")
    assert ran.err.startswith("estimate (assumed) · o200k_base for zz-unknown-9 · ")
    assert run("count", "--text", "x", "-m", "gpt-4o", "--assume", "qwen3").err.startswith(
        "exact · o200k_base"
    )


def test_a_tokenizer_file(run: Run, tmp_path: Path) -> None:
    path = str(llama3_with_begin(tmp_path))
    ran = run("count", "--text", " jeho", "-m", path)
    assert ran.text == "1\n"
    assert "+1 begin/end not counted (--add-special-tokens)" in ran.err
    ran = run("count", "--text", " jeho", "-m", path, "--add-special-tokens")
    assert ran.text == "2\n"
    assert "not counted" not in ran.err


def test_a_missing_tokenizer_file(run: Run, folder: Path) -> None:
    ran = run("count", "--text", "x", "-m", "./cl100k_base.tiktoken")
    assert ran.code == 3
    assert f"error[load]: there is no file cl100k_base.tiktoken in {folder}" in ran.err


# --- control strings, chats -----------------------------------------------------------------------------------------------


def test_control_strings_read_as_text_are_told(run: Run) -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n" * 3 + "<think>"
    tok = pw.load("qwen3")
    ran = run("count", "--text", text, "-m", "qwen3")
    assert ran.text == f"{tok.count(text)}\n"
    n = tok.count(text, special="parse")
    assert f"7 control strings read as text; parsed: {n} tokens (--special parse)\n" in ran.err
    ran = run("count", "--text", text, "-m", "qwen3", "--special", "parse")
    assert ran.text == f"{n}\n"
    assert "control string" not in ran.err


def test_control_strings_can_be_refused(run: Run) -> None:
    Path("a.txt").write_text("stop <|endoftext|>", encoding="utf-8")
    Path("b.txt").write_text("fine", encoding="utf-8")
    ran = run("count", "a.txt", "b.txt", "-m", "gpt-4o", "--special", "raise")
    assert ran.code == 4
    assert "error[special-token]: a.txt: " in ran.err
    assert "hint: --special text" in ran.err
    # The other file is still counted.
    assert ["1", "b.txt"] in ran.lines


def test_chat_messages_are_counted_as_text_and_said_so(run: Run) -> None:
    messages = json.dumps([{"role": "user", "content": "Hi"}])
    Path("chat.json").write_text(messages, encoding="utf-8")
    ran = run("count", "chat.json", "-m", "gpt-4o")
    assert ran.text == f"{pw.load('gpt-4o').count(messages)}\n"
    assert (
        "chat.json looks like chat messages; counted as plain text, without a chat template (--chat)"
        in ran.err
    )
    Path("chat.json").write_text('[{"role": "user"}]', encoding="utf-8")
    assert "chat messages" not in run("count", "chat.json").err


# --- limits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "out", "code"), [("3", "3\n", 0), ("2", ">2\n", 1), ("0", ">0\n", 1)])
def test_up_to(run: Run, limit: str, out: str, code: int) -> None:
    ran = run("count", "--text", "a b c", "--up-to", limit)
    assert (ran.text, ran.code) == (out, code)


def test_up_to_in_a_table(run: Run) -> None:
    Path("short").write_text("a", encoding="utf-8")
    Path("long").write_text("a b c", encoding="utf-8")
    ran = run("count", "short", "long", "--up-to", "2")
    assert ran.code == 1
    assert ran.lines == [["1", "short"], [">2", "long"], ["?", "total", "of", "2"]]


def test_a_limit_that_is_no_number(run: Run) -> None:
    ran = run("count", "--text", "a", "--up-to", "abc")
    assert ran.code == 2
    assert "'abc' is not a valid whole number." in ran.err


def test_control_strings_in_a_text_over_the_limit(run: Run) -> None:
    ran = run("count", "--text", "<|im_start|>user", "--up-to", "2", "-m", "qwen3")
    assert "1 control string read as text; --special parse reads them as control tokens\n" in ran.err


# --- tables ---------------------------------------------------------------------------------------------------------------


def test_several_files(run: Run) -> None:
    Path("a").write_text("one", encoding="utf-8")
    Path("b c").write_text("one two", encoding="utf-8")
    ran = run("count", "b c", "a")
    assert ran.text == "2  b c\n1  a\n3  total of 2\n"


def test_several_models(run: Run) -> None:
    ran = run("count", "--text", "नमस्ते दोस्त", "-m", "gpt-4", "-m", "gpt-4o", "-m", "gpt-4")
    assert ran.lines == [["gpt-4", "(cl100k_base)", "gpt-4o", "(o200k_base)"], ["12", "5", "<text>"]]
    assert ran.err.count("exact · ") == 2


def test_top(run: Run) -> None:
    for n in range(1, 6):
        Path(f"f{n}").write_text("a " * n, encoding="utf-8")
    everything = run("count", *[f"f{n}" for n in range(1, 6)]).lines
    ran = run("count", "--top", "2", *[f"f{n}" for n in range(1, 6)])
    assert [line[-1] for line in ran.lines[:2]] == ["f5", "f4"]
    assert "3 more" in ran.text
    assert ran.lines[-1] == everything[-1]
    assert run("count", "--top", "0", *[f"f{n}" for n in range(1, 6)]).lines == everything


# --- what cannot be counted -----------------------------------------------------------------------------------------------


def test_a_missing_file(run: Run) -> None:
    Path("here").write_text("one", encoding="utf-8")
    ran = run("count", "gone", "here")
    assert ran.code == 4
    assert "error[input]: there is no file gone" in ran.err
    assert "hint: to give the text itself, write --text TEXT" in ran.err
    assert ["1", "here"] in ran.lines


def test_one_missing_file_prints_no_number(run: Run) -> None:
    ran = run("count", "gone", "-m", "gpt-4o")
    assert (ran.code, ran.out) == (4, b"")
    assert ran.err.startswith("error[input]: there is no file gone\n")


def test_a_file_that_is_not_utf8(run: Run, folder: Path) -> None:
    (folder / "latin.txt").write_bytes("café".encode("latin-1"))
    ran = run("count", "latin.txt")
    assert (ran.code, ran.out) == (4, b"")
    assert "error[not-unicode]: latin.txt: the input is not UTF-8 at byte 3" in ran.err
    assert "hint: --errors replace" in ran.err
    ran = run("count", "latin.txt", "--errors", "replace", "-m", "gpt-4o")
    assert ran.text == f"{pw.load('gpt-4o').count('caf�')}\n"
    (folder / "fine.txt").write_text("one", encoding="utf-8")
    # In a folder it is no text like any other, and named; --errors replace makes it one.
    ran = run("count", ".")
    assert (ran.code, ran.lines) == (0, [["1", "fine.txt"]])
    assert "skipped latin.txt: not UTF-8 at byte 3 (--errors replace counts it)" in ran.err
    assert ["2", "latin.txt"] in run("count", ".", "--errors", "replace", "-m", "gpt-4o").lines


def test_a_file_that_vanishes_meanwhile(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (folder / name).write_text("one", encoding="utf-8")

    def vanish(path: str | Path) -> bytes:
        Path("b").unlink(missing_ok=True)
        return read_file(path)

    monkeypatch.setattr(documents, "read_file", vanish)
    ran = run("count", ".")
    assert ran.code == 4
    assert "error[input]: there is no file b" in ran.err
    assert ran.lines[0] == ["1", "a"]


def test_a_file_that_may_not_be_read(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "shut").write_text("one", encoding="utf-8")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    ran = run("count", "shut", "-m", "gpt-4o")
    assert (ran.code, ran.out) == (4, b"")
    assert "error[input]: shut cannot be read: Permission denied" in ran.err


def test_a_name_that_is_hostile(run: Run, folder: Path) -> None:
    (folder / "x\x1b[2J.txt").write_text("one", encoding="utf-8")
    (folder / os.fsdecode(b"\xff.txt")).write_text("one", encoding="utf-8")
    ran = run("count", ".")
    assert ran.code == 0
    assert b"\x1b" not in ran.out
    assert len(run("count", "--json", ".").json["texts"]) == 2


# --- JSON -----------------------------------------------------------------------------------------------------------------


def test_json(run: Run) -> None:
    Path("p.txt").write_text("Hello <|endoftext|>", encoding="utf-8")
    ran = run("count", "--json", "p.txt", "-m", "gpt-4o", "-m", "zz", "--assume", "qwen3")
    value = ran.json
    tok = pw.load("gpt-4o")
    assert value["schema"] == "piecework.count/1"
    first, second = value["tokenizers"]
    assert first == {
        "model": "gpt-4o",
        "tokenizer": "o200k_base",
        "fingerprint": tok.fingerprint,
        "basis": "exact",
        "assumed": False,
        "begin_end_not_counted": 0,
        "control_strings_as_text": 1,
        "n_tokens_if_parsed": tok.count("Hello <|endoftext|>", special="parse"),
        "n_unknown": 0,
    }
    assert (second["model"], second["basis"], second["assumed"]) == ("zz", "estimate", True)
    counts = [pw.load(name).count("Hello <|endoftext|>") for name in ("gpt-4o", "qwen3")]
    assert value["n_tokens"] == counts
    assert value["texts"] == [{"name": "p.txt", "n_bytes": 19, "n_tokens": counts, "over": False}]
    assert (value["special"], value["add_special_tokens"], value["up_to"]) == ("text", False, None)


def test_json_says_what_is_over_the_limit(run: Run) -> None:
    ran = run("count", "--json", "--up-to", "3", "--text", "a b c d")
    assert (ran.code, ran.json["n_tokens"]) == (1, [None])
    assert [(text["n_tokens"], text["over"]) for text in ran.json["texts"]] == [([None], True)]


def test_top_of_json_is_refused(run: Run) -> None:
    ran = run("count", "--json", "--top", "2", "--text", "a")
    assert (ran.code, ran.out) == (2, b"")
    assert "--top is for the table; --json lists every text" in ran.err


def test_json_holds_failures(run: Run) -> None:
    ran = run("count", "--json", "gone")
    assert ran.code == 4
    (failed,) = ran.json["failed"]
    assert (failed["name"], failed["code"]) == ("gone", "input")


def test_a_quiet_estimate_still_says_what_it_is(run: Run) -> None:
    ran = run("count", "--text", "Hello", "-m", "claude-opus-4-7", "-q")
    assert ran.code == 0
    assert ran.err.startswith("estimate \u00b7 ")
    assert run("count", "--text", "Hello", "-m", "gpt-4o", "-q").err == ""
