"""`piecework explain`: reasons as text, table, tree and JSON."""

from __future__ import annotations

import pytest

import piecework as pw
from tests.cli.conftest import Run


def test_merges_in_order(run: Run) -> None:
    ran = run("explain", "--text", " castanha", "-m", "qwen3")
    assert ran.code == 0
    rows = [line[:4] for line in ran.lines if len(line) > 4 and line[0].isdigit() and "+" in line[3]]
    assert rows == [
        ["1", "11", "3", "s+t"],
        ["2", "16", "0", "Ġ+c"],
        ["3", "20", "3", "a+n"],
        ["4", "303", "1", "a+st"],
        ["5", "3967", "3", "h+a"],
        ["6", "6055", "0", "Ġc+ast"],
    ]
    assert "tokens: Ġcast 6311 | an 276 | ha 4223" in ran.text
    assert "ends: no two neighbors have a merge" in ran.text


@pytest.mark.parametrize(
    ("text", "ranks", "ids"),
    [
        (" the", [3, 14, 23], [279]),
        ("the", None, [1782]),
        ("    ", [0, 0, 1], [257]),
        ("á", [1697], None),
        ("🚀", [9028, 123590, 145580], [145836]),
        (" rápida", None, [135290]),
        ("):", None, [1648]),
        ("I'm", None, [40, 2776]),
        ("1969", [], [16, 24, 21, 24]),
        ("2026-09-12", [], [17, 15, 17, 21, 12, 15, 24, 12, 16, 17]),
    ],
)
def test_figures_that_are_known(run: Run, text: str, ranks: list[int] | None, ids: list[int] | None) -> None:
    value = run("explain", "--json", "--text", text, "-m", "qwen3").json
    if ids is not None:
        assert value["ids"] == ids
    if ranks is not None:
        assert [merge["rank"] for row in value["why"] for merge in row["merges"]] == ranks


def test_the_last_rank_of_one_word(run: Run) -> None:
    (row,) = run("explain", "--json", "--text", " rápida", "-m", "qwen3").json["why"]
    assert (row["merges"][-1]["rank"], row["stop"]) == (135034, "one-symbol")


def test_the_stages_of_a_sentence(run: Run) -> None:
    ran = run("explain", "--text", "A raposa preguiçosa: 1969 🚀", "-m", "qwen3")
    assert "16 ids: 32 7327 11983 855 19109 3131 11983 25 220 16 24 21 24 11162 248 222" in ran.text
    assert "normalizer     NFC" in ran.text
    displays = ["A", "Ġraposa", "ĠpreguiÃ§osa", ":", "Ġ", "1", "9", "6", "9", "ĠðŁļĢ"]
    start = ran.lines.index(["pretoken", "display", "pieces", "ids"]) + 1
    assert [line[1] for line in ran.lines[start : start + 10]] == displays
    assert r"cut by alternative 3 \p{N}" in ran.text


def test_stages_alone_and_as_json(run: Run) -> None:
    alone = run("explain", "--stages", "--text", " castanha", "-m", "qwen3").text
    assert run("explain", "--text", " castanha", "-m", "qwen3").text.startswith(alone.rstrip("\n"))
    assert "merge  rank" not in alone
    value = run("explain", "--stages", "--json", "--text", " castanha", "-m", "qwen3").json
    assert value["schema"] == "piecework.stages/1"


def test_the_rule_that_takes_a_token_whole_is_named(run: Run) -> None:
    text = run("explain", "--text", " strawberry", "-m", "gpt-4o").text
    assert "taken whole by whole-piece" in text


def test_the_merge_that_lost(run: Run) -> None:
    ran = run("explain", "--text", " 🚀", "-m", "qwen3")
    assert ["2", "10906", "0", "Ġ+ðŁ", "ðŁ+ļ", "123590", "ðŁ+ļ", "123590", "ĠðŁ", "ļ", "Ģ"] in ran.lines


def test_display_and_readable_forms(run: Run) -> None:
    assert "Ã§ (ç) 3131" in run("explain", "--text", " preguiçosa", "-m", "qwen3").text


def test_table_of_attempts(run: Run) -> None:
    ran = run("explain", "--table", "--text", "unaffable", "-m", "bert-base-uncased")
    assert ran.lines[0] == ["pretoken", "token", "bytes", "tried", "id"]
    assert ["0", "2", "3-6", "##ffa", "20961"] in ran.lines
    assert ["0", "1", "0-3", "una", "14477"] in ran.lines


def test_trees(run: Run) -> None:
    assert "└─ ast  merge 4, rank 303" in run("explain", "--tree", "--text", " castanha", "-m", "qwen3").text
    assert "★" in run("explain", "--tree", "--text", "Hi", "-m", "t5").text
    attempts = run("explain", "--tree", "--text", "unaffable", "-m", "bert-base-uncased").text.splitlines()
    assert {"  una ✓ 14477", "  ##ffa ✓ 20961", "  ##ffab ✗"} <= set(attempts)


def test_a_lattice_and_its_runner_up(run: Run) -> None:
    ran = run("explain", "--text", "castanha", "-m", "t5")
    assert "best path: ▁cast | an | ha, score -27.9697" in ran.text
    assert "runner-up: ▁ca | stan | ha, score -28.5990; margin 0.6293" in ran.text
    (row,) = run("explain", "--json", "--text", "castanha", "-m", "t5").json["why"]
    assert row["margin"] == pytest.approx(0.6293, abs=1e-4)
    assert len(row["edges"]) == 20
    assert [edge["text"] for edge in row["runner_up"]["edges"]] == ["▁ca", "stan", "ha"]


def test_unknown_tokens_are_named(run: Run) -> None:
    assert "☃ 100 (unknown)" in run("explain", "--text", "☃", "-m", "bert-base-uncased").text
    assert "☃ 2 (unknown)" in run("explain", "--text", "☃", "-m", "t5").text


def test_json_of_a_long_text_is_whole(run: Run) -> None:
    text = " ".join(f"{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(300))
    value = run("explain", "--json", "--text", text, "-m", "qwen3").json
    assert len({row["text"] for row in value["why"]}) == len(value["why"]) == 300
    assert value["n_left_out"] == 0
    assert (
        run("explain", "--text", text, "-m", "qwen3")
        .text.rstrip()
        .endswith("280 more distinct pretokens not explained here")
    )


def test_a_long_text_is_shortened_and_all_has_all(run: Run) -> None:
    text = "cat dog " * 200
    n_ids = len(pw.load("qwen3").ids(text))
    ran = run("explain", "--text", text, "-m", "qwen3")
    (ids,) = (line for line in ran.text.splitlines() if line.startswith(f"{n_ids} ids: "))
    assert ids.count(" ") < 140
    assert f" … {n_ids - 120} more (--all has all) … " in ids
    whole = run("explain", "--all", "--text", text, "-m", "qwen3")
    all_ids = " ".join(map(str, pw.load("qwen3").ids(text)))
    assert f"{n_ids} ids: {all_ids}\n" in whole.text
    assert "more" not in whole.text
    assert (
        run("explain", "--json", "--text", text, "-m", "qwen3").json["ids"]
        == pw.load("qwen3").ids(text).tolist()
    )


def test_all_has_every_merge_of_a_long_word(run: Run) -> None:
    word = "ab" * 1_500
    (row,) = run("explain", "--json", "--text", word, "-m", "qwen3").json["why"]
    n_merges = 3_000 - len(pw.load("qwen3").ids(word))
    assert (len(row["merges"]), row["n_merges"], row["n_symbols"]) == (1_000, n_merges, 3_000)
    (row,) = run("explain", "--json", "--all", "--text", word, "-m", "qwen3").json["why"]
    assert len(row["merges"]) == n_merges
    table = run("explain", "--table", "--text", word, "-m", "qwen3").text
    assert f"pretoken 0: first 1,000 of {n_merges:,} merges shown; --all for the rest" in table
    whole = run("explain", "--table", "--all", "--text", word, "-m", "qwen3")
    assert len([line for line in whole.lines if line and line[0] == "0"]) == n_merges


def test_json(run: Run) -> None:
    value = run("explain", "--json", "--text", "a b a", "-m", "qwen3").json
    assert value["schema"] == "piecework.explain/1"
    assert [row["text"] for row in value["why"]] == ["a", " b", " a"]
    ran = run("explain", "--json", "--max-pretokens", "1", "--text", "a b a", "-m", "qwen3")
    assert (len(ran.json["why"]), ran.json["n_left_out"]) == (1, 2)


def test_one_pretoken_is_chosen(run: Run) -> None:
    ran = run("explain", "--word", "castanha", "--text", "a castanha", "-m", "qwen3")
    assert "pretoken 1  Ġcastanha" in ran.text
    assert "pretoken 0 " not in ran.text
    assert "pretoken 0  a" in run("explain", "--pretoken", "0", "--text", "a castanha", "-m", "qwen3").text


@pytest.mark.parametrize(
    "args",
    [
        ["--word", "zz"],
        ["--pretoken", "9"],
        ["--table", "--tree"],
        ["--stages", "--tree"],
        ["--json", "--table"],
        ["--word", "a", "--pretoken", "0"],
        ["--stages", "--word", "a"],
    ],
)
def test_what_cannot_be_shown_is_a_usage_error(run: Run, args: list[str]) -> None:
    assert run("explain", *args, "--text", "a", "-m", "qwen3").code == 2
