"""A comparison in a notebook: real tables without scripts, whatever the texts hold."""

from __future__ import annotations

from html.parser import HTMLParser

import piecework as pw


class Tables(HTMLParser):
    """Reads HTML; each tag must close what was opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a row or a cell."""
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Closes what is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text of a cell."""
        if self.open and self.open[-1] in {"td", "th"}:
            self.rows[-1][-1] += data


def test_a_notebook_shows_tables() -> None:
    tables = Tables(pw.compare("qwen3", "fox", keys=["hi"])._repr_html_())
    assert ["Hindi", "1", "59", "155", "12", "58", "2.67", "4.83", "4.14"] in tables.rows
    assert tables.tags == {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}


def test_no_text_becomes_a_tag() -> None:
    texts = {"en": ["One cat.", "x"], "<script>alert(1)</script>": ["Un\x1b[31m chat.", ""]}
    result = pw.compare(["qwen3", "gpt2"], texts, worst=["<script>alert(1)</script>"])
    tables = Tables(result._repr_html_())
    assert "script" not in tables.tags
    assert "<script>alert(1)</script>" in {row[0] for row in tables.rows}
    assert "\x1b" not in result._repr_html_()


def test_a_tokenizer_without_a_premium_has_no_length_either() -> None:
    # White space alone is no token of BERT, but of gpt2.
    result = pw.compare(["gpt2", "bert-base-uncased"], {"en": ["\n"], "fr": ["Un chat"]}, keep_suspect=True)
    assert result.cell("gpt2", "fr").premium is not None
    assert result.cell("bert-base-uncased", "fr").premium is None
    row = result.table("md", extrapolate=10).split("in other languages")[1].splitlines()[4]
    assert row.split("|")[1:-1][0::3] == [" fr ", " - "]
