"""Makes the golden files: ids by the reference libraries, for tests that run without them.

`python -m tools.make_goldens` writes tests/golden/NAME.json, one for each bundled tokenizer; `--check` compares.
Each names the library, its version and the hash of the tokenizer's file. Texts of this repository stand in it with
their ids; of fetched texts only hashes do, of the text and of the ids, for the texts are not ours to copy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import tokenizers

from tools import fixtures, pack_whole, references

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "golden"
_FETCHED_BYTES = 50_000

# Texts whose ids say the most: one for each rule of the patterns, each kind of white space, each way to be broken up.
TEXTS = (
    "",
    "a",
    " ",
    "\n",
    " \n",
    "a  b",
    "def f():\n    return  1",
    "I'm, you'LL, it'ſ; 1969 2026-09-12 3.14159 1,000,000",
    "A raposa preguiçosa: 1969 🚀",
    "HTTPServer fooBar ABCdef ǅx ʰa",
    "नमस्ते दोस्त ไทย 中文 日本語 한국어 עברית",
    "é e\u0301 \u1112\u1161\u11ab \u212b \u0301x",
    "\t\t\x0b\x85\u2028\u3000 end \r\n\r\n  \n",
    "Write <|endoftext|> at the end, <|im_start|>user",
    "a\0b \U0001f468\u200d\U0001f469\u200d\U0001f467 🇧🇷🚀",
    "https://example.com/a//b?c=d&e=%20f#g\n//\n",
)

Encode = Callable[[str], list[int]]


def ids_sha256(ids: Iterable[int]) -> str:
    """The hex SHA-256 of ids as little-endian uint32."""
    return hashlib.sha256(b"".join(struct.pack("<I", id_) for id_ in ids)).hexdigest()


def golden(name: str) -> dict[str, Any]:
    """What the golden file of one bundled tokenizer holds."""
    tool, source, encode = _reference(name)
    # The configs of models are no texts to read.
    examples = sorted(
        path
        for path in (ROOT / "examples").rglob("*")
        if path.suffix in {".txt", ".json", ".py"} and path.parent.name != "configs"
    )
    files = [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in examples]
    return {
        "tool": f"{tool} {metadata.version(tool)}",
        "tokenizer": name,
        "source": source,
        "source_sha256": fixtures.fixture_sha256(source),
        "texts": [{"text": text, "ids": encode(text)} for text in TEXTS],
        "files": [
            {"path": path, "sha256": _sha256(text), "ids_sha256": ids_sha256(encode(text))}
            for path, text in files
        ],
        "fetched": [_fetched(file, encode) for file in _fetched_files()],
    }


def fetched_text(file: fixtures.TextFile) -> str:
    """The part of a fetched text that a golden file speaks of."""
    return file.path.read_bytes()[:_FETCHED_BYTES].decode("utf-8", "ignore")


def _fetched(file: fixtures.TextFile, encode: Encode) -> dict[str, str]:
    text = fetched_text(file)
    return {
        "set": file.set,
        "name": file.name,
        "sha256": _sha256(text),
        "ids_sha256": ids_sha256(encode(text)),
    }


def _fetched_files() -> list[fixtures.TextFile]:
    sets = ("english", "code", "languages", "emoji")
    return [file for text_set in sets for file in fixtures.text_set(text_set)]


def _reference(name: str) -> tuple[str, str, Encode]:
    if name in pack_whole.FILES:
        file = pack_whole.FILES[name]
        return "tokenizers", file, _without_controls(json.loads(fixtures.fixture(file).read_bytes()))
    if name == "qwen3":
        # Without its added tokens: the library's own switch for text still matches those that are not `special`.
        description = json.loads(fixtures.fixture("qwen3/tokenizer.json").read_bytes())
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps({**description, "added_tokens": []}))
        return (
            "tokenizers",
            "qwen3/tokenizer.json",
            lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        )
    encoding = references.tiktoken_encoding(name)
    shared = {"p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}
    return "tiktoken", f"tiktoken/{shared.get(name, name)}.tiktoken", encoding.encode_ordinary


def _without_controls(description: dict[str, Any]) -> Encode:
    """The reference, with the added tokens taken from it and from the model's vocabulary: what spells one is text."""
    added = {token["content"]: f"\U0010ffff{token['id']}" for token in description["added_tokens"]}
    model = description["model"]
    if isinstance(model["vocab"], list):
        model["vocab"] = [[added.get(piece, piece), score] for piece, score in model["vocab"]]
    else:
        unk = model["unk_token"]
        kept = {piece: spelled for piece, spelled in added.items() if piece != unk}
        model["vocab"] = {kept.get(piece, piece): token_id for piece, token_id in model["vocab"].items()}
    bare = {**description, "added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(bare))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    """Writes the golden files, or compares them; 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.make_goldens", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is there and write nothing")
    check = parser.parse_args().check
    names = (
        "r50k_base",
        "p50k_base",
        "p50k_edit",
        "cl100k_base",
        "o200k_base",
        "o200k_harmony",
        "qwen3",
        *pack_whole.FILES,
    )
    different = []
    for name in names:
        path = FOLDER / f"{name}.json"
        content = json.dumps(golden(name), ensure_ascii=True, indent=1) + "\n"
        if not check:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != content:
            different.append(name)
    if different:
        print(f"golden files that the references no longer give: {', '.join(different)}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
