"""The golden files: that the references still give them, and that so do we."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from tools import fixtures
from tools.make_goldens import FOLDER, fetched_text, golden, ids_sha256

GOLDENS = sorted(FOLDER.glob("*.json"))


def test_every_bundled_tokenizer_has_one() -> None:
    assert {path.stem for path in GOLDENS} == {
        "r50k_base",
        "p50k_base",
        "p50k_edit",
        "cl100k_base",
        "o200k_base",
        "o200k_harmony",
        "qwen3",
        "bert-base-uncased",
        "t5",
    }


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_the_reference_still_gives_it(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8")) == golden(path.stem)


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_ids(path: Path, root: Path) -> None:
    expected: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    tok = pw.load(expected["tokenizer"])
    for row in expected["texts"]:
        assert tok.ids(row["text"]) == row["ids"], row["text"]
    for row in expected["files"]:
        text = (root / row["path"]).read_text(encoding="utf-8")
        assert hashlib.sha256(text.encode()).hexdigest() == row["sha256"], row["path"]
        assert ids_sha256(tok.ids(text)) == row["ids_sha256"], row["path"]
    for row in expected["fetched"]:
        text = fetched_text(fixtures.text_file(row["set"], row["name"]))
        assert hashlib.sha256(text.encode()).hexdigest() == row["sha256"], row["name"]
        assert ids_sha256(tok.ids(text)) == row["ids_sha256"], row["name"]
