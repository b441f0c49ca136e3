"""One text under several tokenizers: which spans differ, and that the spans tile the text."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piecework as pw


def test_digits_are_ringed() -> None:
    view = pw.side_by_side(["gpt2", "gpt-4o", "qwen3"], "In 1969 we")
    assert str(view).splitlines()[1::2] == ["In|[·1969]|·we", "In|[·|196|9]|·we", "In|[·|1|9|6|9]|·we"]
    (span,) = view.differing
    assert (span.byte_span, span.utf16_span) == ((2, 7), (2, 7))
    assert (span.ids[0], span.ids[2]) == ((16450,), (220, 16, 24, 21, 24))


def test_shared_spans_are_joined_in_json() -> None:
    # The emoji is three tokens of bytes in both; the digits differ.
    value = pw.side_by_side(["gpt2", "qwen3"], "I am in 1969 and 🚀").to_dict()
    assert [(span["is_shared"], span["byte_span"], span["utf16_span"]) for span in value["spans"]] == [
        (True, (0, 7), (0, 7)),
        (False, (7, 12), (7, 12)),
        (True, (12, 21), (12, 19)),
    ]
    assert json.loads(json.dumps(value))["n_tokens"] == [8, 12]


def test_white_space_that_one_drops_is_no_difference() -> None:
    view = pw.side_by_side(["gpt2", "bert-base-uncased"], "Hello, the strawberry.")
    assert view.differing == ()
    assert "[" not in str(view)


def test_marks_of_the_text_are_told_from_ours() -> None:
    view = pw.side_by_side(["gpt2", "qwen3"], "a [b] | 12")
    assert str(view).splitlines()[1] == r"a|·\[|b|\]|·\||[·12]"


def test_a_terminal_gets_columns() -> None:
    shown = pw.side_by_side(["gpt2", "qwen3"], "In 1969 we\nsaw " + "x" * 50).ansi(41)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.splitlines()]
    assert lines[2].split() == ["In·1969·we⏎", "In·1969·we⏎"]
    assert max(map(len, lines)) <= 41
    assert "\x1b[4;7m·1969" in shown
    assert "\x1b[4;7m·we" not in shown


def test_no_tokens_and_no_tokenizers() -> None:
    assert str(pw.side_by_side(["gpt2", "qwen3"], "")).split("\n") == [
        "r50k_base: 0 tokens",
        "",
        "qwen3: 0 tokens",
        "",
    ]
    with pytest.raises(ValueError, match="at least one"):
        pw.side_by_side([], "x")
    with pytest.raises(ValueError, match="a list"):
        pw.side_by_side("gpt2", "x")


def test_it_is_data() -> None:
    view = pw.side_by_side([pw.load("gpt2"), "qwen3"], "a <script> 12")
    assert pickle.loads(pickle.dumps(view)) == view
    assert "<script" not in view._repr_html_()
    assert "&lt;" in view._repr_html_()


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_spans_tile_the_text_and_hold_every_token(text: str) -> None:
    names = ["gpt2", "o200k_base", "qwen3", "bert-base-uncased", "t5"]
    view = pw.side_by_side(names, text)
    assert [start for start, _ in (span.byte_span for span in view.spans)][1:] == [
        end for _, end in (span.byte_span for span in view.spans)
    ][:-1]
    assert (view.spans[0].byte_span[0], view.spans[-1].byte_span[1]) == (0, len(text.encode()))
    assert view.spans[-1].utf16_span[1] == len(text.encode("utf-16-le")) // 2
    for at, name in enumerate(names):
        assert [i for span in view.spans for i in span.ids[at]] == pw.load(name).ids(text).tolist()
