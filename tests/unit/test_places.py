"""An error about a file names the path inside the file, as its author wrote it: not a list of ours, and not just the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tools.fixtures import fixture

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
SPLIT = {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated", "invert": False}
REPLACE = {"type": "Replace", "pattern": {"Regex": "(a"}, "content": "x"}
BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
CONFIG = {"tokenizer_class": "GPT2Tokenizer"}


def refusal(path: Path, content: Any, **options: Any) -> pw.FormatError:
    data = content if isinstance(content, str) else json.dumps(content)
    path.write_text(data, encoding="utf-8")
    with pytest.raises(pw.FormatError) as raised:
        pw.load(path, **options)
    error = raised.value
    assert error.path == str(path)
    assert str(error).startswith(f"{path}: {error.place}: ")
    return error


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("pre_tokenizer", SPLIT, "pre_tokenizer.pattern.Regex"),
        (
            "pre_tokenizer",
            # Three stages of the definition before the component that is the second of the file.
            {
                "type": "Sequence",
                "pretokenizers": [BYTE_LEVEL, {"type": "Sequence", "pretokenizers": [SPLIT]}],
            },
            "pre_tokenizer.pretokenizers[1].pretokenizers[0].pattern.Regex",
        ),
        (
            "pre_tokenizer",
            {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, {"type": "FixedLength", "length": 0}]},
            "pre_tokenizer.pretokenizers[1].length",
        ),
        ("normalizer", REPLACE, "normalizer.pattern.Regex"),
        (
            "normalizer",
            {"type": "Sequence", "normalizers": [{"type": "NFC"}, REPLACE]},
            "normalizer.normalizers[1].pattern.Regex",
        ),
        (
            "normalizer",
            {
                "type": "Sequence",
                "normalizers": [{"type": "NFC"}, {"type": "Precompiled", "precompiled_charsmap": "AAAA"}],
            },
            "normalizer.normalizers[1].precompiled_charsmap",
        ),
        ("decoder", REPLACE, "decoder.pattern.Regex"),
        (
            "decoder",
            {"type": "Sequence", "decoders": [{"type": "Fuse"}, REPLACE]},
            "decoder.decoders[1].pattern.Regex",
        ),
        ("decoder", {"type": "Sequence", "decoders": [{"type": "Fuse"}, {}]}, "decoder.decoders[1]"),
        ("post_processor", {"type": "Unheard"}, "post_processor.type"),
    ],
)
def test_a_component_is_placed_by_its_path_in_the_file(
    field: str, value: Any, place: str, tmp_path: Path
) -> None:
    error = refusal(tmp_path / "tokenizer.json", {"version": "1.0", field: value, "model": BPE})
    assert error.place == place


@pytest.mark.parametrize("options", [{}, {"pattern": "."}])
@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("x.tiktoken", "!!!! 0\n", 1),
        ("x.tiktoken", "!!!! 0\nYg== 1\n", 1),
        ("x.tiktoken", "[UNK]\n[CLS]\na\n", 1),
        ("tokenizer.model", "!!!! 0\nYg== 1\nYw== 2\n", 1),
        ("tokenizer.model", "YQ== 0\nYg== 1\nYw= 2\n", 3),
    ],
)
def test_a_line_of_ranks_that_is_none_is_named(
    name: str, content: str, line: int, options: dict[str, str], tmp_path: Path
) -> None:
    assert refusal(tmp_path / name, content, **options).place == f"line {line}"


def test_a_pattern_that_is_given_is_placed_as_the_argument(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x.tiktoken", "YQ== 0\n", pattern="(a").place == "pattern"


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("pattern", "(a", "config.pattern"),
        ("default_vocab_size", 99_999_999, "config.default_vocab_size"),
    ],
)
def test_a_tekken_file(field: str, value: object, place: str, tmp_path: Path) -> None:
    content = json.loads(fixture("mistral/tekken_240718.json").read_bytes())
    content["config"][field] = value
    assert refusal(tmp_path / "tekken.json", content).place == place


@pytest.mark.parametrize(
    ("vocab", "merges", "place"),
    [
        ({"a": 0, "b": "x"}, "#version: 0.2\n", "vocab.json line 1 column 17"),
        ({"a": 0, "b": 99_999_999}, "#version: 0.2\n", 'vocab.json["b"]'),
        ({"a": 0, "b": 1}, "#version: 0.2\na b\n", "merges.txt line 2"),
    ],
)
def test_two_files(vocab: dict[str, object], merges: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    (tmp_path / "merges.txt").write_text(merges, encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    with pytest.raises(pw.FormatError) as raised:
        pw.load(tmp_path)
    assert (raised.value.place or "").startswith(place)


# A field that is not known is where it stands, one that is missing where its object ends.
@pytest.mark.parametrize(
    ("name", "place"), [("tokenizer.json", "line 2 column 4"), ("tekken.json", "line 2 column 8")]
)
def test_json_that_is_not_what_it_is_called(name: str, place: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / name, '{"version": "1.0",\n "x": 1}').place == place


@pytest.mark.parametrize(
    "data", [b"[" * 2_000_000, b"\x0a" + b"\xff" * 9 + b"\x7f", b"nothing known", b"\x00" * 64]
)
def test_what_is_of_no_format_is_refused_where_it_begins(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd"
    path.write_bytes(data)
    with pytest.raises(pw.FormatError) as caught:
        pw.load(path)
    assert caught.value.place == "byte 0"
    assert "looks like" in (caught.value.reason or "")
