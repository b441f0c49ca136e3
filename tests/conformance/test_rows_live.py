"""Pairs, truncation, overflow and padding against the reference library, on tokenizers small enough to read."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any, Literal

import pytest
import tokenizers
from tokenizers import processors

import piecework as pw
from tools import fixtures

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
VOCAB = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3} | {word: 4 + at for at, word in enumerate(WORDS)}


Rows = list[tuple[list[int], list[int], list[int]]]


def reference(template: str) -> tokenizers.Tokenizer:
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(VOCAB, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    if template == "bert":
        made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    elif template == "roberta":
        made.post_processor = processors.RobertaProcessing(("[SEP]", 3), ("[CLS]", 2))
    elif template == "template":
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A:0 [SEP]:0",
            pair="$B:1 [SEP]:1 [SEP]:5 $A:2 [CLS]:0",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
    return made


def ours(live: tokenizers.Tokenizer, folder: Path) -> pw.Tokenizer:
    path = folder / "tokenizer.json"
    live.save(str(path))
    return pw.load(str(path))


def flattened(encodings: list[tokenizers.Encoding]) -> Rows:
    parts = [part for encoding in encodings for part in [encoding, *encoding.overflowing]]
    return [(part.ids, part.type_ids, part.special_tokens_mask) for part in parts]


def answered(live: tokenizers.Tokenizer, text: str, pair: str | None, *, specials: bool) -> Rows | None:
    """The reference's rows; None where it refuses, or panics, which is no Exception."""
    try:
        return flattened([live.encode(text, pair, add_special_tokens=specials)])
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


@pytest.mark.parametrize("template", ["none", "bert", "roberta", "template"])
def test_cut_and_overflowing_rows_are_those_of_the_reference(template: str, tmp_path: Path) -> None:
    live = reference(template)
    tokenizer = ours(live, tmp_path)
    chance = random.Random(7)
    texts = [" ".join(chance.choices(WORDS, k=n)) for n in [0, 1, 2, 3, 5, 8, 13, 21]]
    compared = 0
    for pairs in (None, list(reversed(texts)), [texts[5]] * len(texts)):
        options = itertools.product(
            range(14),
            ["longest_first", "only_first", "only_second"],
            ["left", "right"],
            [0, 1, 2, 4],
            [True, False],
        )
        for max_tokens, strategy, side, stride, specials in options:
            # The reference asks whether the stride fits before it knows the text.
            if stride and stride >= max_tokens - 4:
                continue
            live.enable_truncation(max_tokens, stride=stride, strategy=strategy, direction=side)
            for at, text in enumerate(texts):
                pair = None if pairs is None else pairs[at]
                arguments: dict[str, Any] = {
                    "pairs": None if pair is None else [pair],
                    "max_tokens": max_tokens,
                    "strategy": strategy,
                    "side": side,
                    "stride": stride,
                    "overflow": True,
                    "add_special_tokens": specials,
                }
                around = live.num_special_tokens_to_add(pair is not None) if specials else 0
                if max_tokens < around:
                    # The reference goes on with a limit below zero, or stops the process.
                    with pytest.raises(pw.LimitTooSmallError):
                        tokenizer.encode_batch([text], **arguments)
                    continue
                # Without room for a token of each text the reference gives rows over the limit, or drops the text
                # that it was told to keep.
                if max_tokens - around < 1 + (pair is not None):
                    continue
                expected = answered(live, text, pair, specials=specials)
                if expected is None:
                    with pytest.raises(pw.LimitTooSmallError):
                        tokenizer.encode_batch([text], **arguments)
                    continue
                rows = tokenizer.encode_batch([text], **arguments)
                found = [
                    (rows.ids[a:b].tolist(), rows.type_ids[a:b].tolist(), rows.special_mask[a:b].tolist())
                    for a, b in itertools.pairwise(rows.offsets)
                ]
                if template == "template" or (template == "roberta" and not specials):
                    # The reference leaves the types of overflowing rows as they were before its template.
                    assert found[0] == expected[0]
                    found = [(ids, [], mask) for ids, _, mask in found]
                    expected = [(ids, [], mask) for ids, _, mask in expected]
                assert found == expected, (template, text, pair, arguments)
                compared += len(expected)
    print(f"{template}: {compared:,} rows: 0 different")
    assert compared > 3000


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_rows_are_those_of_the_reference(side: Literal["left", "right"], tmp_path: Path) -> None:
    live = reference("bert")
    tokenizer = ours(live, tmp_path)
    texts = ["a b c", "", "d", "e f g h a b c"]
    for width, multiple in itertools.product([None, 9, 12], [1, 4, 8]):
        live.enable_padding(
            direction=side,
            pad_id=0,
            pad_type_id=7,
            pad_token="[PAD]",
            length=width,
            pad_to_multiple_of=multiple,
        )
        expected = live.encode_batch(texts)
        rows = tokenizer.encode_batch(
            texts,
            pad="longest" if width is None else width,
            pad_side=side,
            pad_type_id=7,
            pad_to_multiple_of=multiple,
        )
        assert rows.ids.tolist() == [row.ids for row in expected]
        assert rows.type_ids.tolist() == [row.type_ids for row in expected]
        assert rows.attention_mask.tolist() == [row.attention_mask for row in expected]
        assert rows.special_mask.tolist() == [row.special_tokens_mask for row in expected]
        assert [row.tolist() for row in rows] == [live_ids(tokenizer, text) for text in texts]


def live_ids(tokenizer: pw.Tokenizer, text: str) -> list[int]:
    return tokenizer.ids(text, add_special_tokens=True).tolist()


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    tokenizer = ours(reference("bert"), tmp_path)
    with pytest.raises(pw.LimitTooSmallError, match="limit of 1 tokens is smaller than the 2"):
        tokenizer.encode_batch(["a"], pad="max", max_tokens=1)
    with pytest.raises(pw.LimitTooSmallError, match="row 0 has 4 tokens, more than the width of 3"):
        tokenizer.encode_batch(["a b"], pad=3)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"pairs": ["a", "b"]}, "1 texts and 2 pairs"),
        ({"pad": "max"}, "so it needs it"),
        ({"pad": "short"}, "pad is 'short'"),
        ({"max_tokens": 3, "stride": 1}, "needs overflow=True"),
        ({"overflow": True}, "needs max_tokens="),
        ({"max_tokens": 3, "strategy": "both"}, "a strategy is"),
        ({"max_tokens": 3, "side": "top"}, "side is 'top'"),
        ({"pad": "longest", "pad_side": "top"}, "pad_side is 'top'"),
        ({"pad": "longest", "pad_id": 12}, "pad_id is 12; this tokenizer has the ids 0 to 11"),
        ({"pad": "longest", "pad_id": -100}, "pad_id is -100"),
        ({"pad": "longest", "pad_type_id": -1}, "pad_type_id is -1"),
    ]
    for arguments, words in wrong:
        with pytest.raises(ValueError, match=words):
            tokenizer.encode_batch(["a"], **arguments)
    with pytest.raises(ValueError, match="give pad_id="):
        pw.load("o200k_base").encode_batch(["a"], pad="longest")
    with pytest.raises(
        pw.LimitTooSmallError, match="a stride of 3 tokens leaves nothing new in rows with room for 3"
    ):
        tokenizer.encode_batch(["a b c d e"], max_tokens=3, overflow=True, stride=3)
    with pytest.raises(
        pw.LimitTooSmallError, match="the limit leaves no room for tokens of the text"
    ) as raised:
        tokenizer.encode_batch(["a b c"], max_tokens=2, add_special_tokens=True, overflow=True)
    assert (raised.value.max_tokens, raised.value.needed) == (0, 1)


@pytest.mark.parametrize(
    ("name", "padding"), [("qwen3", 151643), ("o200k_harmony", 199999), ("bert-base-uncased", 0), ("t5", 0)]
)
def test_a_bundled_tokenizer_pads_with_the_token_of_its_models(name: str, padding: int) -> None:
    rows = pw.load(name).encode_batch(["a", "a second text"], pad="longest")
    assert (rows.ids[0].tolist()[-1], rows.attention_mask[0].tolist()[-1]) == (padding, 0)
    controls = {row.id: row.role for row in pw.load(name).info().control_tokens}
    assert "padding" in controls[padding]


def test_a_folder_names_the_token_that_pads(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes(fixtures.fixture(f"qwen3/{name}").read_bytes())
    rows = pw.load(str(tmp_path)).encode_batch(["a", "b c"], pad="longest")
    assert rows.ids == [[64, 151643], [65, 272]]


def test_a_table_reads_as_rows_lists_and_one_array(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    rows = ours(reference("bert"), tmp_path).encode_batch(["a b", "c"], pad="longest")
    assert rows.ids == [[2, 4, 5, 3], [2, 6, 3, 0]]
    assert rows.ids[-1].tolist() == [2, 6, 3, 0]
    array = rows.ids.numpy()
    assert array.dtype == numpy.uint32
    assert array.shape == rows.ids.shape == (2, 4)
    assert numpy.asarray(rows.attention_mask, dtype="int64").tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    with pytest.raises(IndexError):
        rows.ids[2]
    nothing = ours(reference("bert"), tmp_path).encode_batch([], pad="longest")
    assert (len(nothing), nothing.ids.shape, nothing.ids.tolist()) == (0, (0, 0), [])
    assert json.loads(json.dumps(rows.ids.tolist())) == rows.ids
