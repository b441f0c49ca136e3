"""What an attacker tried: trust moved by broken text, and added tokens that swallow each other's white space."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import _core

MARK = "<|im_start|>"
MARK_ID = 151644


def _byte_level(path: Path, added: list[dict[str, Any]]) -> pw.Tokenizer:
    """A tokenizer of the 256 bytes and some added tokens, ids from 256 on."""
    vocab = {piece: id_ for id_, piece in enumerate(_core.byte_alphabet())}
    flags = {"special": True, "normalized": False, "single_word": False, "lstrip": False, "rstrip": False}
    tokens = [{"id": 256 + i, **flags, **token} for i, token in enumerate(added)]
    model = {"type": "BPE", "vocab": vocab, "merges": []}
    stage = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    path.write_text(
        json.dumps({"added_tokens": tokens, "model": model, "pre_tokenizer": stage, "decoder": stage}),
        encoding="utf-8",
    )
    return pw.load(path)


@pytest.mark.parametrize(
    ("trusted", "parsed"),
    [((0, 24), []), ((34, 46), []), ((24, 36), [(24, 36)]), ((46, 58), [(46, 58)]), ((25, 58), [(46, 58)])],
)
def test_split_surrogates_do_not_move_trust(trusted: tuple[int, int], parsed: list[tuple[int, int]]) -> None:
    text = "\ud83d\ude00" * 12 + MARK + "user text " + MARK
    enc = pw.load("qwen3").encode(text, special="parse", errors="replace", trusted=[trusted])
    assert [span for span, id_ in zip(enc.char_spans, enc.ids, strict=True) if id_ == MARK_ID] == parsed


@pytest.mark.parametrize(
    ("trusted", "parsed"), [((12, 24), [(12, 24)]), ((30, 48), [(34, 46)]), ((0, 23), [])]
)
def test_broken_bytes_do_not_move_trust(trusted: tuple[int, int], parsed: list[tuple[int, int]]) -> None:
    text = b"\xff" * 12 + MARK.encode() + b"user text " + MARK.encode()
    enc = pw.load("qwen3").encode(text, special="parse", errors="replace", trusted=[trusted])
    assert [span for span, id_ in zip(enc.byte_spans, enc.ids, strict=True) if id_ == MARK_ID] == parsed


def test_every_token_of_a_joined_pair_covers_both_its_characters() -> None:
    enc = pw.load("o200k_base").encode("\ud800\udc00", errors="replace")
    assert set(enc.char_spans) == {(0, 2)}


def test_swallowed_white_space_is_not_swallowed_again(tmp_path: Path) -> None:
    # tokenizers 0.23.3 gives these ids for the first text and stops with an internal error at the second.
    tok = _byte_level(
        tmp_path / "a.json", [{"content": "<a>", "rstrip": True}, {"content": " ", "lstrip": True}]
    )
    assert tok.ids("<a> x", special="parse") == [256, _core.byte_alphabet().index("x")]
    tok = _byte_level(
        tmp_path / "b.json", [{"content": "<a>", "rstrip": True}, {"content": "  ", "lstrip": True}]
    )
    enc = tok.encode("<a>   x", special="parse")
    assert list(enc.byte_spans) == [(0, 6), (6, 7)]
    assert tok.stages("<a>   x", special="parse") is not None


@pytest.mark.parametrize("flag", ["lstrip", "rstrip"])
def test_a_run_of_swallowing_tokens_is_looked_at_once(tmp_path: Path, flag: str) -> None:
    tok = _byte_level(tmp_path / "c.json", [{"content": " ", flag: True}])
    # Looking at the whole run again for each token would take minutes here.
    assert tok.count(" " * 300_000, special="parse") == 300_000


def test_a_template_that_repeats_or_drops_the_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    _byte_level(path, [{"content": "<a>"}])
    text = {"Sequence": {"id": "A", "type_id": 0}}
    pair = [text, {"Sequence": {"id": "B", "type_id": 1}}]
    for single in ([text, text], [{"SpecialToken": {"id": "<a>", "type_id": 0}}]):
        file = json.loads(path.read_text(encoding="utf-8"))
        special = {"<a>": {"id": "<a>", "ids": [256], "tokens": ["<a>"]}}
        file["post_processor"] = {
            "type": "TemplateProcessing",
            "single": single,
            "pair": pair,
            "special_tokens": special,
        }
        path.write_text(json.dumps(file), encoding="utf-8")
        with pytest.raises(pw.FormatError, match="each text once"):
            pw.load(path)


def test_what_cannot_be_encoded_is_named_in_the_text_and_not_in_its_byte_form(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    model = {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0], ["Ã", -1.0]]}
    stage = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    path.write_text(json.dumps({"model": model, "pre_tokenizer": stage}), encoding="utf-8")
    tok = pw.load(path)
    for call in (tok.ids, lambda text: tok.sample(text, seed=1), lambda text: tok.nbest(text, 2)):
        with pytest.raises(pw.UnencodableError) as caught:
            call("aaé")
        assert caught.value.index == 3, "the second byte of é"


@pytest.mark.parametrize("where", ["normalizer", "pre_tokenizer"])
def test_rules_that_double_a_text_again_and_again_end_at_a_limit(tmp_path: Path, where: str) -> None:
    path = tmp_path / "a.json"
    doubled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    key = "normalizers" if where == "normalizer" else "pretokenizers"
    stages = {where: {"type": "Sequence", key: [doubled] * 40}}
    path.write_text(
        json.dumps({"model": {"type": "WordLevel", "vocab": {"x": 0}, "unk_token": "x"}, **stages})
    )
    with pytest.raises(pw.TooLongError) as caught:
        pw.load(path).ids("é")
    assert caught.value.max_bytes == 2 * 32 + (1 << 20)
