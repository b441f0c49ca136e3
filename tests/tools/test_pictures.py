"""The pictures in the documents are those that the script makes now, and the documents show each of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import piecework as pw
from tools import make_pictures, picture_data

ROOT = Path(__file__).resolve().parents[2]


def test_pictures_are_what_is_made_now() -> None:
    assert make_pictures.differing() == [], "run `make docs-pictures` and look at them"


def test_document_shows_each_picture() -> None:
    document = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(pictures/([\w-]+\.svg)\)", document))
    assert shown == {name for name in make_pictures.PICTURES if name.endswith(".svg")}


def test_letters_of_every_picture_are_in_its_font() -> None:
    """Latin alone: a sign that the font lacks is drawn from whatever the machine has, or as a box."""
    for path in make_pictures.FOLDER.glob("*.svg"):
        words = re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))
        assert words
        assert all(ord(char) < 0x250 or char == "−" for word in words for char in word), path.name


@pytest.mark.parametrize("text", [" castanha", " the", "    ", " 🚀", "🚀", " rápida"])
def test_plain_replay_is_what_the_trace_draws(text: str) -> None:
    rows = picture_data.merges("qwen3", text)
    trace = pw.load("qwen3").explain(text)
    nodes = pw.plot(trace).to_dict()["datasets"]["nodes"]
    for column in ("left", "right", "rank"):
        assert [node[column] for node in nodes] == [row.get(column) for row in rows]


def test_plain_lattice_is_what_the_trace_draws() -> None:
    rows = picture_data.lattice("t5", "▁tokenization")
    drawn = pw.plot(pw.load("t5").explain("tokenization"), kind="lattice").to_dict()["datasets"]["edges"]
    expected = pw.plot(rows, kind="lattice").to_dict()["datasets"]["edges"]
    assert [(edge["text"], edge["id"], edge["path"]) for edge in drawn] == [
        (edge["text"], edge["id"], edge["path"]) for edge in expected
    ]
    assert [edge["score"] for edge in drawn] == pytest.approx([edge["score"] for edge in expected], rel=1e-5)


def test_check_names_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_pictures, "FOLDER", tmp_path)
    names = ("budget.svg", "conversation.svg")
    monkeypatch.setattr(make_pictures, "PICTURES", {name: make_pictures.PICTURES[name] for name in names})
    (tmp_path / "budget.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "old.svg").write_text("<svg/>", encoding="utf-8")
    assert make_pictures.differing() == ["budget.svg", "conversation.svg", "old.svg"]
    assert make_pictures.main([]) == 0
    (tmp_path / "old.svg").unlink()
    assert make_pictures.main(["--check"]) == 0
    assert make_pictures.main(["--nothing"]) == 2
