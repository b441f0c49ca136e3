"""What tokens make of a text that nobody sees: each kind with its place, its cost and the figures that are known."""

from __future__ import annotations

import json
import pickle
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw
from piecework._explain.quirks import Quirk


def one(model: str, text: str, kind: str) -> Quirk:
    (found,) = pw.load(model).quirks(text).of(kind)
    return found


def test_a_space_before_a_word_is_another_id() -> None:
    quirk = one("gpt-4o", " cat", "leading-space")
    assert "(8837)" in quirk.says
    assert "(9059)" in quirk.says
    assert (quirk.cost, quirk.alternative, quirk.char_span) == (0, "cat", (0, 4))


@pytest.mark.parametrize("model", ["gpt-4o", "qwen3"])
def test_strawberry_is_three_tokens_or_one(model: str) -> None:
    quirk = one(model, "strawberry", "leading-space")
    assert (quirk.n_tokens, quirk.alternative, quirk.cost) == (3, " strawberry", 2)
    assert pw.load(model).quirks(" strawberry").n_tokens == 1
    assert one(model, " strawberry", "leading-space").cost == -2


@pytest.mark.parametrize(
    ("model", "text", "n_tokens", "rule"),
    [
        ("qwen3", " 1234", 5, "each alone"),
        ("qwen3", " 12345", 6, "each alone"),
        ("gpt-4o", " 1234", 3, "3 at a time, from the left"),
        ("gpt-4o", " 12345", 3, "3 at a time, from the left"),
    ],
)
def test_digits(model: str, text: str, n_tokens: int, rule: str) -> None:
    quirk = one(model, text, "digits")
    assert (quirk.n_tokens, quirk.cost, quirk.alternative) == (n_tokens, 1, text[1:])
    assert rule in quirk.says


def test_separators_are_tokens_too() -> None:
    # 1|2|3|4 against 1|,|2|3|4.
    quirk = one("qwen3", "a1234", "digits")
    assert (quirk.alternative, quirk.cost, quirk.pieces) == ("1,234", -1, "1|2|3|4")


@pytest.mark.parametrize(
    ("model", "counts"), [("gpt-4o", (1, 1, 2, 5)), ("qwen3", (1, 2, 2, 6))], ids=["gpt-4o", "qwen3"]
)
def test_words_and_their_casing(model: str, counts: tuple[int, ...]) -> None:
    words = ("refund", "Refund", "refundability", "Erstattungsanspruch")
    assert tuple(pw.load(model).quirks(word).n_tokens for word in words) == counts
    found = pw.load(model).quirks("Refund").of("casing")
    # Where no casing is cheaper, there is nothing to say.
    assert [(quirk.alternative, quirk.cost) for quirk in found] == [("refund", 1)] * (counts[1] > counts[0])
    assert all(f"Refund {counts[1]}, refund {counts[0]}" in quirk.says for quirk in found)


def test_casings_are_counted_with_the_space_that_one_of_them_has_apart() -> None:
    # t5 has `▁quick`, and of QUICK only QUI and CK, so that its space stands alone.
    (quirk,) = pw.load("t5").quirks("The QUICK fox").of("casing")
    assert (quirk.cost, quirk.alternative, quirk.pieces) == (2, "quick", "QUI|CK")
    assert quirk.says == "tokens by casing, with the space before: QUICK 3, quick 1, Quick 1"


@pytest.mark.parametrize("model", ["bert-base-uncased", "qwen3", "t5"])
def test_no_alternative_glues_two_words(model: str) -> None:
    tok = pw.load(model)
    (quirk,) = tok.quirks("order 12345 now").of("digits")
    assert quirk.alternative == " 12,345"
    assert quirk.cost == tok.count("order 12345 now") - tok.count("order 12,345 now")
    (padded,) = tok.quirks("fine 00712").of("digits")
    assert (padded.alternative, padded.cost) == (None, None)


def test_what_a_tokenizer_does_not_see_is_no_quirk_or_says_so() -> None:
    tok = pw.load("bert-base-uncased")
    assert [quirk.kind for quirk in tok.quirks("  hi\n    you\u00a0there\u202fnow").found] == []
    (quirk,) = tok.quirks("hi\u200b").found
    assert (quirk.kind, quirk.n_tokens, quirk.cost) == ("invisible", 0, 0)
    assert (
        quirk.advice
        == "remove it: a reader sees nothing, and this tokenizer drops it, others make tokens of it"
    )
    printed = str(tok.quirks("hi\u200b"))
    assert "\n  0 tokens\n" in printed
    assert "cost +0 against nothing" in printed
    (mixed,) = tok.quirks("a\u200b\u00a0b").found
    assert mixed.kind == "no-break-space"


def test_a_form_that_the_vocabulary_lacks_is_named() -> None:
    (quirk,) = pw.load("bert-base-uncased").quirks("and３４５").of("compatibility")
    assert (quirk.pieces, quirk.cost) == ("[UNK]", -2)
    assert quirk.says.endswith("; the vocabulary lacks it, and its word is lost")


def test_indentation_that_costs_the_same_is_kept_and_not_called_cheaper() -> None:
    # gpt2: a|⏎|·|·b and a|⏎|⇥|b; of one space, a|⏎|·b.
    tok = pw.load("gpt2")
    assert [tok.count(text) for text in ("a\n  b", "a\n\tb", "a\n b")] == [4, 4, 3]
    (equal,), (cheaper,) = (tok.quirks(text).of("indentation") for text in ("a\n  b", "a\n b"))
    assert (equal.cost, equal.advice) == (0, "keep it: the other costs as much")
    assert (cheaper.cost, cheaper.advice) == (-1, "keep it: this is the cheaper of the two")


@pytest.mark.parametrize("model", ["gpt-4o", "qwen3"])
def test_a_sentence_has_its_count(model: str) -> None:
    text = "My order was charged twice; when will the refund arrive?"
    assert pw.load(model).quirks(text).n_tokens == 12


def test_letters_are_in_tokens() -> None:
    (word,) = pw.load("qwen3").quirks("strawberry", letter="r").spelling
    assert [(token.piece, token.letters) for token in word.tokens] == [
        ("str", "str"),
        ("aw", "aw"),
        ("berry", "berry"),
    ]
    assert (word.count("r"), [token.piece for token in word.holders("R")]) == (3, ["str", "berry"])
    # Ten letters with spaces between them are ten tokens.
    assert word.n_spelled == 7
    assert "r: 3 (1 in str, 2 in berry)" in str(pw.load("qwen3").quirks("strawberry", letter="r"))


def test_words_are_spelled_where_they_stand() -> None:
    # One emoji of four bytes and two units before it; the word is there twice.
    quirks = pw.load("qwen3").quirks("🚀 rápida rápida")
    (word,) = quirks.spelling
    assert (word.char_span, word.byte_span, word.utf16_span, word.n_places) == ((2, 8), (5, 12), (3, 9), 2)
    assert [token.id for token in word.tokens] == [135290]


def test_space_at_the_end_and_what_follows() -> None:
    quirks = pw.load("qwen3").quirks("Say: ")
    (space,) = quirks.of("trailing-space")
    assert (space.char_span, space.cost, space.alternative) == ((4, 5), 1, "")
    (end,) = quirks.of("boundary")
    assert (end.cost, end.char_span, end.alternative) == (1, (4, 5), None)
    assert pw.load("qwen3").quirks("Say it").of("boundary") == ()


def test_what_a_given_text_makes_anew() -> None:
    # "un" + "happy" is one word of other tokens.
    tok = pw.load("qwen3")
    kept = tok.difference("I am un", "I am unhappy").n_kept
    (end,) = tok.quirks("I am un", more="happy").of("boundary")
    assert end.cost == tok.count("I am un") - kept > 0
    assert tok.quirks("I am", more=" happy").of("boundary") == ()


def test_an_emoji_in_pieces() -> None:
    quirk = one("qwen3", "A 🚀", "split-character")
    assert (quirk.n_tokens, quirk.alternative, quirk.cost) == (3, "🚀", 2)
    assert (quirk.char_span, quirk.byte_span, quirk.utf16_span) == ((1, 3), (1, 6), (1, 4))
    assert pw.load("qwen3").quirks("A🚀").of("split-character") == ()


def test_flags_and_families_are_one_picture() -> None:
    assert one("qwen3", "🇧🇷", "split-character").char_span == (0, 2)
    assert one("qwen3", "x👨\u200d👩\u200d👧x", "split-character").char_span == (1, 6)


def test_composed_and_decomposed() -> None:
    # é alone is one token; e and its accent are two.
    quirk = one("gpt-4o", "e\u0301", "decomposed")
    assert (quirk.alternative, quirk.char_span, quirk.byte_span) == ("é", (0, 2), (0, 3))
    assert quirk.cost == pw.load("gpt-4o").count("e\u0301") - pw.load("gpt-4o").count("é") == 1
    assert one("gpt-4o", "é", "composed").cost == -1
    # Qwen3 composes by itself: nothing to say.
    assert pw.load("qwen3").quirks("e\u0301").of("decomposed") == ()
    hangul = unicodedata.normalize("NFD", "한")
    assert one("gpt-4o", hangul, "decomposed").alternative == "한"


def test_forms_for_compatibility() -> None:
    quirk = one("gpt-4o", "x ＡＢ y", "compatibility")
    assert (quirk.excerpt, quirk.alternative, quirk.char_span) == ("ＡＢ", "AB", (2, 4))
    assert one("gpt-4o", "ofﬁce", "compatibility").alternative == "fi"


def test_spaces_that_are_none() -> None:
    quirks = pw.load("gpt-4o").quirks("10\u00a0km and\u200b so")
    (space,) = quirks.of("no-break-space")
    assert (space.char_span, space.byte_span, space.alternative) == ((2, 3), (2, 4), " ")
    (nothing,) = quirks.of("invisible")
    assert (nothing.alternative, nothing.byte_span, nothing.cost) == ("", (10, 13), 1)


def test_line_ends_are_counted() -> None:
    quirk = one("gpt-4o", "a\r\nb\r\nc\rd", "line-endings")
    tok = pw.load("gpt-4o")
    assert (quirk.n_places, quirk.char_span) == (3, (1, 3))
    assert quirk.cost == tok.count("a\r\nb\r\nc\rd") - tok.count("a\nb\nc\nd")


def test_indentation_and_what_tabs_cost() -> None:
    text = "def f():\n    if x:\n        return 1\n"
    quirk = one("qwen3", text, "indentation")
    tabs = text.replace("    ", "\t")
    assert (quirk.n_places, quirk.alternative) == (2, "\t")
    assert quirk.cost == pw.load("qwen3").count(text) - pw.load("qwen3").count(tabs)
    n, n_bare = pw.load("qwen3").count(text), pw.load("qwen3").count("def f():\nif x:\nreturn 1\n")
    assert f"all indentation costs {n - n_bare} of {n} tokens" in quirk.says
    assert one("qwen3", tabs, "indentation").alternative == "    "


def test_white_space_that_says_nothing() -> None:
    # GPT-2: a|·|·|⏎|b|⏎⏎|⏎|⏎|c|·|·|·d
    found = pw.load("gpt2").quirks("a  \nb\n\n\n\nc   d").of("white-space")
    assert [(quirk.char_span, quirk.alternative, quirk.cost) for quirk in found] == [
        ((1, 3), "", 2),
        ((5, 9), "\n\n", 1),
        ((10, 13), " ", 2),
    ]
    # o200k has tokens for the first two that cost nothing more.
    found = pw.load("gpt-4o").quirks("a  \nb\n\n\n\nc   d").of("white-space")
    assert [quirk.char_span for quirk in found] == [(10, 13)]


def test_places_alike_are_measured_once_and_the_rest_is_counted() -> None:
    quirks = pw.load("qwen3").quirks("x12 y12 z34 w56", max_per_kind=2)
    assert [(quirk.excerpt, quirk.n_places) for quirk in quirks.of("digits")] == [("12", 2), ("34", 1)]
    assert quirks.left_out == {"digits": 1, "spelling": 2}
    assert "1 more of digits" in str(quirks)
    with pytest.raises(ValueError, match="at least 0"):
        pw.load("qwen3").quirks("x", max_per_kind=-1)


def test_a_long_text_is_measured_around_the_place() -> None:
    text = "word " * 20_000 + "\u00a0" + " word" * 20_000
    (quirk,) = pw.load("gpt-4o").quirks(text).of("no-break-space")
    whole = pw.load("gpt-4o").count(text) - pw.load("gpt-4o").count(text.replace("\u00a0", " "))
    assert (quirk.cost, quirk.byte_span) == (whole, (100_000, 100_002))


def test_broken_text_raises_or_is_replaced() -> None:
    tok = pw.load("gpt-4o")
    with pytest.raises(pw.NotUnicodeError):
        tok.quirks("a\ud800")
    assert tok.quirks("a\ud800", errors="replace").n_tokens == tok.count("a\ufffd")
    assert tok.quirks(b"a\xff", errors="replace").n_tokens == tok.count("a\ufffd")


def test_it_is_data() -> None:
    quirks = pw.load("qwen3").quirks("<b>\x1b[0m  12\n", letter="b")
    assert pickle.loads(pickle.dumps(quirks)) == quirks
    assert json.loads(json.dumps(quirks.to_dict()))["n_tokens"] == quirks.n_tokens
    assert "<b>" not in quirks._repr_html_()
    assert "\x1b" not in str(quirks)


@settings(deadline=None, max_examples=60)
@given(
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.sampled_from(["gpt2", "qwen3", "bert-base-uncased", "t5"]),
)
def test_every_cost_is_that_of_encoding_the_alternative(text: str, model: str) -> None:
    tok = pw.load(model)
    quirks = tok.quirks(text, max_per_kind=99)
    assert quirks.n_tokens == tok.count(text)
    for quirk in quirks.found:
        start, end = quirk.char_span
        assert text[start:end] == quirk.excerpt
        assert text.encode()[slice(*quirk.byte_span)].decode() == quirk.excerpt
        assert (
            text.encode("utf-16-le")[quirk.utf16_span[0] * 2 : quirk.utf16_span[1] * 2].decode("utf-16-le")
            == quirk.excerpt
        )
        if quirk.alternative is not None and quirk.kind not in {"composed", "line-endings", "indentation"}:
            assert quirk.cost == tok.count(text) - tok.count(text[:start] + quirk.alternative + text[end:])


def test_a_word_of_any_length_takes_a_few_lines() -> None:
    for word in ("a" * 30_000, "XyZ" * 10_000, "e\u0301" * 10_000, "\ufb01" * 10_000, "\u732b" * 10_000):
        found = pw.load("qwen3").quirks(word, letter="a")
        assert len(str(found)) < 10_000
        assert all(len(quirk.says) < 1_000 for quirk in found.found)
        n_tokens = len(found.spelling[0].tokens)
        assert n_tokens > 40
        assert f"  … {n_tokens - 40:,} more (--json has all)" in str(found)
