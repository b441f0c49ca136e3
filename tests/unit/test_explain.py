"""Why a text became its tokens, from Python: against figures worked out beforehand, and records made by hand."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

import piecework as pw
from piecework._explain.bpe_reasons import BpeReasons
from piecework._explain.reasons import read_reasons
from piecework._explain.trace import Trace
from piecework._explain.trace_style import COLORED
from piecework._explain.trace_text import render_table, render_trace
from piecework._explain.trace_tree import render_tree
from piecework._explain.unigram_reasons import UnigramReasons
from piecework._explain.wordpiece_reasons import WordPieceReasons


def trace(text: str, model: str = "qwen3", **options: Any) -> Trace:
    return pw.load(model).explain(text, **options)


def bpe(text: str, model: str = "qwen3") -> BpeReasons:
    (reasons,) = trace(text, model).why
    assert isinstance(reasons, BpeReasons)
    return reasons


@pytest.mark.parametrize(
    ("text", "ranks", "ids"),
    [
        (" castanha", [11, 16, 20, 303, 3967, 6055], (6311, 276, 4223)),
        (" the", [3, 14, 23], (279,)),
        ("    ", [0, 0, 1], (257,)),
        ("🚀", [9028, 123590, 145580], (145836,)),
    ],
)
def test_ranks_of_merges(text: str, ranks: list[int], ids: tuple[int, ...]) -> None:
    reasons = bpe(text)
    assert [merge.pair.rank for merge in reasons.merges] == ranks
    assert reasons.ids == ids


def test_a_merge_says_what_joined_where() -> None:
    first = bpe(" castanha").merges[0]
    assert (first.pair.left.piece, first.pair.right.piece, first.pair.at) == (b"s", b"t", 3)
    assert first.state == (b" ", b"c", b"a", b"st", b"a", b"n", b"h", b"a")
    assert first.runner_up is not None
    assert (first.runner_up.rank, first.runner_up.left.piece) == (16, b" ")


def test_the_merge_that_lost_is_there() -> None:
    reasons = bpe(" 🚀")
    fired = reasons.merges[-1]
    assert (fired.pair.rank, fired.pair.left.piece, fired.pair.right.piece) == (10906, b" ", b"\xf0\x9f")
    ((lost),) = fired.lost
    assert (lost.rank, lost.left.piece, lost.right.piece) == (123590, b"\xf0\x9f", b"\x9a")
    assert (reasons.stop, reasons.ids) == ("no-pair", (11162, 248, 222))


def test_one_token_of_a_word() -> None:
    reasons = bpe(" rápida")
    assert (reasons.merges[-1].pair.rank, reasons.ids) == (135034, (135290,))
    assert any((merge.pair.rank, merge.product.piece) == (1697, "á".encode()) for merge in bpe("á").merges)


def test_the_rule_that_takes_a_token_whole_is_named() -> None:
    reasons = bpe(" the", "gpt-4o")
    assert (reasons.stop, reasons.whole_rule, reasons.is_decided_by_rule) == (
        "whole-piece",
        "whole-piece",
        False,
    )


def test_word_piece_tries_the_longest_first() -> None:
    (reasons,) = trace("unaffable", "bert-base-uncased").why
    assert isinstance(reasons, WordPieceReasons)
    assert [attempt.text for attempt in reasons.attempts[1]] == ["ffable", "ffabl", "ffab", "ffa"]
    assert reasons.ids == (14477, 20961, 3468)
    assert "unknown" in str(trace("☃x", "bert-base-uncased"))


def test_unigram_weighs_paths() -> None:
    (reasons,) = trace("Hi", "t5").why
    assert isinstance(reasons, UnigramReasons)
    assert reasons.runner_up is not None
    assert [edge.text for edge in reasons.best.edges] == ["▁Hi"]
    assert [edge.text for edge in reasons.runner_up.edges] == ["▁", "Hi"]
    assert reasons.margin == pytest.approx(reasons.best.score - reasons.runner_up.score)
    assert reasons.best.score == pytest.approx(sum(edge.score for edge in reasons.best.edges))


@pytest.mark.parametrize("model", ["qwen3", "gpt-4o", "gpt2", "t5", "bert-base-uncased"])
def test_replayed_ids_are_those_of_the_text(model: str) -> None:
    text = "A raposa preguiçosa: 1969 🚀 <think> o\u0301 def f(x):\n    return x ☃"
    made = trace(text, model)
    by_reasons = [token_id for reasons in made.why for token_id in reasons.ids]
    assert by_reasons == list(made.ids) == pw.load(model).ids(text).tolist()


def test_both_forms_of_a_piece() -> None:
    printed = str(trace("A raposa preguiçosa: 1969 🚀"))
    assert "Ã§ (ç) 3131" in printed
    displays = [pretoken.display for pretoken in trace("A raposa preguiçosa: 1969 🚀").pretokens]
    assert displays == ["A", "Ġraposa", "ĠpreguiÃ§osa", ":", "Ġ", "1", "9", "6", "9", "ĠðŁļĢ"]


def test_all_forms_and_pickle() -> None:
    made = trace(" castanha <script>", "gpt-4o")
    assert json.loads(json.dumps(made.to_dict()))["why"][0]["kind"] == "bpe"
    html = made._repr_html_()
    assert "<svg" in html
    assert "<script" not in html
    assert "&lt;" in html
    copy = pickle.loads(pickle.dumps(made))
    assert copy == made
    assert str(copy) == str(made)
    assert render_table(made, made.distinct()).startswith("pretoken")
    assert "├─" in render_tree(made, made.distinct())


def test_long_texts_say_what_is_left_out() -> None:
    made = trace(" ".join(f"w{chr(97 + at)}" for at in range(25)))
    assert len(made.distinct()) == 20
    assert str(made).endswith("5 more distinct pretokens not explained here")
    assert made.places("wb") == (1,)


def test_no_text_has_no_reasons() -> None:
    assert list(trace("").why) == []
    assert "0 ids" in str(trace(""))


def test_a_record_of_byte_fallback_is_named() -> None:
    record = {
        "kind": "bpe", "symbols": [(3, b"\xc3"), (4, b"\xa7")], "steps": [], "stop": "no-pair",
        "whole_rule": None, "by_merges": [3, 4], "tokens": [(3, 1, "byte"), (4, 1, "byte")], "ids": [3, 4],
    }  # fmt: skip
    reasons = read_reasons("ç", record)
    assert [(token.piece, token.how) for token in reasons.tokens] == [(b"\xc3", "byte"), (b"\xa7", "byte")]


def test_what_cut_each_pretoken_is_there() -> None:
    made = trace("I'm 1969")
    letters, digits = r"[^\r\n\p{L}\p{N}]?\p{L}+", r"\p{N}"
    contraction = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
    cuts = [(cut.stage, cut.alternative, cut.rule) for cut in made.cuts]
    assert cuts == [(0, 1, letters), (0, 0, contraction), (0, 6, r"\s+"), *[(0, 2, digits)] * 4]
    assert f"cut by alternative 2 {letters}" in str(made)
    assert [(cut.alternative, cut.rule) for cut in trace("A b", "t5").cuts] == [(None, "metaspace")] * 2
    assert made.cuts == pickle.loads(pickle.dumps(made)).cuts


def test_what_cut_is_found_across_added_tokens() -> None:
    made = trace("a<think>1", special="parse")
    assert [
        (pretoken.text, cut.alternative) for pretoken, cut in zip(made.pretokens, made.cuts, strict=True)
    ] == [
        ("a", 1),
        ("1", 2),
    ]


def test_a_long_pretoken_is_read_in_time_that_grows_with_it_and_without_its_states() -> None:
    reasons = bpe("ab" * 5_000)
    assert b"".join(token.piece for token in reasons.tokens) == b"ab" * 5_000
    assert {merge.state for merge in reasons.merges} == {None}
    short = bpe("ab" * 50)
    assert short.merges[0].state is None
    assert short.merges[-1].state == tuple(token.piece for token in short.tokens)
    assert {merge.product.piece for merge in short.merges} == {
        merge.product.piece for merge in reasons.merges
    }


def test_a_lattice_too_large_to_look_at_is_drawn_where_its_paths_part() -> None:
    long = trace("Hippopotamus" * 20, "t5")
    (reasons,) = long.why
    assert isinstance(reasons, UnigramReasons)
    assert reasons.runner_up is not None
    assert reasons.contested is not None
    start, end = reasons.contested
    assert 0 <= start < end <= len("▁" + "Hippopotamus" * 20) + 2
    outside = [
        [
            (edge.byte_span, edge.id)
            for edge in path.edges
            if edge.byte_span[1] <= start or edge.byte_span[0] >= end
        ]
        for path in (reasons.best, reasons.runner_up)
    ]
    assert outside[0] == outside[1]
    drawn = render_tree(long, [0]).splitlines()
    assert f"(bytes {start} to {end} drawn; " in "\n".join(drawn)
    assert all(len(line) < 200 for line in drawn if line[:1] in "★○ ")


def test_colors_are_nothing_but_colors() -> None:
    made = trace(" castanha \U0001f680", "t5")
    for render in (render_trace, render_tree):
        colored = render(made, made.distinct(), COLORED)
        assert "\x1b[" in colored
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(made, made.distinct())


def test_what_a_text_holds_does_not_reach_a_terminal() -> None:
    for model in ("qwen3", "gpt-4o", "t5", "bert-base-uncased"):
        made = trace("a\x1b[31m\u202eb\rc\n d", model)
        printed = [str(made), render_table(made, made.distinct()), render_tree(made, made.distinct())]
        assert not re.search("[\x1b\r\u202e]", "".join(printed)), model
