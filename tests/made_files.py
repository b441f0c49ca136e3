"""Tokenizer files that are made from fetched ones, where no fetched one has what a test is about."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tools.fixtures import fixture

__all__ = ["llama3_with_begin"]


def llama3_with_begin(folder: Path) -> Path:
    """Llama 3's tokenizer.json with the post-processor that its publisher's later files have: it adds a begin token.

    Args:
        folder: Where it is written.
    """
    path = folder / "tokenizer.json"
    path.write_bytes(_content())
    return path


@cache
def _content() -> bytes:
    value = json.loads(fixture("llama3/tokenizer.json").read_bytes())
    begin = "<|begin_of_text|>"
    single = [{"SpecialToken": {"id": begin, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    second = [{"SpecialToken": {"id": begin, "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}]
    template = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": single + second,
        "special_tokens": {begin: {"id": begin, "ids": [128000], "tokens": [begin]}},
    }
    value["post_processor"] = {"type": "Sequence", "processors": [value["post_processor"], template]}
    return json.dumps(value, ensure_ascii=False).encode()
