"""Names are names and paths are paths; each failure says what was looked for and where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._files import bundle
from piecework._files.load import is_path
from tools.fixtures import fixture

R50K_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


@pytest.mark.parametrize(
    "name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony", "qwen3"]
)
def test_each_bundled_name_loads_as_itself(name: str) -> None:
    assert pw.load(name).name == name


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("gpt2", "r50k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("Qwen/Qwen3-0.6B", "qwen3"),
        ("Qwen/Qwen3-8B", "qwen3"),
    ],
)
def test_a_model_has_its_encoding(name: str, encoding: str) -> None:
    assert pw.load(name) == pw.load(encoding)


@pytest.mark.parametrize("name", ["Qwen/Qwen3-Embedding-8B", "gpt-4p", "o200k", "", "GPT 4", "llama3"])
def test_an_unknown_name_is_an_error(name: str) -> None:
    with pytest.raises(pw.LoadError):
        pw.load(name)


def test_an_unknown_name_comes_with_close_ones() -> None:
    with pytest.raises(pw.UnknownTokenizerError) as raised:
        pw.load("gpt-4o-min")
    assert raised.value.name == "gpt-4o-min"
    assert "gpt-4o-mini" in (raised.value.close_matches or ())
    assert "gpt-4o-mini" in str(raised.value)


def test_a_file_with_the_name_is_pointed_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-model").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pw.UnknownTokenizerError) as raised:
        pw.load("my-model")
    assert "./my-model" in str(raised.value)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("gpt-4o", False),
        ("Qwen/Qwen3-8B", False),
        ("gpt-3.5-turbo", False),
        ("./gpt-4o", True),
        ("../gpt-4o", True),
        (".hidden", True),
        ("/models/qwen", True),
        ("~/models/qwen", True),
        ("tokenizer.json", True),
        ("some/tokenizer.json", True),
        ("TOKENIZER.JSON", True),
        ("cl100k_base.tiktoken", True),
        ("tokenizer.model", True),
        (Path("gpt-4o"), True),
    ],
)
def test_what_is_a_path(source: str | os.PathLike[str], expected: bool) -> None:
    assert is_path(source) is expected


def test_a_name_with_a_separator_is_a_path_where_one_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_path("Qwen/Qwen3-8B")
    (tmp_path / "Qwen" / "Qwen3-8B").mkdir(parents=True)
    assert is_path("Qwen/Qwen3-8B")
    with pytest.raises(pw.LoadError, match=r"tokenizer\.json"):
        pw.load("Qwen/Qwen3-8B")


def test_a_folder_loads_by_its_tokenizer_json() -> None:
    file = fixture("qwen3/tokenizer.json")
    assert pw.load(file.parent) == pw.load(file) == pw.load("qwen3")
    assert pw.load(str(file.parent)) == pw.load("qwen3")


def test_a_folder_without_one_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(pw.LoadError) as raised:
        pw.load(tmp_path)
    assert "tokenizer.json" in str(raised.value)
    assert raised.value.searched == (str(tmp_path),)


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_known_ranks_need_no_pattern(name: str) -> None:
    tok = pw.load(fixture(f"tiktoken/{name}.tiktoken"))
    assert tok == pw.load(name)
    assert tok.special_tokens == pw.load(name).special_tokens


def test_unknown_ranks_need_a_pattern(tmp_path: Path) -> None:
    lines = fixture("tiktoken/r50k_base.tiktoken").read_bytes().splitlines(keepends=True)
    path = tmp_path / "own.tiktoken"
    path.write_bytes(b"".join(lines[:5000]))
    with pytest.raises(pw.LoadError, match="pattern=") as raised:
        pw.load(path)
    assert raised.value.code == "load"
    tok = pw.load(path, pattern=R50K_PATTERN, special_tokens={"<|end|>": 5000})
    assert (tok.n_base, tok.vocab_size) == (5000, 5001)
    assert tok.ids("<|end|>", special="parse") == [5000]
    assert tok.decode(tok.ids("Hello, world!")) == "Hello, world!"


def test_a_pattern_given_for_known_ranks_is_the_one_used() -> None:
    tok = pw.load(
        fixture("tiktoken/r50k_base.tiktoken"), pattern=R50K_PATTERN, special_tokens={"<|x|>": 50256}
    )
    assert tok.ids("Hello world") == pw.load("r50k_base").ids("Hello world")
    assert tok.special_tokens == {"<|x|>": 50256}
    assert tok != pw.load("r50k_base")


@pytest.mark.parametrize("options", [{"pattern": "."}, {"special_tokens": {"<|x|>": 1}}])
@pytest.mark.parametrize("source", ["gpt-4o", "qwen3/tokenizer.json"])
def test_a_pattern_where_none_is_used_is_an_error(source: str, options: dict[str, Any]) -> None:
    with pytest.raises(pw.LoadError, match=r"\.tiktoken"):
        pw.load(fixture(source) if "/" in source else source, **options)


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("empty.json", b"", "empty"),
        ("model.gguf", b"GGUF\x03\x00\x00\x00", "byte 8: the number of tensors"),
        ("spm.model", b"\n\x0e\n\x05<unk>\x15\x00", "byte 2: 14 bytes are announced"),
        ("notes.txt", b"just some words\n", "text that is no tokenizer"),
        ("broken.json", b'{"model": ', "broken.json"),
        ("other.json", b'{"a": 1}', "other.json"),
        ("bad.tiktoken", b"IQ== 0\nIg== zero\n", "bad.tiktoken"),
        ("dup.tiktoken", b"IQ== 0\nIg== 0\n", "dup.tiktoken"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_named_with_the_reason(
    tmp_path: Path, name: str, content: bytes, match: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(pw.FormatError, match=match) as raised:
        pw.load(path, pattern="." if name.endswith("tiktoken") else None)
    assert raised.value.path == str(path)
    assert raised.value.reason


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"{}")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    # Permissions do not stop the superuser, under whom tests may run.
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(pw.LoadError, match="Permission denied") as raised:
        pw.load(path)
    assert raised.value.path == str(path)


def test_a_bundled_file_that_is_gone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_FOLDER", tmp_path)
    bundle.bundled.cache_clear()
    with pytest.raises(pw.LoadError) as raised:
        pw.load("gpt-4o")
    assert raised.value.searched == (str(tmp_path),)
    assert "o200k_base" in str(raised.value)


@pytest.mark.parametrize("source", [None, 4, b"gpt-4o", ["gpt-4o"]])
def test_what_is_neither_name_nor_path_is_a_type_error(source: object) -> None:
    with pytest.raises(TypeError, match="a name or a path, or a live tokenizer"):
        pw.load(source)


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.tiktoken").write_bytes(fixture("tiktoken/r50k_base.tiktoken").read_bytes())
    expected = pw.load("r50k_base")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert pw.load("~/r.tiktoken") == expected


def test_tokenizers_are_made_by_load_only() -> None:
    with pytest.raises(TypeError, match=r"piecework\.load"):
        pw.Tokenizer("gpt-4o", "x", is_bundled=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("make_folder", [False, True])
def test_a_pipe_is_no_tokenizer_and_not_waited_for(tmp_path: Path, *, make_folder: bool) -> None:
    os.mkfifo(tmp_path / "tokenizer.json")
    with pytest.raises(pw.LoadError, match="is a pipe"):
        pw.load(tmp_path if make_folder else tmp_path / "tokenizer.json")


def test_a_device_is_no_tokenizer_and_not_read_for_ever(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("/dev/zero")
    for path in (Path("/dev/zero"), tmp_path / "link.json"):
        with pytest.raises(pw.LoadError, match="is a device"):
            pw.load(path)


def test_a_file_larger_than_any_tokenizer_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    with path.open("wb") as stream:
        stream.truncate((2 << 30) + 1)
    with pytest.raises(pw.LoadError, match="2,147,483,649 bytes"):
        pw.load(path)


def test_a_name_or_path_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(pw.UnknownTokenizerError):
        pw.load("a" * 5000)
    for source in ("/" + "a" * 5000, "a/" * 3000, "~nosuchuser/x.json", "./a\0b", tmp_path / ("a" * 300)):
        with pytest.raises(pw.LoadError):
            pw.load(source)
