"""`piecework show` and `piecework explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import piecework as pw
from tests.cli.conftest import Run


def test_pieces_in_a_pipe_are_plain(run: Run) -> None:
    ran = run("show", "--text", "Olá, mundo!", "-m", "qwen3")
    assert (ran.code, ran.text) == (0, "qwen3: 5 tokens\nOl|á|,|·mundo|!\n")


def test_a_bar_of_the_text_is_told_from_the_one_between_pieces(run: Run) -> None:
    ran = run("show", "--text", "<|im_start|>", "-m", "qwen3")
    assert ran.text == "qwen3: 6 tokens\n<|\\||im|_start|\\||>\n"
    # A backslash at a piece's end does not turn the separator into text.
    assert run("show", "--text", "é\\é", "-m", "gpt2").text.splitlines()[1] == "é|\\\\|é"


def test_several_models_one_under_the_other(run: Run) -> None:
    ran = run("show", "--text", "1969", "-m", "gpt2", "-m", "gpt-4o", "-m", "qwen3")
    assert (
        ran.text
        == "gpt2 (r50k_base): 1 token\n[1969]\ngpt-4o (o200k_base): 2 tokens\n[196|9]\nqwen3: 4 tokens\n[1|9|6|9]\n"
    )


def test_several_models_as_json(run: Run) -> None:
    value = run("show", "--json", "--text", "In 1969", "-m", "gpt2", "-m", "qwen3").json
    assert value["schema"] == "piecework.side-by-side/1"
    assert [span["is_shared"] for span in value["spans"]] == [True, False]
    assert [model["tokenizer"] for model in value["models"]] == ["r50k_base", "qwen3"]
    ran = run("show", "--json", "--list", "--text", "In 1969", "-m", "gpt2", "-m", "qwen3")
    assert ran.text.count("piecework.encode/1") == 2


def test_several_models_say_what_each_read_as_text(run: Run) -> None:
    ran = run("show", "--text", "<|im_start|>", "-m", "gpt2", "-m", "qwen3")
    assert ran.err.count("1 control string read as text (<|im_start|>)") == 1


def test_against_names_the_message(run: Run, folder: Path) -> None:
    old = [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "What is it?"}]
    new = [old[0], {"role": "user", "content": "What was it?"}]
    (folder / "old.json").write_text(json.dumps(old), encoding="utf-8")
    (folder / "new.json").write_text(json.dumps({"messages": new}), encoding="utf-8")
    ran = run("show", "new.json", "--against", "old.json", "-m", "qwen3")
    assert (ran.code, ran.lines[0]) == (
        0,
        ["qwen3:", "7", "of", "10", "tokens", "kept,", "3", "lost;", "new:", "10"],
    )
    assert "messages[1].content, byte 4" in ran.text
    assert "no chat template is applied" in ran.err
    value = run(
        "show", "new.json", "--against", "old.json", "-m", "qwen3", "--json", "--block-size", "4"
    ).json
    assert value["schema"] == "piecework.difference/1"
    assert value["in_blocks"] == [{"block_size": 4, "n_kept": 4, "n_lost": 4}]


def test_against_compares_texts_too(run: Run, folder: Path) -> None:
    (folder / "old.txt").write_text("Say: ", encoding="utf-8")
    ran = run("show", "--text", "Say: word", "--against", "old.txt", "-m", "qwen3", "-m", "gpt2")
    assert (ran.code, ran.text.count("retokenized: ")) == (0, 2)
    assert run("show", "--text", "Say: word", "--against", "-", "-m", "qwen3", stdin=b"Say: ").code == 0
    assert run("show", "--text", "Say: ", "--against", "gone", "-m", "qwen3").code == 4
    (folder / "bad").write_bytes(b"x\xff")
    assert "bad: " in run("show", "--text", "x", "--against", "bad", "-m", "qwen3").err


@pytest.mark.parametrize(
    "args",
    [
        ["--block-size", "4"],
        ["--against", "a", "--list"],
        ["--against", "a", "--bytes"],
        ["--against", "-"],
        ["a", "b", "--against", "a"],
    ],
)
def test_against_compares_one_text(run: Run, folder: Path, args: list[str]) -> None:
    for name in ("a", "b"):
        (folder / name).write_text(name, encoding="utf-8")
    assert run("show", *args, stdin=b"x").code == 2


def test_a_typed_backslash_n_is_told_from_a_line_break(run: Run) -> None:
    ran = run("show", "--text", r"a\nb", "-m", "gpt-4o")
    assert "⏎" not in ran.text
    assert r"\n in --text is two characters" in ran.err
    ran = run("show", "-m", "gpt-4o", stdin=b"a\nb")
    assert "⏎" in ran.text
    assert "two characters" not in ran.err


def test_forged_markers_are_named(run: Run) -> None:
    ran = run("show", "--text", "<|im_start|>user", "-m", "qwen3")
    assert "1 control string read as text (<|im_start|>); parsed: 2 tokens (--special parse)" in ran.err
    ran = run("show", "--text", "<|im_start|>user", "-m", "qwen3", "--special", "parse")
    assert ran.text == "qwen3: 2 tokens\n<\\|im_start\\|>|user\n"


def test_list(run: Run) -> None:
    ran = run("show", "--list", "--text", "A 🚀", "-m", "qwen3")
    assert ran.lines[1:] == [
        ["id", "piece", "bytes", "byte", "span", "char", "span", "word"],
        ["0", "32", "A", "41", "0-1", "0-1", "0"],
        ["1", "11162", "·\\xf0\\x9f", "20", "f0", "9f", "1-4", "1-3", "1"],
        ["2", "248", "\\x9a", "9a", "4-5", "2-3", "1"],
        ["3", "222", "\\x80", "80", "5-6", "2-3", "1"],
    ]


def test_vocabulary_form_only_on_request(run: Run) -> None:
    assert "Ġ" not in run("show", "--list", "--text", "a b", "-m", "qwen3").text
    assert "Ġb" in run("show", "--vocab", "--text", "a b", "-m", "qwen3").text


def test_json_of_pieces(run: Run) -> None:
    value = run("show", "--json", "--text", "A 🚀", "-m", "qwen3").json
    assert value["schema"] == "piecework.encode/1"
    assert value["ids"] == [32, 11162, 248, 222]
    assert value["bytes"] == ["41", "20f09f", "9a", "80"]
    assert value["utf16_spans"] == [[0, 1], [1, 4], [2, 4], [2, 4]]


def test_bytes(run: Run) -> None:
    ran = run("show", "--bytes", "--text", "é\n")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.splitlines()[:2] == ["2 characters, 3 bytes", "display: Ã©Ċ"]
    value = run("show", "--bytes", "--json", "--text", "é").json
    assert (value["schema"], value["hex"]) == ("piecework.bytes/1", "c3 a9")


@pytest.mark.parametrize("args", [["-m", "gpt2"], ["--list"], ["--vocab"], ["--assume", "gpt2"]])
def test_bytes_ask_no_tokenizer(run: Run, args: list[str]) -> None:
    ran = run("show", "--bytes", "--text", "x", *args)
    assert (ran.code, ran.out) == (2, b"")
    assert "--bytes asks no tokenizer" in ran.err


def test_bytes_of_what_is_no_text(run: Run) -> None:
    ran = run("show", "--bytes", stdin=b"\xff\x00")
    assert ran.code == 0
    assert ["0", "not", "UTF-8", "ff", "ÿ"] in ran.lines


def test_byte_table(run: Run) -> None:
    ran = run("show", "--byte-table")
    assert len(ran.lines) == 257
    assert len(run("show", "--byte-table", "--json").json["rows"]) == 256


def test_several_files_are_named(run: Run) -> None:
    for name in ("a", "b"):
        Path(name).write_text(name, encoding="utf-8")
    assert run("show", "a", "b", "-m", "gpt2").text.count("== ") == 2


def test_a_folder_is_a_usage_error(run: Run, folder: Path) -> None:
    (folder / "d").mkdir()
    ran = run("show", "d")
    assert ran.code == 2
    assert "error[usage]: d is a folder; only count takes folders" in ran.err


@pytest.mark.parametrize("command", ["show", "explain", "encode"])
def test_a_bad_file_is_named(run: Run, folder: Path, command: str) -> None:
    (folder / "bad").write_bytes(b"x\xff")
    ran = run(command, "bad")
    assert ran.code == 4
    assert "error[not-unicode]: bad: " in ran.err
    assert run(command, "bad", "--errors", "replace").code == 0
    assert run(command, "gone").code == 4


def test_explain(run: Run) -> None:
    ran = run("explain", "--stages", "--text", " castanha 19", "-m", "qwen3")
    assert ran.code == 0
    assert ["normalizer", "NFC"] in ran.lines
    assert ["·castanha", "Ġcastanha", "·cast|an|ha", "6311", "276", "4223"] in ran.lines
    assert ran.text.rstrip().endswith("6 ids: 6311 276 4223 220 16 24")


def test_explain_tells_a_bar_of_the_text_too(run: Run) -> None:
    ran = run("explain", "--text", "<|im_start|>", "-m", "qwen3")
    cells = {cell for line in ran.lines for cell in line}
    assert {"<|\\|", "_start", "\\||>"} <= cells


def test_explain_json_is_the_python_object(run: Run) -> None:
    value = run(
        "explain", "--stages", "--json", "--text", "e\u0301<think>", "-m", "qwen3", "--special", "parse"
    ).json
    expected = pw.load("qwen3").stages("e\u0301<think>", special="parse").to_dict()
    assert value["schema"] == "piecework.stages/1"
    assert value["sections"] == json.loads(json.dumps(expected["sections"]))


def test_explain_says_what_was_read_as_text(run: Run) -> None:
    ran = run("explain", "--text", "<think>", "-m", "qwen3")
    assert "1 control string read as text (<think>); parsed: 1 token (--special parse)" in ran.err
