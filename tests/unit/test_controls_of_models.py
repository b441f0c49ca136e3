"""A text never becomes a control token, whatever the model could make of it; and places hold under any normalizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import piecework as pw


def _added(id: int, content: str, *, special: bool, normalized: bool = False) -> dict[str, Any]:  # noqa: A002
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    return {"id": id, "content": content, "special": special, "normalized": normalized, **flags}


def _loaded(folder: Path, **fields: Any) -> tuple[pw.Tokenizer, tokenizers.Tokenizer]:
    path = folder / "tokenizer.json"
    parts = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], **parts, **fields}), encoding="utf-8")
    return pw.load(str(path)), tokenizers.Tokenizer.from_file(str(path))


WORD = {"e": 0, "n": 1, "d": 2, "en": 3, "end": 4}
MERGES = [["e", "n"], ["en", "d"]]
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


@pytest.mark.parametrize("pre_tokenizer", [None, BYTES])
@pytest.mark.parametrize("ignores", [False, True])
def test_no_merge_makes_a_control_token(pre_tokenizer: Any, *, ignores: bool, tmp_path: Path) -> None:
    tokenizer, live = _loaded(
        tmp_path,
        model={"type": "BPE", "vocab": WORD, "merges": MERGES, "ignore_merges": ignores},
        added_tokens=[_added(4, "end", special=True)],
        pre_tokenizer=pre_tokenizer,
    )
    assert tokenizer.ids("end") == [3, 2]
    assert tokenizer.ids("end", special="parse", trusted=[]) == [3, 2]
    assert tokenizer.encode("end").forged[0].id == 4
    stream = tokenizer.encoder()
    assert [*stream.feed("en"), *stream.feed("d"), *stream.finish()] == [3, 2]
    assert tokenizer.ids("end", special="parse") == live.encode("end").ids == [4]
    # Nor does it travel: in a pickle, in a saved file.
    tokenizer.save(tmp_path / "again.json", format="tokenizer-json")
    assert pw.load(str(tmp_path / "again.json")).ids("end") == [3, 2]


def test_a_control_token_that_is_one_symbol_stays_what_its_text_is(tmp_path: Path) -> None:
    tokenizer, _ = _loaded(
        tmp_path,
        model={"type": "BPE", "vocab": WORD, "merges": MERGES},
        added_tokens=[_added(0, "e", special=True)],
    )
    assert tokenizer.ids("de") == [2, 0]


UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["u", -9.0], ["▁", -1.0], ["a", -1.0], ["▁a", -1.5]]}
FIRST = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
DROPPING = {
    "strip": ({"type": "Strip", "strip_left": True, "strip_right": True}, " a"),
    "nmt": ({"type": "Nmt"}, "\x01a"),
    "accents": ({"type": "StripAccents"}, "\u0301a"),
    "replace": ({"type": "Replace", "pattern": {"Regex": r"^\s+"}, "content": ""}, "  a"),
}


@pytest.mark.parametrize("name", DROPPING)
def test_ids_count_and_encode_agree_where_the_beginning_is_dropped(name: str, tmp_path: Path) -> None:
    normalizer, text = DROPPING[name]
    tokenizer, live = _loaded(tmp_path, model=UNIGRAM, normalizer=normalizer, pre_tokenizer=FIRST)
    for sample in (text, "a", f"{text}{text}", f"a{text}"):
        expected = live.encode(sample).ids
        assert tokenizer.encode(sample).ids == expected, sample
        assert tokenizer.ids(sample) == expected
        assert tokenizer.count(sample) == len(expected)
        assert tokenizer.encode_batch([sample])[0] == expected


def test_spans_stay_in_the_text_where_a_space_is_put_before_a_section(tmp_path: Path) -> None:
    tokenizer, live = _loaded(
        tmp_path,
        model={"type": "BPE", "unk_token": "u", "vocab": {"u": 0, "]": 1, "Ġ": 2}, "merges": []},
        added_tokens=[_added(9, "x", special=False, normalized=True)],
        normalizer={"type": "Strip", "strip_left": True, "strip_right": True},
        pre_tokenizer={**BYTES, "add_prefix_space": True, "use_regex": True},
    )
    encoding = tokenizer.encode(" x]")
    assert encoding.ids == live.encode(" x]").ids
    assert encoding.byte_spans == [(1, 2), (2, 2), (2, 3)]


def test_spans_do_not_go_back_where_a_cluster_reaches_into_a_section(tmp_path: Path) -> None:
    tokenizer, live = _loaded(
        tmp_path,
        model=UNIGRAM,
        added_tokens=[_added(9, "<x>", special=False, normalized=True)],
        normalizer={"type": "NFC"},
        pre_tokenizer={**FIRST, "prepend_scheme": "always"},
    )
    text = "<x>\u0344a"
    encoding = tokenizer.encode(text)
    assert encoding.ids == live.encode(text).ids
    spans = encoding.byte_spans
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert all(0 <= start <= end <= len(text.encode()) for start, end in spans)
    assert spans[-1] == (5, 6)


def test_an_encoder_waits_for_what_may_compose(tmp_path: Path) -> None:
    tokenizer, _ = _loaded(
        tmp_path,
        model={
            "type": "BPE",
            "vocab": {"]": 0, "é": 1, "]é": 2, "e": 3, "\u0301": 4},
            "merges": [["]", "é"]],
        },
        normalizer={"type": "NFC"},
    )
    stream = tokenizer.encoder()
    fed = [id for c in "]e\u0301" for id in stream.feed(c)]  # noqa: A001
    assert [*fed, *stream.finish()] == tokenizer.ids("]e\u0301") == [2]


def test_rows_of_impossible_size_are_refused() -> None:
    bert = pw.load("bert-base-uncased")
    for arguments in (
        {"pad": 2**40},
        {"pad": "longest", "pad_to_multiple_of": 2**36},
        {"pad": "max", "max_tokens": int(1e30)},
        {"pad": 2**62},
        {"pad": "longest", "pad_to_multiple_of": 2**63},
    ):
        options: dict[str, Any] = arguments
        with pytest.raises(pw.LimitTooSmallError, match="padded rows are over the limit"):
            bert.encode_batch(["a"], **options)
    with pytest.raises(pw.LimitTooSmallError, match="overflowing rows of one pair"):
        bert.encode_batch(["a " * 2000], pairs=["b " * 2000], max_tokens=7, overflow=True)
    assert max(len(row) for row in bert.encode_batch(["a b c d"], max_tokens=4, overflow=True)) <= 4
