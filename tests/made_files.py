"""Tokenizer files that are made from fetched ones, where no fetched one has what a test is about."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from piecework._core import byte_alphabet
from tools.fixtures import fixture

__all__ = ["llama3_with_begin", "model_folder", "small_byte_level"]


def small_byte_level(*added: tuple[str, bool]) -> bytes:
    """A tokenizer.json with a token for each byte, "he" and "ll", and these added tokens (content, special)."""
    letters = byte_alphabet()
    vocab = {letter: id_ for id_, letter in enumerate([*letters, "he", "ll"])}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    tokens = [
        {"id": len(vocab) + at, "content": content, "special": special, **flags}
        for at, (content, special) in enumerate(added or (("<|end|>", True),))
    ]
    value = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": None,
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": True,
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["h e", "l l"]},
    }
    return json.dumps(value).encode()


def model_folder(folder: Path, **files: object) -> Path:
    """A folder with `small_byte_level` and these files: `generation_config={...}` is its JSON, bytes are as they are.

    A name's last underscore before `json`, `jinja`, `txt` or `safetensors` is the dot; without one it is a JSON file's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    contents: dict[str, object] = {"tokenizer_json": small_byte_level(), **files}
    for name, content in contents.items():
        stem, _, ending = name.rpartition("_")
        path = folder / (
            f"{stem}.{ending}" if ending in {"json", "jinja", "txt", "safetensors"} else f"{name}.json"
        )
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder


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
