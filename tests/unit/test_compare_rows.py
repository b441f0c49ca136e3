"""Rows are encoded many at once and drawn many at once: the figures are those of one after the other."""

from __future__ import annotations

import random
from itertools import chain

import pytest

import piecework as pw
from piecework._measure import built_in
from piecework._measure.bootstrap import resampled_sums
from piecework._measure.pieces import pieces_of_rows
from piecework._measure.row import read_row
from piecework._measure.tally import tally_rows
from piecework._measure.words import Words, segmenter

HARD = [
    "", " ", "a", "naïve café", "日本\u3000語 🚀🚀", "<unk> [UNK] <|endoftext|>", "x\u0301\u0327 e\u0301", "1969 1,000,000 ٣٤٥",
    "\u2581under \u0120bar", "tab\tnl\nnul\x00", "\ufeffmark", "ﬁ ＡＢ", "🏳️‍🌈 👩‍👩‍👧", "word " * 500,
]  # fmt: skip


@pytest.mark.parametrize("name", ["qwen3", "o200k_base", "gpt2", "bert-base-uncased", "t5"])
@pytest.mark.parametrize("words", ["whitespace", "unicode"])
def test_a_tally_is_what_each_row_by_itself_says(name: str, words: Words) -> None:
    tok = pw.load(name)
    texts = [*chain.from_iterable(text.rows for text in built_in("parallel").texts), *HARD]
    rows = [read_row(text, segmenter(words)) for text in texts]
    tally = tally_rows(tok._native, [*rows, None], errors="strict", on_bytes=int)
    unknown = {"t5": tok.id("<unk>"), "bert-base-uncased": tok.id("[UNK]")}.get(name)
    n_covered = n_crossings = 0
    for text, row, n_tokens, n_split in zip(texts, rows, tally.tokens, tally.split, strict=False):
        encoding = tok.encode(text)
        spans = list(encoding.byte_spans)
        assert n_tokens == len(encoding.ids)
        assert n_split == sum(
            sum(start < end and start < word[1] and word[0] < end for start, end in spans) > 1
            for word in row.words
        )
        lost = {
            at
            for (start, end), one in zip(spans, encoding.ids, strict=True)
            if one == unknown
            for at in range(start, end)
        }
        cuts = {at for (start, end), one in zip(spans, encoding.ids, strict=True) if one != unknown and start < end
                for at in (start, end)}  # fmt: skip
        start = 0
        for character in text:
            end = start + len(character.encode())
            is_cut = any(at in cuts for at in range(start + 1, end))
            n_covered += not (character.isspace() or start in lost or is_cut)
            start = end
        n_crossings += sum(0x80 <= piece[0] < 0xC0 for piece in encoding.piece_bytes[1:] if piece)
    assert (tally.n_covered, tally.n_crossings) == (n_covered, n_crossings)
    assert tally.tokens[-1] == 0


def test_how_many_threads_there_are_changes_nothing() -> None:
    one, three = (pw.compare(["t5", "qwen3"], "parallel", n_threads=n, n_resamples=20) for n in (1, 3))
    assert one == three
    with pytest.raises(ValueError, match="n_threads is 0"):
        pw.compare("qwen3", "fox", n_threads=0)


def test_what_cannot_be_encoded_is_said_whichever_way_it_goes() -> None:
    for name in ("t5", "qwen3"):
        texts = ["fine"] * 500 + ["half \ud800"]
        with pytest.raises(pw.NotUnicodeError, match=r"^fr, row 501: ") as raised:
            pw.compare(name, {"en": ["fine"] * 501, "fr": texts}, keep_suspect=True)
        assert raised.value.index == 5
        result = pw.compare(name, {"en": texts, "fr": texts}, errors="replace", keep_suspect=True)
        assert result.texts[0].n_rows == 501


def test_rows_in_threads_come_in_their_order() -> None:
    # Some are longer than a block of what threads do.
    lengths = [100_000 if at % 300 == 150 else at % 7 * 200 for at in range(700)]
    rows = [read_row(f"row {at} " + "x" * n, segmenter("whitespace")) for at, n in enumerate(lengths)]
    tok = pw.load("t5")
    found = pieces_of_rows(tok._native, rows, unknown=2, errors="strict", n_threads=4)
    assert [pieces.ids for pieces in found] == [tok.ids(row.text).tolist() for row in rows]


@pytest.mark.parametrize("most", [3, 2**31, 2**60])
def test_sums_drawn_at_once_are_those_of_each_column(most: int) -> None:
    generator = random.Random(3)
    n = 8 if most > 2**40 else 50
    columns = [[generator.randrange(most) for _ in range(n)] for _ in range(9)]
    columns += [columns[0], [0] * n]
    draws = random.Random(5)
    expected: list[list[int]] = [[] for _ in columns]
    for _ in range(40):
        rows = draws.choices(range(n), k=n)
        for column, into in zip(columns, expected, strict=True):
            into.append(sum(column[row] for row in rows))
    assert resampled_sums(columns, n_resamples=40, seed=5) == expected
