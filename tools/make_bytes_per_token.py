"""Makes python/piecework/_data/served/bytes_per_token.tsv: the figures behind estimates for Claude and Gemini.

`python -m tools.make_bytes_per_token` writes it, `--check` compares. Claude's rows come from counts that others took
from the provider's endpoint and published (COUNTED, COMPARED); Gemini's are measured with Gemma 3's tokenizer, which
Google's own library counts with, on the built-in samples. A row's least and most are those of its samples; where there
is one sample, a quarter to either side.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import piecework as pw
from piecework._chat.served.content import LATIN_KINDS, content_bytes
from piecework._measure.bundled import built_in
from tools.fixtures import fixture

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "python" / "piecework" / "_data" / "served" / "bytes_per_token.tsv"

CODECAMP = "claudecodecamp.com, 'I measured Claude 4.7's new tokenizer' (count_tokens)"
KOMATSUZAKI = "A. Komatsuzaki, 'The Bitter Lesson' in 9 languages under 6 tokenizers"
SOL = "sol.ava.dev, 'what's actually different about the Opus 4.7 tokenizer': same count as 4.6"
GEMMA = "Gemma 3's tokenizer (Google's google-genai counts gemini-2.0 to 3-pro-preview with it) on the built-in samples"
NOT_COUNTED = (
    "no count is published; the more frugal of o200k_base and Gemma 3 on the built-in samples, with a quarter to spare: "
    f"both took fewer tokens than Claude in each language of {KOMATSUZAKI}"
)

# Kind of text: characters, tokens under Opus 4.6, tokens under Opus 4.7. All are ASCII but for the last three, whose
# bytes are not given: Spanish has 1.03 a character as our own Spanish sample has, Japanese and Chinese have 3.
COUNTED = {
    "prose": (
        (2_202, 508, 611), (2_541, 478, 704), (5_000, 1_209, 1_654), (4_405, 1_122, 1_541), (2_378, 604, 812),
        (5_000, 1_399, 2_021),
    ),
    "code": (
        (2_632, 1_033, 1_436), (4_418, 1_208, 1_640), (3_182, 864, 1_112), (4_540, 1_226, 1_486),
        (5_255, 1_736, 2_170), (2_853, 910, 1_223), (2_210, 652, 842),
    ),
    "json": ((48_067, 13_939, 15_706), (2_521, 738, 826)),
    "numbers": ((9_546, 5_044, 5_414),),
    "accented": ((round(2_529 * 1.03), 733, 986),),
    "Jpan": ((993 * 3, 856, 866),),
    "Hani": ((750 * 3, 779, 789),),
}  # fmt: skip

# Tokens of the same text under Claude and under o200k_base, both as multiples of the English under o200k_base.
COMPARED = {"Cyrl": (2.04, 1.31, "ru"), "Arab": (2.86, 1.31, "ar"), "Deva": (3.24, 1.37, "hi")}

ONE_SAMPLE = 0.25
COLUMNS = ("generation", "content", "bytes_per_token", "least", "most", "n", "basis", "date", "source")


class Row(NamedTuple):
    """A line of the table."""

    generation: str
    content: str
    bytes_per_token: float
    least: float
    most: float
    n: int
    basis: str
    date: str
    source: str

    def line(self) -> str:
        """Returns it with tabs."""
        figures = (f"{figure:.2f}" for figure in self[2:5])
        return "\t".join((*self[:2], *figures, str(self.n), *self[6:]))


def pooled(samples: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Bytes per token of all samples together, and the least and the most of one; bytes and tokens of each are given."""
    together = sum(n_bytes for n_bytes, _ in samples) / sum(n_tokens for _, n_tokens in samples)
    single = [n_bytes / n_tokens for n_bytes, n_tokens in samples]
    if len(single) < 3:
        return together, min(*single, together) * (1 - ONE_SAMPLE), max(*single, together) * (1 + ONE_SAMPLE)
    return together, min(single), max(single)


def gemma3() -> pw.Tokenizer:
    """Gemma 3's tokenizer."""
    return pw.load(str(fixture("gemma3/tokenizer.json")))


def by_content(tokenizer: pw.Tokenizer) -> dict[str, list[tuple[float, float]]]:
    """Bytes and tokens of each built-in sample, under the content that most of it is."""
    found = defaultdict(list)
    for name in ("parallel", "kinds"):
        for text in built_in(name).texts:
            whole = "\n".join(text.rows)
            content = max(content_bytes(whole).items(), key=lambda item: item[1])[0]
            found[content].append((float(len(whole.encode())), float(tokenizer.count(whole))))
    return found


def claude_rows() -> list[Row]:
    """Claude's rows, of both generations."""
    o200k = pw.load("o200k_base")
    measured = by_content(o200k)
    gemma = by_content(gemma3())
    parallel = {text.key: "\n".join(text.rows) for text in built_in("parallel").texts}
    rows = []
    for at, generation in ((1, "claude-3"), (2, "claude-4.7")):
        for content, counts in COUNTED.items():
            figures = pooled([(count[0], count[at]) for count in counts])
            rows.append(Row(generation, content, *figures, len(counts), "estimate", "2026-04-17", CODECAMP))
        for content, (claude, openai, key) in COMPARED.items():
            text = parallel[key]
            figure = len(text.encode()) / o200k.count(text) / (claude / openai)
            figures = (figure, figure * (1 - ONE_SAMPLE), figure * (1 + ONE_SAMPLE))
            source = KOMATSUZAKI + ("" if at == 1 else f"; {SOL}")
            rows.append(Row(generation, content, *figures, 1, "estimate", "2026-04-29", source))
        taken = COUNTED.keys() | COMPARED.keys()
        for content in sorted(measured.keys() - taken):
            # The most that either of two tokenizers makes of a token, both of which take less than Claude's wherever
            # they were compared.
            most = max(pooled(measured[content])[2], pooled(gemma[content])[2])
            n = len(measured[content])
            rows.append(
                Row(generation, content, most, most, most, n, "lower-bound", "2026-11-30", NOT_COUNTED)
            )
    return rows


def gemini_rows() -> list[Row]:
    """Gemini's rows."""
    measured = by_content(gemma3())
    return [
        Row("gemini-2", content, *pooled(samples), len(samples), "estimate", "2026-11-30", GEMMA)
        for content, samples in sorted(
            measured.items(), key=lambda item: (item[0] not in LATIN_KINDS, item[0])
        )
    ]


def table() -> str:
    """The whole table."""
    head = (
        "# Bytes of UTF-8 for each token, by generation of models and by script or kind of text: estimators' figures.\n"
        "# Written by tools/make_bytes_per_token.py. n counts samples; least and most are the band of bytes_per_token.\n"
    )
    lines = [row.line() for row in (*claude_rows(), *gemini_rows())]
    return head + "\t".join(COLUMNS) + "\n" + "\n".join(lines) + "\n"


def main() -> int:
    """Writes or checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    made = table()
    if parser.parse_args().check:
        same = TABLE.read_text(encoding="utf-8") == made
        print("as it is made" if same else f"{TABLE} differs from what this makes")
        return 0 if same else 1
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
