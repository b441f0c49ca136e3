"""`--plot`: a picture of what was found, or a word before the work about why there is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize("suffix", ["svg", "png", "html", "json"])
def test_explain_draws_the_merges(run: Run, folder: Path, suffix: str) -> None:
    path = folder / f"merges.{suffix}"
    result = run("explain", "--text", " castanha", "-m", "qwen3", "--plot", str(path))
    assert result.code == 0, result.err
    assert f"{path}: The merges of ·castanha" in result.err
    assert list(folder.iterdir()) == [path]
    if suffix == "json":
        nodes = json.loads(path.read_text(encoding="utf-8"))["datasets"]["nodes"]
        assert [node["rank"] for node in nodes if node["rank"] is not None] == [11, 16, 20, 303, 3967, 6055]
        assert [node["id"] for node in nodes if node["is_token"]] == [276, 4223, 6311]


def test_explain_draws_the_pretoken_that_is_chosen(run: Run, folder: Path) -> None:
    for chosen in (["--word", "raposa"], ["--pretoken", "1"]):
        path = folder / "merges.json"
        result = run("explain", "--text", "A raposa 🚀", "-m", "qwen3", *chosen, "--plot", str(path), "-q")
        assert result.code == 0, result.err
        assert "·raposa" in json.loads(path.read_text(encoding="utf-8"))["title"]["text"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "x.pdf"], "a chart is saved as .svg, .png, .html, .json"),
        (["--plot", "-"], "a file without a suffix"),
        (["--stages", "--plot", "x.svg"], "--plot draws the merges or the lattice of one text"),
        (["--quirks", "--plot", "x.svg"], "--quirks is a view of its own: it takes no --plot"),
    ],
)
def test_what_cannot_be_drawn_is_a_usage_error(run: Run, arguments: list[str], message: str) -> None:
    result = run("explain", "--text", " castanha", "-m", "qwen3", *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == b""


def test_a_model_without_a_picture_says_so(run: Run, folder: Path) -> None:
    result = run("explain", "--text", "cats", "-m", "bert-base-uncased", "--plot", str(folder / "x.svg"))
    assert result.code == 2
    assert "error[output]: this cannot be drawn: there is nothing to draw" in result.err
    assert list(folder.iterdir()) == []


def test_a_missing_extra_is_named_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    result = run("explain", "--text", " castanha", "-m", "qwen3", "--plot", "x.svg")
    assert 'pip install "piecework[plots]"' in result.err
    assert result.out == b""


@pytest.mark.parametrize(
    ("arguments", "kind", "dataset"),
    [
        (["--samples", "parallel", "--lang", "hi"], "heat-map", "cells"),
        (["--samples", "kinds"], "bars", "bars"),
        (["--samples", "parallel", "--lang", "hi", "--plot-kind", "premium"], "premium", "points"),
    ],
)
def test_compare_draws_what_it_printed(
    run: Run, folder: Path, arguments: list[str], kind: str, dataset: str
) -> None:
    path = folder / "compared.json"
    result = run("compare", "-m", "qwen3", *arguments, "--plot", str(path))
    assert result.code == 0, result.err
    assert f"({kind}: " in result.err
    rows = json.loads(path.read_text(encoding="utf-8"))["datasets"][dataset]
    assert {row["tokenizer"] for row in rows} == {"qwen3"}


def test_a_kind_without_a_file_is_a_usage_error(run: Run) -> None:
    result = run("compare", "-m", "qwen3", "--plot-kind", "bars")
    assert result.code == 2
    assert "--plot-kind says how to draw; --plot FILE says where to" in result.err
