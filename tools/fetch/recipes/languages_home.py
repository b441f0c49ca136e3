"""More text in many languages, for measurements of fifty megabytes: what a home's devices say, translated by people."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from tools.fetch.recipes.languages import language_texts, leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.fetch.store import Archive

_CAP_BYTES = 400_000


def languages_home(archives: Mapping[str, Archive]) -> dict[str, str]:
    """One text for each language (English apart) with enough text, capped so that none outweighs the others."""
    archive = archives["homeassistant"]
    lines: dict[str, list[str]] = defaultdict(list)
    for name in archive.names():
        match = re.fullmatch(r"homeassistant/components/.*/translations/([\w-]+)\.json", name)
        if match:
            lines[match[1]] += leaves(json.loads(archive.read(name)))
    english = {line for language in list(lines) if language.startswith("en") for line in lines.pop(language)}
    return language_texts(lines, english, _CAP_BYTES)
