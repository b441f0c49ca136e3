"""A limit is a limit: what is kept is an end of the text and really counts at most so many tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import piecework as pw
from piecework._types import Side, Special
from tests.property.strategies import any_texts, tokenizers

SIDES: st.SearchStrategy[Side] = st.sampled_from(["left", "right"])
POLICIES: st.SearchStrategy[Special] = st.sampled_from(["text", "parse"])


@given(tokenizers, any_texts, st.integers(0, 40), SIDES, POLICIES)
def test_the_limit_wins(tok: pw.Tokenizer, text: str, limit: int, side: Side, special: Special) -> None:
    kept = tok.truncate(text, max_tokens=limit, side=side, special=special)
    assert tok.count(kept, special=special) <= limit
    assert text.startswith(kept) if side == "right" else text.endswith(kept)


@given(tokenizers, any_texts, SIDES)
def test_what_fits_is_kept_whole(tok: pw.Tokenizer, text: str, side: Side) -> None:
    n = tok.count(text)
    assert tok.truncate(text, max_tokens=n, side=side) == text
    assert tok.truncate(text, max_tokens=n + 5, side=side) == text
    # BERT makes no token of white space: all of such a text fits.
    assert tok.truncate(text, max_tokens=0, side=side) == ("" if n else text)
