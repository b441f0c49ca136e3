"""Comparisons: the worked figures, each measure by hand, suspect rows, samples of one's own."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest

import piecework as pw
from piecework._measure.bootstrap import Interval, interval, percentile, resampled_sums
from piecework._measure.boundaries import DigitCuts, digit_alignment, digit_cuts, n_utf8_crossings
from piecework._measure.fairness import gini, premium
from piecework._measure.row import read_row
from piecework._measure.vocabulary import n_covered, renyi_efficiency, vocabulary_use
from piecework._measure.word_costs import tokens_of_words
from piecework._measure.words import segmenter

# Characters, bytes, words by white space, tokens of Qwen3: worked out beforehand.
FOX = {
    "en": (64, 64, 13, 14), "pt": (77, 80, 14, 25), "es": (80, 83, 15, 25), "fr": (74, 75, 13, 23),
    "de": (68, 69, 11, 20), "ru": (67, 124, 10, 29), "ar": (62, 113, 11, 25), "hi": (59, 155, 12, 58),
    "zh": (17, 51, 1, 12), "ja": (26, 78, 1, 21), "emoji": (8, 22, 4, 10), "numbers": (33, 33, 4, 33),
}  # fmt: skip


def test_the_sentence_of_the_fox_has_the_worked_figures() -> None:
    result = pw.compare("qwen3", "fox")
    found = {
        text.key: (text.n_characters, text.n_bytes, text.n_words, result.cell("qwen3", text.key).n_tokens)
        for text in result.texts
    }
    assert found == FOX
    hindi = result.cell("qwen3", "hi").premium
    assert hindi == Interval(58 / 14)
    assert result.cell("qwen3", "emoji").premium is None
    assert result.label == "demonstration, not evidence"
    assert "demonstration, not evidence" in str(result)


def test_measures_by_hand() -> None:
    assert tokens_of_words([(0, 3), (4, 9)], [(0, 3), (3, 6), (6, 9)]) == [1, 2]
    assert tokens_of_words([(0, 1), (2, 3)], [(0, 3)]) == [1, 1]
    assert premium(58, 14) == 58 / 14
    assert gini([1.0, 2.0, 3.0]) == pytest.approx(2 / 9)
    assert vocabulary_use([1, 1, 2], 10) == 0.2
    counts = [8, 4, 4]
    by_hand = math.log2(0.5**2.5 + 2 * 0.25**2.5) / (1 - 2.5) / math.log2(3)
    assert renyi_efficiency(counts) == pytest.approx(by_hand)
    assert n_utf8_crossings([b" \xf0\x9f", b"\x9a", b"\x80", b"a"]) == 2


def test_digits_and_coverage_by_hand() -> None:
    row = read_row("1969 \u0663é", segmenter("whitespace"))
    # 196|9 where 1|969 is wanted: nothing right.
    assert digit_cuts(row, {0, 3, 4}) == DigitCuts(0, 1, 1)
    assert digit_alignment(DigitCuts(0, 1, 1)) == 0
    assert digit_alignment(digit_cuts(row, {0, 1, 4})) == 1
    # The last character is cut between its two bytes; the one before is unknown.
    spans = [(0, 4), (4, 5), (5, 7), (7, 8), (8, 9)]
    assert n_covered(row, spans, [False, False, True, False, False]) == 4


def test_intervals() -> None:
    assert percentile([1.0, 2.0, 3.0], 0.25) == 1.5
    sums = resampled_sums([[1, 2, 3], [2, 4, 6]], n_resamples=50, seed=1)
    assert [2 * n for n in sums[0]] == sums[1], "the same rows are drawn for all columns"
    assert sums == resampled_sums([[1, 2, 3], [2, 4, 6]], n_resamples=50, seed=1)
    assert interval(6, 12, *sums) == Interval(0.5, 0.5, 0.5)
    assert interval(1, 0, [], []) is None


def test_suspect_rows_are_left_out_and_listed() -> None:
    texts = {
        "en": ["One cat.", "Two dogs.", "Three birds.", "1969", "Four."],
        "ru": ["Одна кошка.", "Two dogs.", "Three fish.", "1969", ""],
    }
    result = pw.compare("qwen3", texts)
    # The script of a key alone is known for languages of files; here only what equals the reference or is empty is seen.
    assert [(one.row, one.reason) for one in result.suspects] == [(1, "same-as-reference"), (4, "empty")]
    russian = next(text for text in result.texts if text.key == "ru")
    assert (russian.n_rows, russian.n_left_out) == (3, 2)
    tok = pw.load("qwen3")
    above, below = (sum(tok.count(texts[key][at]) for at in (0, 2, 3)) for key in ("ru", "en"))
    found = result.cell("qwen3", "ru").premium
    assert found is not None
    assert found.value == above / below
    assert pw.compare("qwen3", texts, keep_suspect=True).texts[1].n_rows == 5


def test_files_of_a_pattern_are_aligned_and_know_their_script(tmp_path: Path) -> None:
    (tmp_path / "d.eng_Latn.txt").write_text("A cat\nA dog\n", encoding="utf-8")
    (tmp_path / "d.rus_Cyrl.txt").write_text("Кошка\nun chien\n", encoding="utf-8")
    result = pw.compare("qwen3", str(tmp_path / "d.{lang}.txt"), reference="eng_Latn")
    assert [(one.key, one.row, one.reason) for one in result.suspects] == [("rus_Cyrl", 1, "wrong-script")]
    (tmp_path / "d.rus_Cyrl.txt").write_text("Кошка\n", encoding="utf-8")
    with pytest.raises(pw.InputError, match="equally many rows"):
        pw.compare("qwen3", str(tmp_path / "d.{lang}.txt"), reference="eng_Latn")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "en\tfr\nA cat\tUn chat\nA dog\tUn chien\n"),
        ("t.csv", 'en,fr\n"A cat",Un chat\nA dog,Un chien\n'),
        ("t.jsonl", '{"en": "A cat", "fr": "Un chat", "n": 1}\n{"en": "A dog", "fr": "Un chien"}\n'),
    ],
)
def test_tables_have_a_column_a_language(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = pw.compare("qwen3", tmp_path / name)
    assert [(one.key, one.n_rows, one.n_characters) for one in result.texts] == [("en", 2, 10), ("fr", 2, 15)]


def test_a_comparison_is_the_same_again_and_pickles() -> None:
    first, second = (pw.compare(["qwen3", "gpt2"], "parallel", keys=["hi"], worst=["hi"]) for _ in range(2))
    assert first == second == pickle.loads(pickle.dumps(first))
    assert first.to_dict() == second.to_dict()
    (one,) = first.extrapolate(1000, key="hi")[:1]
    assert one.n_rows == 12
    assert one.expected.low is not None
    assert one.expected.low < one.expected.value
    assert "icu_segmenter" in pw.compare("qwen3", "fox", words="unicode").methods()


def test_words_by_unicode_where_there_are_no_spaces() -> None:
    spans = segmenter("unicode")("ภาษาไทย")
    assert spans == [(0, 4), (4, 7)]
    hindi = segmenter("unicode")("नदी के किनारे")
    assert len(hindi) == 3, "a word may end in a combining mark"
