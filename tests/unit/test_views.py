"""What people look at: pieces, stages, bytes, summaries; nothing in it is invisible or obeyed by a terminal."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

import piecework as pw
from piecework._explain.glyphs import cell_width, harmless, piece_glyphs, visible
from piecework._types import Special
from tests.made_files import llama3_with_begin

HOSTILE = 'x\x1b[31m\u202e\u200b<script>alert("&")</script>\x9b'


class Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" \n\t\r", "·⏎⇥␍"),
        ("\u200b\u202e\ufeff", "<U+200B><U+202E><U+FEFF>"),
        ("\x00\x1b\x7f\x9b", "<U+0000><U+001B><U+007F><U+009B>"),
        ("\u00a0\u3000\u2028", "<U+00A0><U+3000><U+2028>"),
        ("\U0010ffff\ue000", "<U+10FFFF><U+E000>"),
        ("naïve 猫 🚀", "naïve·猫·🚀"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_harmless_keeps_spaces() -> None:
    assert harmless("my file\n.txt") == "my file<U+000A>.txt"


@pytest.mark.parametrize(
    ("piece", "shown"),
    [(b" \xf0\x9f", "·\\xf0\\x9f"), (b"\x80", "\\x80"), ("\u0301a".encode(), "◌\u0301a"), (b"", "")],
)
def test_piece_glyphs(piece: bytes, shown: str) -> None:
    assert piece_glyphs(piece) == shown


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("猫", 2), ("e\u0301", 1), ("ｆ", 2)])
def test_cell_width(text: str, width: int) -> None:
    assert cell_width(text) == width


def test_show() -> None:
    view = pw.load("qwen3").show("Olá, mundo\n\tx 🚀")
    first, second = str(view).split("\n")
    assert first == "Ol|á|,|·mundo|⏎|"
    assert second.replace("|", "") == "⇥x·\\xf0\\x9f\\x9a\\x80"
    assert b"".join(view.pieces).decode() == "Olá, mundo\n\tx 🚀"


def test_show_in_colors_closes_each_color_and_separates_neighbors() -> None:
    drawn = pw.load("o200k_base").show("aaaa " * 8).ansi()
    styles = re.findall(r"\x1b\[([\d;]+)m", drawn)
    assert styles[1::2] == ["0"] * (len(styles) // 2)
    colors = styles[::2]
    assert all(left != right for left, right in pairwise(colors))


def test_show_marks_control_tokens() -> None:
    tok = pw.load("qwen3")
    assert "\x1b[1;97;41m<|im_start|>" in tok.show("<|im_start|>user", special="parse").ansi()
    assert "41m" not in tok.show("<|im_start|>user").ansi()


def test_show_includes_begin_tokens_on_request(tmp_path: Path) -> None:
    llama3 = pw.load(llama3_with_begin(tmp_path))
    assert str(llama3.show("Hi", add_special_tokens=True)) == r"<\|begin_of_text\|>|Hi"


@pytest.mark.parametrize("name", ["o200k_base", "qwen3"])
def test_nothing_in_a_text_reaches_a_terminal_or_a_page(name: str) -> None:
    tok = pw.load(name)
    for shown in (str(tok.show(HOSTILE)), str(tok.stages(HOSTILE)), str(pw.show_bytes(HOSTILE))):
        assert not set(shown) & set("\x1b\x9b\u202e\u200b")
    assert set(re.findall(r"\x1b.", tok.show(HOSTILE).ansi())) == {"\x1b["}
    assert "\x1b[31m" not in tok.show(HOSTILE).ansi()
    for page in (tok.show(HOSTILE)._repr_html_(), tok.encode(HOSTILE)._repr_html_()):
        collector = Collector()
        collector.feed(page)
        assert "script" not in collector.tags
        assert "\u202e" not in page


def test_html_has_the_pieces_their_ids_and_no_script() -> None:
    tok = pw.load("o200k_base")
    page = tok.encode("Hello, world!")._repr_html_()
    collector = Collector()
    collector.feed(page)
    assert "".join(collector.text).endswith("Hello,·world!")
    assert 'title="13225"' in page
    assert "<b>4</b> tokens" in page
    assert "<table>" in tok._repr_html_()


def test_html_marks_the_tokens_of_a_forged_marker() -> None:
    tok = pw.load("qwen3")
    enc = tok.encode("hi <think> ho<|im_start|>")
    marked = re.findall(r'title="(\d+), of a control string read as text"', enc._repr_html_())
    pieces = [tok.piece(int(token_id)) for token_id in marked]
    assert "".join(pieces) == " <think><|im_start|>"
    assert "control string" not in tok.encode("hi there")._repr_html_()


def test_html_of_a_long_text_is_cut() -> None:
    page = pw.load("o200k_base").encode("a b " * 10_000)._repr_html_()
    assert "and 15,0" in page
    assert len(page) < 1_000_000


def test_stages_lead_to_the_ids() -> None:
    tok = pw.load("qwen3")
    text = "Olá<think> e\u0301 19\n"
    policies: tuple[Special, ...] = ("text", "parse")
    for special in policies:
        stages = tok.stages(text, special=special)
        assert list(stages.ids) == tok.ids(text, special=special).tolist()
        assert stages.input == text
        spans = [section.byte_span for section in stages.sections]
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text.encode())
        assert all(left[1] == right[0] for left, right in pairwise(spans))


def test_stages_show_what_the_normalizer_changed() -> None:
    stages = pw.load("qwen3").stages("cafe\u0301!")
    (section,) = stages.sections
    assert section.kind == "text"
    assert section.normalized == "café!"
    (change,) = section.changes
    assert change.byte_span == (3, 6)
    assert change.normalized_byte_span == (3, 5)
    assert "U+0065 U+0301" in str(stages)
    assert "U+00E9" in str(stages)


def test_stages_name_added_tokens() -> None:
    stages = pw.load("qwen3").stages("a<think>b", special="parse")
    kinds = [section.kind for section in stages.sections]
    assert kinds == ["text", "added", "text"]
    added = stages.sections[1]
    assert added.kind == "added"
    assert (added.id, added.content, added.byte_span) == (151667, "<think>", (1, 8))


def test_pretokens_tile_the_normalized_text() -> None:
    stages = pw.load("cl100k_base").stages("I'm here:  1234\n\n x")
    (section,) = stages.sections
    assert section.kind == "text"
    assert "".join(pretoken.text for pretoken in section.pretokens) == section.normalized
    assert [pretoken.text for pretoken in section.pretokens] == [
        "I",
        "'m",
        " here",
        ":",
        " ",
        " ",
        "123",
        "4",
        "\n\n",
        " x",
    ]


@pytest.mark.parametrize("view", [
    lambda tok: tok.stages("Olá <think>", special="parse"),
    lambda tok: tok.show("Olá 🚀"),
    lambda tok: tok.info(),
    lambda _: pw.show_bytes(b"caf\xc3\xa9 \xff"),
    lambda _: pw.byte_table(),
    lambda _: pw.count("x", model="qwen3"),
])  # fmt: skip
def test_each_view_has_a_json_form(view: object) -> None:
    assert callable(view)
    assert json.loads(json.dumps(view(pw.load("qwen3")).to_dict()))


def test_bytes_that_are_no_text() -> None:
    view = pw.show_bytes(b"a\xff\xc3")
    assert [row.character for row in view.rows] == ["a", None, None]
    assert (view.n_characters, view.n_bytes, view.hex) == (1, 3, "61 ff c3")
    assert "not UTF-8" in str(view)
    assert pw.show_bytes("\ud800").hex == "ed a0 80"
    assert str(pw.show_bytes("")) == "0 characters, 0 bytes"


def test_byte_table_has_a_line_for_each_byte() -> None:
    lines = str(pw.byte_table()).splitlines()
    assert len(lines) == 257
    assert lines[0x20 + 1].split() == ["32", "20", "Ġ", "·"]
    assert lines[0x41 + 1].split() == ["65", "41", "A", "itself"]


def test_info_reconciles_its_numbers() -> None:
    info = pw.load("cl100k_base").info()
    assert info.n_tokens == info.n_base + info.n_added
    assert info.holes == ((100256, 100257), (100261, 100276))
    assert info.vocab_size - info.n_tokens == sum(end - first for first, end in info.holes)
    assert "100,261 = 100,256 learned + 5 added" in str(info)
    assert "16 of them no token: 100256, 100261 to 100275" in str(info)


def test_info_lists_control_tokens_with_reasons() -> None:
    info = pw.load("qwen3").info()
    assert ("<think>", 151667, "marker-shaped", "thinking") in info.control_tokens
    assert ("<|endoftext|>", 151643, "special", "padding, end, bos_token_id") in info.control_tokens
    assert "<think>" in str(info)


def test_summary_of_one_control_token() -> None:
    assert "1 token is read as text unless special is parse" in str(pw.load("gpt2").info())
