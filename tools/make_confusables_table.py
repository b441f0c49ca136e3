"""Makes `piecework/_safety/confusables.py`: the characters that look like one of ASCII, without those that NFKC maps to it.

The source is Unicode's confusables.txt (Unicode Technical Standard 39), as the package confusable_homoglyphs repeats it:
for each character a list of those that it can be confused with. `--check` compares with the file that is there.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import unicodedata2

from tools.fixtures import fixture

TARGET = Path(__file__).parents[1] / "python" / "piecework" / "_safety" / "confusables.py"

HEAD = '''"""Characters that look like one of ASCII. Made by tools/make_confusables_table.py; do not edit.

Source: Unicode's confusables.txt (Unicode Technical Standard 39), through confusable_homoglyphs 3.3.1; without the
characters that NFKC itself maps to ASCII. See NOTICE for the license of Unicode's data.
"""

from __future__ import annotations

__all__ = ["LOOKS_LIKE"]

# Each row: a character of ASCII, and the characters that look like it.
# fmt: off
LOOKS_LIKE = (
'''

_WIDTH = 80


def table(confusables: dict[str, list[dict[str, str]]]) -> dict[str, list[str]]:
    """Returns the characters that look like each one of ASCII, in the order of their code points."""
    found: dict[str, list[str]] = defaultdict(list)
    for char, others in sorted(confusables.items()):
        if len(char) != 1 or char.isascii() or unicodedata2.normalize("NFKC", char).isascii():
            continue
        ascii_ones = sorted(other["c"] for other in others if len(other["c"]) == 1 and other["c"].isascii())
        if ascii_ones and unicodedata2.category(char)[0] != "M":
            found[ascii_ones[0]].append(char)
    return dict(sorted(found.items()))


def module(rows: dict[str, list[str]]) -> str:
    """Returns the text of the Python module."""
    lines = [HEAD.rstrip("\n")]
    for char, alike in rows.items():
        escapes = [ascii(one)[1:-1] for one in alike]
        parts, line = [], ""
        for escape in escapes:
            if len(line) + len(escape) > _WIDTH:
                parts.append(line)
                line = ""
            line += escape
        parts.append(line)
        quoted = json.dumps(char)
        if len(parts) == 1:
            lines.append(f'    ({quoted}, "{parts[0]}"),')
            continue
        rows_of_parts = [f'            "{part}"' for part in parts]
        lines += ["    (", f"        {quoted},", "        (", *rows_of_parts, "        ),", "    ),"]
    return "\n".join([*lines, ")", ""])


def main() -> int:
    """Writes the module, or with `--check` says whether it is what would be written."""
    text = module(table(json.loads(fixture("unicode/confusables.json").read_text("utf-8"))))
    if "--check" in sys.argv[1:]:
        if TARGET.read_text("utf-8") != text:
            print(f"{TARGET} is not what tools/make_confusables_table.py makes", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
