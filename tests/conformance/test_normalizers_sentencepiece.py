"""SentencePiece's normalizer against sentencepiece itself, and its alignment against the offsets that it gives.

Each test prints how many texts it compared.
"""

from __future__ import annotations

import io
import itertools
import random
from typing import Any

import pytest
import sentencepiece

from .normalizer_texts import aligned, batches, charsmap, normalize, random_texts, rule_table, telling_scalars

RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
FLAGS = list(itertools.product([False, True], repeat=3))
USER_DEFINED = ["<x>", "▁▁", "ab ", "é", " b", "<x><x>y", "ﬁ", "e\u0301"]


def spec(table: list[int], dummy: bool, squeeze: bool, escape: bool, suffix: bool = False) -> dict[str, Any]:
    """A normalizer spec as the definition has it."""
    return {
        "SentencePiece": {
            "charsmap": table,
            "add_dummy_prefix": dummy,
            "remove_extra_whitespaces": squeeze,
            "escape_whitespaces": escape,
            "whitespace_as_suffix": suffix,
        }
    }


def reference(rule: str, dummy: bool, squeeze: bool, escape: bool) -> Any:
    return sentencepiece.SentencePieceNormalizer(
        rule_name=rule, add_dummy_prefix=dummy, remove_extra_whitespaces=squeeze, escape_whitespaces=escape
    )


def trained(suffix: bool) -> tuple[list[int], Any]:
    """A model with user-defined pieces: its rule table, and itself."""
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hello world a b c d e f g", "the quick brown fox"] * 50),
        model_writer=out,
        vocab_size=60,
        hard_vocab_limit=False,
        user_defined_symbols=USER_DEFINED,
        treat_whitespace_as_suffix=suffix,
        minloglevel=2,
    )
    return charsmap(out.getvalue()), sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())


def spaced_texts(n: int, seed: int) -> list[str]:
    """Texts full of spaces and of user-defined pieces."""
    choose = random.Random(seed)
    units = [
        *USER_DEFINED,
        " ",
        " ",
        "  ",
        "\u3000",
        "▁",
        "a",
        "b",
        "\x01",
        "\u200b",
        "\n",
        "ﬁ",
        "x",
        "\u0301",
        "\0",
    ]
    return ["".join(choose.choices(units, k=choose.randint(1, 10))) for _ in range(n)]


def compare(
    ours: dict[str, Any], theirs: Any, texts: list[str], user_defined: list[str] | None = None
) -> None:
    for batch in batches(texts):
        for text, made in zip(batch, normalize([ours], batch, user_defined or []), strict=True):
            expected = theirs.normalize(text)
            assert made == expected, (ascii(text), ascii(made), ascii(expected))
    print(f"{len(texts)} texts compared")


@pytest.mark.parametrize("rule", RULES)
def test_every_character(rule: str) -> None:
    frames = ("{}", "a{}b", "e\u0301{}\u0323")
    texts = [frame.format(c) for c in telling_scalars() for frame in frames]
    compare(spec(rule_table(rule), True, True, True), reference(rule, True, True, True), texts)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("dummy", "squeeze", "escape"), FLAGS)
def test_random_texts(rule: str, dummy: bool, squeeze: bool, escape: bool) -> None:
    texts = random_texts(2_000, seed=1) + spaced_texts(2_000, seed=2)
    compare(spec(rule_table(rule), dummy, squeeze, escape), reference(rule, dummy, squeeze, escape), texts)


@pytest.mark.parametrize("suffix", [False, True])
def test_user_defined_pieces(suffix: bool) -> None:
    table, theirs = trained(suffix)
    texts = ["", " ", *spaced_texts(20_000, seed=3), *random_texts(5_000, seed=4)]
    compare(spec(table, True, True, True, suffix), theirs, texts, USER_DEFINED)


def test_alignment() -> None:
    """The reference gives the place where each character's source begins; ours must begin there too.

    Its characters reach to where the next begins, so they take in what was dropped between; ours do not.
    """
    ours, theirs = spec(rule_table("nmt_nfkc"), True, True, True), reference("nmt_nfkc", True, True, True)
    texts = random_texts(5_000, seed=5) + spaced_texts(5_000, seed=6)
    n_characters = n_shorter = 0
    for text, (made, spans) in zip(texts, aligned([ours], texts), strict=True):
        expected, starts = theirs.normalize(text, with_offsets=True)
        assert made == expected
        begins = [len(text[:at].encode()) for at in starts]
        assert [start for start, _ in spans] == begins[: len(made)], (ascii(text), spans, begins)
        for start, end in spans:
            after = min((begin for begin in begins if begin > start), default=len(text.encode()))
            assert end <= after, (ascii(text), spans, begins)
            # What ends earlier was dropped, and the reference counts it in.
            n_shorter += start < end < after
        n_characters += len(made)
    print(
        f"{n_characters} characters of {len(texts)} texts compared, {n_shorter} end before what was dropped after them"
    )


@pytest.mark.parametrize("table", [[1], [4, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
def test_broken_tables_are_refused(table: list[int]) -> None:
    with pytest.raises(ValueError, match=r"normalizers\[0\]"):
        normalize([spec(table, True, True, True)], ["a"])
