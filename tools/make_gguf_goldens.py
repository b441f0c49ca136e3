"""Makes the golden files of GGUF: ids by llama.cpp, for tests that run without it.

`python -m tools.make_gguf_goldens` writes tests/golden/gguf/NAME.json for each GGUF file of the fixtures, with the
environment of tools.llama_cpp_env. Our own texts stand in them with their ids; of generated texts only the hash of
all their ids does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools import fixtures
from tools.gguf_texts import GGUFS, generated
from tools.llama_cpp_env import VERSION, llama_ids
from tools.make_goldens import TEXTS, ids_sha256

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden" / "gguf"
N_GENERATED = 2000

# As encoding calls them: whether begin and end are added, and what becomes of control tokens.
WAYS = ({"add_special": False, "parse_special": False}, {"add_special": True, "parse_special": True})


def golden(name: str) -> dict[str, Any]:
    """What the golden file of one GGUF file holds."""
    source = f"gguf/{name}.gguf"
    ways = []
    for way in WAYS:
        ids = llama_ids(fixtures.fixture(source), [*TEXTS, *texts(name)], **way)
        shown, hashed = ids[: len(TEXTS)], ids[len(TEXTS) :]
        rows = [{"text": text, "ids": row} for text, row in zip(TEXTS, shown, strict=True)]
        ways.append({**way, "texts": rows, "ids_sha256": joined_sha256(hashed)})
    return {
        "tool": f"llama-cpp-python {VERSION}",
        "source": source,
        "source_sha256": fixtures.fixture_sha256(source),
        "n_generated": N_GENERATED,
        "ways": ways,
    }


def texts(name: str) -> list[str]:
    """The generated texts that a golden file speaks of.

    Those with what looks like a control token are left out: in some files llama.cpp takes them for one even where it is
    told not to.
    """
    generated_texts = generated(N_GENERATED, seed=len(name))
    return [text for text in generated_texts if "<" not in text and "[" not in text]


def joined_sha256(rows: Iterable[list[int] | None]) -> str:
    """The hash of many texts' ids, in order, each text's ended by an id that is none."""
    return ids_sha256(id_ for row in rows for id_ in [*(row or []), 0xFFFFFFFF])


def main() -> int:
    """Writes the golden files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in GGUFS:
        content = json.dumps(golden(name), ensure_ascii=True, indent=1) + "\n"
        (FOLDER / f"{name}.json").write_text(content, encoding="utf-8")
        print(name, file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
