"""GGUF files: the chat template inside, the notes, and files of gigabytes of which only the front is read."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
from pathlib import Path

import pytest

import piecework as pw
from piecework._files import reading, tokenizer_file
from tools.fixtures import fixture

_TEMPLATE = "{% for m in messages %}turn:{{ m.role }}\n{{ m.content }}{% endfor %}"
_TOKENS = (
    "<unk>",
    "<s>",
    "</s>",
    *(f"<0x{byte:02X}>" for byte in range(256)),
    "turn:",
    "aside:",
    "▁",
    "a",
    "b",
    "ab",
)
_TYPES = (2, 3, 3, *[6] * 256, 4, 4, *[1] * 4)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _array(kind: int, values: list[bytes]) -> bytes:
    return struct.pack("<IQ", kind, len(values)) + b"".join(values)


def gguf(template: str | None = _TEMPLATE, *, padding: int = 0) -> bytes:
    """The front of a GGUF file of a small model; `padding` bytes of it stand before the tokenizer."""
    pairs: list[tuple[str, int, bytes]] = [
        ("general.architecture", 8, _text("llama")),
        ("general.description", 8, _text("x" * padding)),
        ("tokenizer.ggml.model", 8, _text("llama")),
        ("tokenizer.ggml.tokens", 9, _array(8, [_text(token) for token in _TOKENS])),
        ("tokenizer.ggml.scores", 9, _array(6, [struct.pack("<f", -at) for at in range(len(_TOKENS))])),
        ("tokenizer.ggml.token_type", 9, _array(5, [struct.pack("<i", kind) for kind in _TYPES])),
    ]
    if template is not None:
        pairs.append(("tokenizer.chat_template", 8, _text(template)))
    body = b"".join(_text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    return b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + body


def weighty(path: Path, front: bytes, n_bytes: int) -> Path:
    """A file of `n_bytes` that begins with `front`; what follows takes no room on the disk."""
    with path.open("wb") as stream:
        stream.write(front)
        stream.truncate(n_bytes)
    return path


def reasons(tok: pw.Tokenizer) -> dict[str, str]:
    """The control tokens but those that every file of this model has, and why they are."""
    return {row.token: row.reason for row in tok.info().control_tokens if row.reason != "special"}


def test_the_template_inside_shows_control_tokens(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf())
    tok = pw.load(tmp_path / "m.gguf")
    assert tok._origin is not None
    assert tok._origin.chat_templates == {"default": _TEMPLATE}
    assert reasons(tok) == {"turn:": "chat_template"}
    assert tok.id("turn:") not in tok.ids("turn: a").tolist()
    assert tok.id("turn:") in tok.ids("turn: a", special="parse").tolist()
    # What no template names stays a token of the text, as llama.cpp has it.
    assert tok.id("aside:") in tok.ids("aside: a").tolist()
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    assert again._origin == tok._origin


def test_without_a_template_the_set_is_smaller(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf(None))
    tok = pw.load(tmp_path / "m.gguf")
    assert tok._origin is not None
    assert tok._origin.chat_templates == {}
    assert reasons(tok) == {}
    assert tok.id("turn:") in tok.ids("turn: a").tolist()


def test_in_a_folder_its_template_goes_before_the_one_inside(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf())
    assert pw.load(tmp_path) == pw.load(tmp_path / "m.gguf")
    (tmp_path / "chat_template.jinja").write_text("aside:{{ messages }}", encoding="utf-8")
    tok = pw.load(tmp_path)
    assert tok._origin is not None
    assert tok._origin.chat_templates == {"default": "aside:{{ messages }}"}
    assert reasons(tok) == {"aside:": "chat_template"}


def test_a_file_of_gigabytes_is_read_as_far_as_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    start = reading.read_start

    def counted(path: Path, n_bytes: int) -> bytes:
        read.append(n_bytes)
        return start(path, n_bytes)

    monkeypatch.setattr(tokenizer_file, "read_start", counted)
    monkeypatch.setattr(tokenizer_file, "_FIRST_BYTES", 1 << 10)
    front = gguf(padding=5000)
    path = weighty(tmp_path / "m.gguf", front, 5 << 30)
    tok = pw.load(path)
    assert tok == pw.load(weighty(tmp_path / "small.gguf", front, len(front)))
    assert read[:5] == [4, 1 << 10, 1 << 11, 1 << 12, 1 << 13]
    # The file is not read for its hash either.
    (record,) = tok.info().files
    assert record == ("m.gguf", 5 << 30, None, "tokenizer")
    assert f"{5 << 30:,} bytes" in " ".join(str(tok.info()).split())


def test_a_file_that_is_read_whole_has_its_hash() -> None:
    path = fixture("gguf/qwen2.gguf")
    (record,) = pw.load(path).info().files
    data = path.read_bytes()
    assert record == (path.name, len(data), hashlib.sha256(data).hexdigest(), "tokenizer")


@pytest.mark.parametrize(
    ("n_kept", "n_bytes", "match"),
    [
        (400, 400, "does not fit into the 202 bytes left"),
        # The rest of the claimed metadata is zeros, and no type.
        (400, 1 << 22, "key"),
    ],
)
def test_a_broken_front_is_an_error_with_its_place(
    tmp_path: Path, n_kept: int, n_bytes: int, match: str
) -> None:
    path = weighty(tmp_path / "m.gguf", gguf()[:n_kept], n_bytes)
    with pytest.raises(pw.FormatError, match=match) as raised:
        pw.load(path)
    assert raised.value.path == str(path)


def test_metadata_that_claims_more_than_any_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_file, "_FIRST_BYTES", 1 << 10)
    monkeypatch.setattr(tokenizer_file, "_MAX_FRONT_BYTES", 1 << 14)
    claim = b"GGUF" + struct.pack("<IQQ", 3, 1, 1 << 40)
    with pytest.raises(pw.FormatError, match="more than 16,384 bytes"):
        pw.load(weighty(tmp_path / "m.gguf", claim, 5 << 30))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    import os  # noqa: PLC0415

    os.mkfifo(tmp_path / "m.gguf")
    with pytest.raises(pw.LoadError, match="is a pipe"):
        pw.load(tmp_path / "m.gguf")


def test_notes_are_findings(tmp_path: Path) -> None:
    findings = pw.load(fixture("gguf/qwen2.gguf")).info().findings
    assert [finding for finding in findings if "llama.cpp's tables are those of Unicode 15.1" in finding]
    (tmp_path / "vocab.txt").write_text("[UNK]\na\nb\na\n", encoding="utf-8")
    config = {"unk_token": "[UNK]", "tokenizer_class": "BertTokenizer"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    findings = pw.load(tmp_path).info().findings
    assert [finding for finding in findings if "line 4" in finding], findings
