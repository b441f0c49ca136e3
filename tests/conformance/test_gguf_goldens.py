"""GGUF files give the ids that llama.cpp gave, as golden files have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from piecework import _core
from tools import fixtures
from tools.gguf_texts import GGUFS
from tools.make_gguf_goldens import FOLDER, joined_sha256, texts

GOLDENS = sorted(FOLDER.glob("*.json"))


def test_every_file_has_one() -> None:
    assert tuple(path.stem for path in GOLDENS) == GGUFS


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_ids(path: Path) -> None:
    expected: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert fixtures.fixture_sha256(expected["source"]) == expected["source_sha256"]
    tok = _core.Tokenizer.from_gguf(fixtures.fixture(expected["source"]).read_bytes())
    for way in expected["ways"]:
        special: Literal["text", "parse"] = "parse" if way["parse_special"] else "text"
        add = way["add_special"]
        for row in way["texts"]:
            assert list(tok.ids(row["text"], special, add, "strict")) == row["ids"], row["text"]
        found = [list(tok.ids(text, special, add, "strict")) for text in texts(path.stem)]
        assert joined_sha256(found) == way["ids_sha256"]
