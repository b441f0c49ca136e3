"""`piecework explain`: reasons as text, table, tree and JSON."""

from __future__ import annotations

import pytest

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


def test_the_merge_that_lost(run: Run) -> None:
    ran = run("explain", "--text", " 🚀", "-m", "qwen3")
    assert ["2", "10906", "0", "Ġ+ðŁ", "ðŁ+ļ", "123590", "ðŁ+ļ", "123590", "ĠðŁ", "ļ", "Ģ"] in ran.lines


def test_display_and_readable_forms(run: Run) -> None:
    assert "Ã§ (ç) 3131" in run("explain", "--text", " preguiçosa", "-m", "qwen3").text


def test_table_of_attempts(run: Run) -> None:
    ran = run("explain", "--table", "--text", "unaffable", "-m", "bert-base-uncased")
    assert ran.lines[0] == ["pretoken", "token", "bytes", "tried", "id"]
    assert ["0", "2", "3-6", "ffa", "20961"] in ran.lines


def test_trees(run: Run) -> None:
    assert "└─ ast  merge 4, rank 303" in run("explain", "--tree", "--text", " castanha", "-m", "qwen3").text
    assert "★" in run("explain", "--tree", "--text", "Hi", "-m", "t5").text
    assert "una ✓ 14477" in run("explain", "--tree", "--text", "unaffable", "-m", "bert-base-uncased").text


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
