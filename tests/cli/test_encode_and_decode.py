"""`piecework encode`, `decode` and `truncate`: what comes out is exactly what a program reads on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run
from tests.made_files import llama3_with_begin


def test_encode(run: Run) -> None:
    ran = run("encode", "--text", "Hello, world!", "-m", "gpt-4o")
    assert (ran.code, ran.text) == (0, "13225 11 2375 0\n")
    assert (
        run("encode", "--text", "Hello, world!", "-m", "gpt-4o", "--format", "lines").text
        == "13225\n11\n2375\n0\n"
    )
    assert run("encode", "--text", "", "-m", "gpt-4o").text == "\n"


def test_encode_has_a_line_for_each_file(run: Run) -> None:
    Path("a").write_text("Hello", encoding="utf-8")
    Path("b").write_text(" cat", encoding="utf-8")
    assert run("encode", "a", "b", "-m", "gpt-4o").text == "13225\n9059\n"


def test_encode_of_more_ids_than_one_slice(run: Run) -> None:
    text = "a b\n" * 40_000
    ran = run("encode", "-q", "-m", "gpt2", stdin=text.encode())
    assert [int(word) for word in ran.text.split()] == pw.load("gpt2").ids(text).tolist()
    assert ran.text.count("\n") == 1


def test_encode_special(run: Run) -> None:
    assert (
        run("encode", "--text", "<|im_start|>user", "-m", "qwen3", "--special", "parse").text
        == "151644 872\n"
    )
    ran = run("encode", "--text", "<|im_start|>user", "-m", "qwen3")
    assert ran.text == "27 91 318 4906 91 29 872\n"
    assert "1 control string read as text" in ran.err


@pytest.mark.parametrize(
    "args",
    [
        ["9906", "11", "1917", "0"],
        ["9906, 11, 1917, 0"],
        ["[9906, 11, 1917, 0]"],
        ["[9906", "11", "1917", "0]"],
        ["9906,11,1917,0"],
        ["(9906; 11; 1917; 0)"],
    ],
)
def test_decode_spellings(run: Run, args: list[str]) -> None:
    ran = run("decode", "-m", "gpt-4", *args)
    assert (ran.code, ran.text) == (0, "Hello, world!")


@pytest.mark.parametrize(
    "stdin",
    [b"9906 11 1917 0\n", b"9906\n11\n1917\n0", b"[9906, 11,\n1917, 0]", b'{"ids": [9906, 11, 1917, 0]}'],
)
def test_decode_from_stdin(run: Run, stdin: bytes) -> None:
    assert run("decode", "-m", "gpt-4", stdin=stdin).text == "Hello, world!"


def test_decode_reads_what_encode_writes(run: Run) -> None:
    text = "Olá 🚀\r\n\ttab\n"
    for flags in ([], ["--json"], ["--format", "lines"]):
        encoded = run("encode", "-q", "-m", "gpt-4o", *flags, stdin=text.encode()).out
        assert run("decode", "-m", "gpt-4o", stdin=encoded).text == text


@pytest.mark.parametrize("word", ["1.5", "x", "0x10", "12a", "tensor([1"])
def test_what_is_no_id_is_named(run: Run, word: str) -> None:
    ran = run("decode", "1", word)
    assert (ran.code, ran.out) == (2, b"")
    assert "error[usage]: not an id: " in ran.err


@pytest.mark.parametrize(
    "stdin", [b'{"pieces": []}', b'{"ids": ["a"]}', b'{"ids": [true]}', b"{", b'{"ids": 1}']
)
def test_json_without_ids_is_refused(run: Run, stdin: bytes) -> None:
    assert run("decode", stdin=stdin).code == 2


def test_notes_come_in_one_order(run: Run) -> None:
    for command in ("count", "encode", "explain"):
        err = run(command, "--text", "<think>", "-m", "qwen3").err
        assert re.findall(r"^exact|^1 control string", err, re.MULTILINE) == ["exact", "1 control string"]


def test_an_unknown_id_is_named(run: Run) -> None:
    ran = run("decode", "-m", "gpt-4", "9906", "100256")
    assert (ran.code, ran.out) == (4, b"")
    assert ran.err.startswith("error[unknown-id]: id 100256 at position 1")
    assert run("decode", "-m", "gpt-4", stdin=b"-5").code == 4
    ran = run("decode", "-m", "gpt-4", "11", "-5")
    assert ran.code == 2
    assert "not an id: -5; an id is not negative" in ran.err
    assert run("decode", "-m", "gpt-4", "99999999999999999999999").code == 4


def test_bytes_that_are_no_character(run: Run) -> None:
    ran = run("decode", "-m", "qwen3", "11162", "248")
    assert ran.text == " \ufffd"
    assert "stand as U+FFFD (--raw writes them as they are)" in ran.err
    assert run("decode", "-m", "qwen3", "11162", "248", "--raw").out == b" \xf0\x9f\x9a"
    ran = run("decode", "-m", "qwen3", "11162", "248", "--errors", "strict")
    assert (ran.code, ran.out) == (4, b"")
    assert "error[incomplete-text]" in ran.err
    value = run("decode", "--json", "-m", "qwen3", "11162", "248").json
    assert (value["schema"], value["bytes"]) == ("piecework.decode/1", "20f09f9a")


def test_doubled_begin_tokens_are_named(run: Run, tmp_path: Path) -> None:
    llama3 = str(llama3_with_begin(tmp_path))
    ran = run("decode", "-m", llama3, "128000", "128000", "13347")
    assert "begins with <|begin_of_text|> (128000) twice" in ran.err
    assert "twice" not in run("decode", "-m", llama3, "128000", "13347").err
    assert run("decode", "-m", llama3, "128000", "13347", "--skip-special").text == "Hi"


def test_truncate(run: Run) -> None:
    ran = run("truncate", "-n", "2", "--text", "one two three four", "-m", "gpt-4o")
    assert (ran.code, ran.text) == (0, "one two")
    assert "kept 2 of 4 tokens; cut on the right" in ran.err
    assert run("truncate", "-n", "2", "--side", "left", "--text", "one two three four").text == " three four"
    assert "nothing cut" in run("truncate", "-n", "9", "--text", "one").err


def test_truncate_keeps_the_text_as_it_is(run: Run) -> None:
    assert run("truncate", "-n", "99", stdin=b"a\r\n\n").out == b"a\r\n\n"


def test_truncate_json(run: Run) -> None:
    value = run("truncate", "--json", "-n", "2", "--text", "one two three four").json
    assert value["schema"] == "piecework.truncate/1"
    assert (value["text"], value["n_tokens"], value["n_tokens_before"]) == ("one two", 2, 4)


def test_truncate_takes_one_text_and_a_limit(run: Run) -> None:
    Path("a").write_text("x", encoding="utf-8")
    assert run("truncate", "-n", "1", "a", "a").code == 2
    assert run("truncate", "a").code == 2
    assert run("truncate", "-n", "-1", "a").code == 2


def test_truncate_bad_text(run: Run) -> None:
    assert run("truncate", "-n", "1", stdin=b"\xff").code == 4
    assert run("truncate", "-n", "9", "--errors", "replace", stdin=b"a\xff").text == "a\ufffd"


def test_truncate_with_begin_tokens(run: Run, tmp_path: Path) -> None:
    llama3 = str(llama3_with_begin(tmp_path))
    flags = ["-m", llama3, "--add-special-tokens", "--text", "one two"]
    assert run("truncate", "-n", "2", *flags).text == "one"
    ran = run("truncate", "-n", "0", *flags)
    assert ran.code == 4
    assert "error[limit-too-small]" in ran.err
