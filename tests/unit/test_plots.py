"""Charts: their definitions hold the figures they were given, the same ones every time, and files of them are whole."""

from __future__ import annotations

import json
import pickle
import re
import struct
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import piecework as pw
from piecework._plots import KINDS
from piecework._plots.theme import OKABE_ITO
from tools import picture_data

PARTS = [
    {"part": "system", "n_tokens": 300},
    {"part": "tools", "n_tokens": 602},
    {"part": "evidence", "n_tokens": 3072},
    {"part": "history", "n_tokens": 4100},
    {"part": "answer", "n_tokens": 2048},
]
# Words hug, pug, pun as they merge: u+g, then h+ug.
HUG: list[dict[str, Any]] = [
    {"text": "h"},
    {"text": "u"},
    {"text": "g"},
    {"text": "s", "is_token": True, "id": 6},
    {"text": "ug", "left": 1, "right": 2, "rank": 0, "id": 7},
    {"text": "hug", "left": 0, "right": 4, "rank": 2, "id": 9, "is_token": True, "note": "lost: g+s, rank 8"},
]
EDGES: list[dict[str, Any]] = [
    {"start": 0, "end": 2, "text": "ab", "score": -2.5, "id": 5, "is_best": True},
    {"start": 0, "end": 1, "text": "a", "score": -1.5, "id": 3, "is_best": False, "is_runner_up": True},
    {"start": 1, "end": 2, "text": "b", "score": -1.75, "id": 4, "is_best": False, "is_runner_up": True},
]
PREMIUMS: list[dict[str, Any]] = [
    {"language": "Hindi", "tokenizer": "qwen3", "premium": 4.14, "low": 3.8, "high": 4.5},
    {"language": "English", "tokenizer": "qwen3", "premium": 1.0, "low": 1.0, "high": 1.0},
    {"language": "Hindi", "tokenizer": "o200k_base", "premium": 1.5, "low": 1.4, "high": 1.6},
    {"language": "English", "tokenizer": "o200k_base", "premium": 1.0, "low": 1.0, "high": 1.0},
]
TURNS = [
    {"turn": turn, "part": part, "n_tokens": n}
    for turn in range(1, 6)
    for part, n in (("system", 400), ("history", 400 * (turn - 1)), ("question", 150), ("answer", 250))
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "bars": [
        {"content": "English", "tokenizer": "qwen3", "bytes_per_token": 4.57},
        {"content": "numbers", "tokenizer": "qwen3", "bytes_per_token": 1.0},
    ],
    "budget": PARTS,
    "compression-curve": [
        {"series": "English", "vocab_size": 256, "bytes_per_token": 1.0},
        {"series": "English", "vocab_size": 512, "bytes_per_token": 1.92},
    ],
    "conversation": TURNS,
    "heat-map": PREMIUMS,
    "lattice": EDGES,
    "merge-tree": HUG,
    "premium": PREMIUMS,
    "token-lengths": [
        {"tokenizer": "x", "n_bytes": 1, "n_tokens": 3},
        {"tokenizer": "x", "n_bytes": 2, "n_tokens": 1},
    ],
}


def draw(kind: str, **options: Any) -> pw.Chart:
    return pw.plot(ROWS[kind], kind=kind, **options)  # type: ignore[arg-type]


def datasets(chart: pw.Chart) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = chart.to_dict()["datasets"]
    return found


def columns_of(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(name) for name in names) for row in rows]


def test_every_kind_has_rows_here() -> None:
    assert set(ROWS) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "dataset", "columns"),
    [
        ("bars", "bars", ("content", "tokenizer", "bytes_per_token")),
        ("budget", "parts", ("part", "n_tokens")),
        ("compression-curve", "points", ("series", "vocab_size", "bytes_per_token")),
        ("conversation", "parts", ("turn", "part", "n_tokens")),
        ("heat-map", "cells", ("language", "tokenizer", "premium")),
        ("merge-tree", "nodes", ("text", "left", "right", "rank", "id", "note")),
        ("premium", "points", ("language", "tokenizer", "premium", "low", "high")),
        ("token-lengths", "lengths", ("tokenizer", "n_tokens")),
    ],
)
def test_data_of_a_definition_are_the_figures_given(
    kind: str, dataset: str, columns: tuple[str, ...]
) -> None:
    assert columns_of(datasets(draw(kind))[dataset], *columns) == columns_of(ROWS[kind], *columns)


@pytest.mark.parametrize("kind", KINDS)
def test_definition_names_its_axes_with_units_and_stays_the_same(kind: str) -> None:
    chart = draw(kind)
    definition = chart.to_dict()
    assert definition == draw(kind).to_dict()
    assert definition["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    assert definition["title"]["text"] == chart.title
    assert definition["description"].startswith(chart.title)
    text = json.dumps(definition)
    assert "tooltip" in text
    # Colors are those that color-blind readers tell apart; nothing falls back to Vega's own palette.
    assert OKABE_ITO[0] in text or '"cividis"' in text
    titles = {
        title
        for title in re.findall(r'"title": "([^"]+)"', text)
        if "(" in title or title in {"tokens", "turn"}
    }
    assert titles or kind in {"merge-tree", "lattice"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["svg", "png", "html", "json"])
def test_every_kind_is_saved_in_every_format(kind: str, suffix: str, tmp_path: Path) -> None:
    chart = draw(kind, title="A title <&>")
    path = chart.save(tmp_path / f"chart.{suffix}")
    assert path == tmp_path / f"chart.{suffix}"
    content = path.read_bytes()
    if suffix == "png":
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", content[16:24])
        assert width > 200
        assert height > 100
    elif suffix == "svg":
        assert content.startswith(b"<svg ")
        assert b"A title &lt;&amp;&gt;" in content
    elif suffix == "html":
        assert b"vegaEmbed(" in content
    else:
        assert json.loads(content) == chart.to_dict()
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
    if suffix != "html":
        assert chart.save(path).read_bytes() == content, "the same again"


def test_page_holds_its_scripts_and_loads_nothing(tmp_path: Path) -> None:
    page = draw("bars").save(tmp_path / "bars.html").read_text(encoding="utf-8")
    assert len(page) > 500_000
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"<(\w+)", markup) == ["html", "head", "meta", "title", "style", "body", "div"]
    assert "src=" not in markup
    assert "http" not in markup
    assert '"editor": false' in page


def test_a_text_cannot_end_the_script_of_a_page(tmp_path: Path) -> None:
    attack = "</script><script>alert(1)</script>\u2028<!--"
    rows = [{"content": attack, "tokenizer": attack, "bytes_per_token": 2.0}]
    page = pw.plot(rows, kind="bars", title=attack).save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "<script>alert" not in page
    (definition,) = re.findall(r'vegaEmbed\("#chart", (.*), \{"renderer"', page)
    assert json.loads(definition)["datasets"]["bars"][0]["content"] == attack


def test_svg_has_no_character_that_xml_forbids() -> None:
    rows = [{"content": "a\x00b\x1b[31m\ud800", "tokenizer": "t\n", "bytes_per_token": 2.0}]
    svg = pw.plot(rows, kind="bars").render("svg").decode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", svg)
    assert "a\ufffdb\ufffd[31m\ufffd" in svg


def test_definitions_do_not_depend_on_what_altair_is_set_to() -> None:
    plain = draw("heat-map").to_dict()
    with alt.theme.enable("dark"), alt.data_transformers.enable("default", max_rows=1):
        assert draw("heat-map").to_dict() == plain


def test_definition_cannot_be_changed_through_what_it_gives_out() -> None:
    chart = draw("bars")
    chart.to_dict()["datasets"]["bars"].clear()
    assert len(datasets(chart)["bars"]) == 2
    assert pickle.loads(pickle.dumps(chart)) == chart
    assert chart._repr_html_().startswith("<svg ")
    assert "<script" not in chart._repr_html_()
    assert str(chart) == "Compression by content (bars: 2 bars)"


# --- budgets and conversations --------------------------------------------------------------------------------------------


def test_budget_says_what_is_left_and_what_is_over() -> None:
    # 32,768 - 300 - 602 - 3,072 - 4,100 - 2,048 = 22,646.
    chart = draw("budget", window=32_768)
    assert columns_of(datasets(chart)["ends"], "total", "over", "label") == [(10_122, 0, "22,646 left")]
    plans = [
        {"plan": plan, **part}
        for plan, n in (("English", 20_000), ("Hindi", 82_857))
        for part in [*PARTS, {"part": "document", "n_tokens": n}]
    ]
    ends = datasets(pw.plot(plans, kind="budget", window=32_768))["ends"]
    assert columns_of(ends, "plan", "label") == [("English", "2,646 left"), ("Hindi", "60,211 over")]
    assert columns_of(datasets(draw("budget"))["ends"], "label") == [("10,122",)]


def test_conversation_stacks_its_parts_up_to_the_window() -> None:
    chart = draw("conversation", window=4_096)
    rows = datasets(chart)["parts"]
    inputs = [
        sum(row["n_tokens"] for row in rows if row["turn"] == turn and row["part"] != "answer")
        for turn in range(1, 6)
    ]
    assert inputs == [550, 950, 1350, 1750, 2150]
    assert datasets(chart)["window"][0]["window"] == 4_096


# --- tokenizers ---------------------------------------------------------------------------------------------------------


def test_token_lengths_are_those_of_the_vocabulary() -> None:
    tokenizer = pw.load("r50k_base")
    pieces = [tokenizer.decode_bytes([token_id]) for token_id in range(50_256)]
    rows = datasets(pw.plot(tokenizer))["lengths"]
    assert sum(row["n_tokens"] for row in rows) == tokenizer.n_base == 50_256
    for row in rows[:-1]:
        assert row["n_tokens"] == sum(len(piece) == row["length"] for piece in pieces)
    assert rows[-1]["lengths"] == "24 or more"
    assert rows[-1]["n_tokens"] == sum(len(piece) >= 24 for piece in pieces)
    assert sum(row["share"] for row in rows) == pytest.approx(1.0)


def test_several_tokenizers_share_one_picture() -> None:
    rows = datasets(pw.plot([pw.load("r50k_base"), pw.load("t5"), pw.load("bert-base-uncased")]))["lengths"]
    assert list(dict.fromkeys(row["tokenizer"] for row in rows)) == ["r50k_base", "t5", "bert-base-uncased"]


# --- traces -------------------------------------------------------------------------------------------------------------


def test_a_trace_is_drawn_as_the_merges_of_its_first_made_pretoken() -> None:
    # " castanha": s+t rank 11, Ġ+c 16, a+n 20, a+st 303, h+a 3967, Ġc+ast 6055; ids 6311 276 4223.
    nodes = datasets(pw.plot(pw.load("qwen3").explain("1 castanha")))["nodes"]
    assert [node["rank"] for node in nodes if node["left"] is not None] == [11, 16, 20, 303, 3967, 6055]
    tokens = {node["text"]: node["id"] for node in nodes if node["is_token"]}
    assert tokens == {"·cast": 6311, "an": 276, "ha": 4223}


def test_the_merge_that_lost_stands_beside_the_one_that_fired() -> None:
    # Ġ+ðŁ has rank 10906 and fires before ðŁ+ļ, rank 123590.
    labels = datasets(pw.plot(pw.load("qwen3").explain(" 🚀")))["labels"]
    assert {(label["label"], label["note"]) for label in labels} >= {
        ("2: rank 10,906", r"lost: \xf0\x9f+\x9a, rank 123,590")
    }


@pytest.mark.parametrize(
    ("model", "text", "title"),
    [
        ("qwen3", " café", "The merges of ·café"),
        ("gpt-4o", "ação", "The merges of ação"),
        ("qwen3", "🚀", "The merges of 🚀"),
        ("qwen3", "\u202e\u200b", "The merges of <U+202E><U+200B>"),
    ],
)
def test_the_title_of_a_tree_is_read_and_not_spelled(model: str, text: str, title: str) -> None:
    assert pw.plot(pw.load(model).explain(text)).title == title


def test_a_pretoken_taken_whole_shows_its_merges_or_says_that_there_are_none() -> None:
    tokenizer = pw.load("o200k_base")
    (token_id,) = tokenizer.ids(" refund")
    nodes = datasets(pw.plot(tokenizer.explain(" refund"), pretoken=0))["nodes"]
    assert [(node["text"], node["id"]) for node in nodes if node["is_token"]] == [("·refund", token_id)]


def test_a_lattice_has_the_paths_of_the_trace() -> None:
    tokenizer = pw.load("t5")
    edges = datasets(pw.plot(tokenizer.explain("tokenization")))["edges"]
    (best, best_score), (second, second_score) = tokenizer.nbest("tokenization", 2)
    for path, ids, score in (("best path", best, best_score), ("runner-up", second, second_score)):
        on_path = [edge for edge in edges if edge["path"] == path]
        assert [edge["id"] for edge in on_path] == ids.tolist()
        assert sum(edge["score"] for edge in on_path) == pytest.approx(score, rel=1e-5)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("qwen3", {"pretoken": 7}, "there is no pretoken 7: the text has 2, from 0"),
        ("qwen3", {"kind": "lattice"}, "the model of this trace is drawn as merge-tree, not as lattice"),
        ("bert-base-uncased", {}, "there is nothing to draw: no merge of BPE and no lattice of Unigram"),
    ],
)
def test_a_trace_that_cannot_be_drawn_says_why(model: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.plot(pw.load(model).explain("small cats"), **options)


def test_only_a_trace_has_pretokens() -> None:
    with pytest.raises(ValueError, match="pretoken chooses one of a trace's; this is a list"):
        pw.plot(PARTS, kind="budget", pretoken=0)


# --- what cannot be drawn -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            [],
            {"kind": "bars"},
            "bars: there are no rows to draw; a row has content, tokenizer, bytes_per_token",
        ),
        (PARTS, {}, "pass kind="),
        (PARTS, {"kind": "pie"}, "kind is one of bars, budget,"),
        (PARTS, {"kind": "budget", "measure": "x"}, "budget has no measure; it takes window"),
        (PARTS, {"kind": "budget", "window": 0}, "window is at least 1 token, not 0"),
        ([{"part": "a"}], {"kind": "budget"}, r"budget: row 0 has no n_tokens \(tokens\)"),
        ([{"part": "a", "n_tokens": -1}], {"kind": "budget"}, "n_tokens is -1, not a whole number from 0 up"),
        ([{"part": "a", "n_tokens": float("nan")}], {"kind": "budget"}, "which no axis can show"),
        ([{**HUG[4]}], {"kind": "merge-tree"}, "row 0 joins rows 1 and 2"),
        ([*HUG, {**HUG[5]}], {"kind": "merge-tree"}, "row 6 joins rows 0 and 4"),
        ([{"text": "x"}] * 121, {"kind": "merge-tree"}, "a tree of 121 symbols cannot be read"),
        ([{**EDGES[0], "end": 161}], {"kind": "lattice"}, "161 bytes cannot be read"),
        (
            [{**ROWS["compression-curve"][0], "vocab_size": 0}],
            {"kind": "compression-curve"},
            "no tokens has no place",
        ),
        (
            [{**PREMIUMS[0], "tokenizer": str(n)} for n in range(9)],
            {"kind": "premium"},
            "at most 8 tokenizers apart by color, not 9",
        ),
    ],
)
def test_what_cannot_be_drawn_says_why(rows: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.plot(rows, **options)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("bars", "plot draws a result, a tokenizer, several tokenizers, or rows"),
        (3, "not a int"),
        ({"part": "a", "n_tokens": 1}, "not a dict"),
        ([("a", 1)], "row 0 is a tuple, not a mapping"),
        ([{"part": 1, "n_tokens": 1}], "part is a text, not 1"),
        ([{"part": "a", "n_tokens": True}], "n_tokens is a whole number, not True"),
        ([{"part": "a", "n_tokens": "3"}], "n_tokens is a whole number, not '3'"),
    ],
)
def test_what_is_no_data_is_a_type_error(rows: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pw.plot(rows, kind="budget")


def test_a_tokenizer_is_drawn_as_nothing_else() -> None:
    with pytest.raises(ValueError, match="a tokenizer alone is drawn as token-lengths, not as bars"):
        pw.plot(pw.load("qwen3"), kind="bars")


class Result:
    """A result of another room, as far as charts go."""

    chart_kinds = ("premium", "heat-map")

    def chart_rows(self, kind: str) -> list[dict[str, Any]]:
        assert kind in self.chart_kinds
        return PREMIUMS


def test_a_result_is_drawn_as_what_it_says_it_is() -> None:
    assert pw.plot(Result(), reference="English").to_dict() == draw("premium", reference="English").to_dict()
    assert pw.plot(Result(), kind="heat-map").to_dict() == draw("heat-map").to_dict()
    with pytest.raises(ValueError, match="this Result is drawn as premium, heat-map, not as bars"):
        pw.plot(Result(), kind="bars")


def test_a_comparison_is_drawn_with_its_figures_and_its_label() -> None:
    comparison = pw.compare(["qwen3", "o200k_base"], samples="parallel")
    chart = pw.plot(comparison)
    assert chart.kind == "heat-map"
    assert chart.to_dict()["title"]["subtitle"] == comparison.label
    assert "not evidence" in str(comparison.label)
    cells = datasets(chart)["cells"]
    assert len(cells) == 41 * 2
    assert {cell["premium"] for cell in cells if cell["language"] == "English"} == {1.0}
    # The pictures of the documents find the same without the room of measures.
    twin = {(row["language"], row["tokenizer"]): row["premium"] for row in picture_data.premiums()}
    for cell in cells:
        assert cell["premium"] == pytest.approx(twin[cell["language"], cell["tokenizer"]])
    points = datasets(pw.plot(comparison, kind="premium", reference="English"))["points"]
    assert all(point["low"] <= point["premium"] <= point["high"] for point in points)
    assert len(datasets(pw.plot(comparison, kind="bars"))["bars"]) == 82


@pytest.mark.parametrize("kind", ["heat-map", "premium", "bars"])
def test_figures_of_lost_text_have_a_star(kind: Any, tmp_path: Path) -> None:
    texts = {"en": ["Hello there", "A cat"], "zh": ["你好世界", "一只猫"]}
    chart = pw.plot(pw.compare(["t5", "qwen3"], texts), kind=kind)
    (rows,) = [rows for name, rows in datasets(chart).items() if name != "one"]
    lost = {(row["tokenizer"], row.get("language", row.get("content"))): row["n_unknown"] for row in rows}
    assert lost["t5", "zh"] > 0
    assert [n for at, n in lost.items() if at != ("t5", "zh")] == [0, 0, 0]
    assert "* text is lost to unknown tokens" in chart.to_dict()["title"]["subtitle"]
    svg = chart.save(tmp_path / "chart.svg").read_text(encoding="utf-8")
    # One figure has it; the line under the title is the other place.
    assert len(re.findall(r">[0-9.]*\*</text>", svg)) == 1
    whole = pw.plot(pw.compare(["qwen3"], texts), kind=kind)
    assert "subtitle" not in whole.to_dict()["title"]
    assert "*" not in json.dumps(whole.to_dict())


def test_a_measure_is_called_what_it_is() -> None:
    # Of "a", "é" and a rocket, which is cut into bytes, two characters stand whole in a token.
    result = pw.compare("qwen3", {"x": "a é \U0001f9ff"})
    assert result.cells[0].coverage == pytest.approx(2 / 3)
    chart = pw.plot(result, kind="bars", measure="coverage").to_dict()
    assert "characters that stand whole in a token" in json.dumps(chart)


@pytest.mark.parametrize("name", ["chart.pdf", "chart", "chart.svg.gz"])
def test_a_suffix_without_a_format_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a chart is saved as \.svg, \.png, \.html, \.json"):
        draw("bars").save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "chart.svg"
    path.write_text("before", encoding="utf-8")

    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(pw.OutputError, match="No space left"):
        draw("bars").save(path)
    assert [(found, found.read_text(encoding="utf-8")) for found in tmp_path.iterdir()] == [(path, "before")]


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_a_missing_extra_is_named_with_the_line_that_installs_it(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = draw("bars")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(pw.MissingExtraError, match=r'pip install "piecework\[plots\]"') as raised:
        draw("bars") if module == "altair" else chart.save(tmp_path / "x.svg")
    assert raised.value.module == module
    assert list(tmp_path.iterdir()) == []
    assert chart.save(tmp_path / "x.json").exists(), "the definition needs nothing more"


def test_no_picture_fetches_data(tmp_path: Path) -> None:
    chart = pw.Chart(
        "x", "x", {"data": {"url": "http://127.0.0.1:9/rows.json"}, "mark": "bar", "datasets": {}}
    )
    with pytest.raises(pw.OutputError, match="no picture can be made"):
        chart.save(tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []
