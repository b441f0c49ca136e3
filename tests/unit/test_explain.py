"""Why a text became its tokens, from Python: against figures worked out beforehand, and records made by hand."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

import piecework as pw
from piecework._explain import pretokens
from piecework._explain.bpe_reasons import BpeReasons
from piecework._explain.cuts import Cuts
from piecework._explain.pretokens import Pretoken
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
        "kind": "bpe", "symbols": [(3, b"\xc3"), (4, b"\xa7")], "n_symbols": 2, "steps": [], "n_steps": 0, "stop": "no-pair",
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


def test_a_long_pretoken_is_recorded_as_far_as_is_asked_for() -> None:
    text = "ab" * 5_000
    reasons = bpe(text)
    assert b"".join(token.piece for token in reasons.tokens) == text.encode()
    assert reasons.ids == tuple(pw.load("qwen3").ids(text).tolist())
    # Each merge makes one symbol of two.
    assert (len(reasons.merges), reasons.n_merges) == (1_000, 10_000 - len(reasons.tokens))
    assert (len(reasons.symbols), reasons.n_symbols) == (4_096, 10_000)
    (whole,) = trace(text, max_merges=None).why
    assert isinstance(whole, BpeReasons)
    assert (len(whole.merges), len(whole.symbols)) == (reasons.n_merges, 10_000)
    assert whole.merges[:1_000] == reasons.merges
    assert {merge.state for merge in whole.merges} == {None}
    short = bpe("ab" * 50)
    assert short.merges[0].state is None
    assert short.merges[-1].state == tuple(token.piece for token in short.tokens)


def test_what_is_not_recorded_is_said() -> None:
    made = trace("ab" * 5_000)
    (reasons,) = made.why
    assert isinstance(reasons, BpeReasons)
    n_all = reasons.n_merges
    line = f"pretoken 0: first 1,000 of {n_all:,} merges shown; --all for the rest"
    assert line in render_table(made, [0]).splitlines()
    assert line in render_tree(made, [0]).splitlines()
    assert f"  … {n_all - 60:,} more (--all has all)" in str(made).splitlines()
    assert (reasons.to_dict()["n_merges"], reasons.to_dict()["n_symbols"]) == (n_all, 10_000)
    with pytest.raises(ValueError, match="max_merges is -1"):
        trace("a", max_merges=-1)


def test_a_word_without_a_limit_is_recorded_as_far_as_is_asked_for() -> None:
    (reasons,) = trace("unaffable", "bert-base-uncased", max_merges=1).why
    assert isinstance(reasons, WordPieceReasons)
    assert (len(reasons.attempts), reasons.n_found, reasons.ids) == (1, 3, (14477, 20961, 3468))


def test_a_page_of_a_long_text_costs_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    def n_made(n_words: int) -> tuple[int, int]:
        made: list[int] = []

        def count(*row: Any) -> Pretoken:
            made.append(1)
            return Pretoken(*row)

        found = trace("cat dog 12 " * n_words)
        monkeypatch.setattr(pretokens, "Pretoken", count)
        printed = str(found)
        assert isinstance(found.cuts, Cuts)
        n_ids = len(pw.load("qwen3").ids("cat dog 12 " * n_words))
        assert f"{n_ids:,} ids: 4616 5562" in printed
        assert f"… {n_ids - 120:,} more (--all has all) … " in printed
        assert len(printed) < 20_000
        return len(made), len(found.cuts._rows)

    assert n_made(1_000) == n_made(20_000)
    assert n_made(1_000) <= (120, 20)


def test_changes_sections_and_text_of_a_page_are_bounded() -> None:
    printed = str(trace("A\u00c9" * 5_000, "bert-base-uncased"))
    assert "  … 4,980 more changes (--all has all)" in printed.splitlines()
    assert " … 8,000 more characters (--all has all)" in printed
    parsed = trace("<think>a" * 500, special="parse")
    assert "… 960 more parts between and of added tokens (--all has all)" in str(parsed).splitlines()
    whole = render_trace(parsed, parsed.distinct(), is_whole=True)
    assert whole.count("added token") == 500
    assert "more" not in whole


def test_distinct_pretokens_and_words_are_found_across_sections() -> None:
    made = trace("a<think>b a<think> a c", special="parse")
    assert [pretoken.text for pretoken in made.pretokens] == ["a", "b", " a", " a", " c"]
    assert (made.distinct(), made.distinct(2), made.n_distinct()) == ((0, 1, 2, 4), (0, 1), 4)
    assert (made.places("a"), made.places(" a"), made.places("zz")) == ((0, 2), (2,), ())
    assert made.stages.last_ids(3) == made.ids[-3:]
    copy = pickle.loads(pickle.dumps(made))
    assert (copy.distinct(2), copy.places("a"), copy.stages.last_ids(3)) == ((0, 1), (0, 2), made.ids[-3:])
    assert copy.stages.n_ids == made.stages.n_ids == len(made.ids)


@pytest.mark.parametrize("model", ["qwen3", "gpt-4o", "t5", "bert-base-uncased"])
def test_one_cut_is_what_it_is_among_all(model: str) -> None:
    text = "I'm 1969,\n\n  caf\u00e9 <think>x</think> \U0001f680 don't" * 40
    every = tuple(trace(text, model, special="parse").cuts)
    for place in (len(every) - 1, 0, len(every) // 2, 7):
        assert trace(text, model, special="parse").cuts[place] == every[place]
    assert trace(text, model, special="parse").cuts[5:9] == every[5:9]


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
