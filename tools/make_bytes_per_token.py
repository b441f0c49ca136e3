"""Makes python/piecework/_data/served/bytes_per_token.tsv: the figures behind estimates for Claude and Gemini.

`python -m tools.make_bytes_per_token` writes it, `--check` compares. Claude's rows come from counts that others took
from the provider's endpoint and published (COUNTED, COMPARED); Gemini's are measured with Gemma 3's tokenizer, which
Google's own library counts with: the figures on the built-in samples, English and code, the bands on 128 languages too.
A row's least and most are those of its samples; where there are less than ten, a quarter to either side.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import piecework as pw
from piecework._chat.served.content import LATIN_KINDS, content_bytes
from piecework._measure.bundled import built_in
from tools.fixtures import fixture, text_set

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "python" / "piecework" / "_data" / "served" / "bytes_per_token.tsv"

CODECAMP = "claudecodecamp.com, 'I measured Claude 4.7's new tokenizer' (count_tokens)"
KOMATSUZAKI = "A. Komatsuzaki, 'The Bitter Lesson' in 9 languages under 6 tokenizers"
SOL = "sol.ava.dev, 'what's actually different about the Opus 4.7 tokenizer': same count as 4.6"
GEMMA = "Gemma 3's tokenizer, with which Google's google-genai counts gemini-2.0 to 3-pro-preview, on texts of ours and of packages"
NOT_COUNTED = (
    "no count is published; the most that o200k_base and Gemma 3 make of a token in any sample: "
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

FEW, FEW_MARGIN = 10, 0.25
MAX_BYTES = 50_000
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


Samples = list[tuple[float, float]]
"""Bytes and tokens of each sample."""


def figures(samples: Samples, band: Samples) -> tuple[float, float, float]:
    """Bytes per token of samples together, and the least and the most of one of those that make the band."""
    together = sum(n_bytes for n_bytes, _ in samples) / sum(n_tokens for _, n_tokens in samples)
    single = [n_bytes / n_tokens for n_bytes, n_tokens in band]
    margin = FEW_MARGIN if len(single) < FEW else 0.0
    return together, min(*single, together) * (1 - margin), max(*single, together) * (1 + margin)


def gemma3() -> pw.Tokenizer:
    """Gemma 3's tokenizer."""
    return pw.load(str(fixture("gemma3/tokenizer.json")))


def by_content(tokenizer: pw.Tokenizer, texts: Iterable[str]) -> dict[str, Samples]:
    """The samples under the content that most of each is."""
    found = defaultdict(list)
    for text in texts:
        content = max(content_bytes(text).items(), key=lambda item: item[1])[0]
        found[content].append((float(len(text.encode())), float(tokenizer.count(text))))
    return found


def built_in_texts() -> list[str]:
    """The built-in samples, each as one text."""
    return ["\n".join(text.rows) for name in ("parallel", "kinds") for text in built_in(name).texts]


def fetched_texts(name: str) -> list[str]:
    """The beginnings of the files of a set of fetched texts."""
    return [file.path.read_bytes()[:MAX_BYTES].decode("utf-8", "ignore") for file in text_set(name)]


def measured(tokenizer: pw.Tokenizer) -> dict[str, tuple[Samples, Samples]]:
    """For each content the samples of the figure and those of the band."""
    own = by_content(tokenizer, built_in_texts())
    code = by_content(tokenizer, fetched_texts("code"))["code"]
    english = by_content(tokenizer, fetched_texts("english"))["prose"]
    more = by_content(tokenizer, fetched_texts("languages"))
    # Of texts in letters without accents most are English, and code is longer than the built-in samples of it.
    figure = {**own, "prose": english, "code": code}
    return {
        content: (
            samples,
            own[content]
            + (code if content == "code" else english if content == "prose" else [])
            + (more.get(content, []) if content != "code" else []),
        )
        for content, samples in figure.items()
    }


def claude_rows() -> list[Row]:
    """Claude's rows, of both generations."""
    o200k = pw.load("o200k_base")
    both = measured(o200k), measured(gemma3())
    parallel = {text.key: "\n".join(text.rows) for text in built_in("parallel").texts}
    rows = []
    for at, generation in ((1, "claude-3"), (2, "claude-4.7")):
        for content, counts in COUNTED.items():
            samples = [(float(count[0]), float(count[at])) for count in counts]
            rows.append(
                Row(
                    generation,
                    content,
                    *figures(samples, samples),
                    len(counts),
                    "estimate",
                    "2026-04-17",
                    CODECAMP,
                )
            )
        for content, (claude, openai, key) in COMPARED.items():
            text = parallel[key]
            sample = [(float(len(text.encode())), o200k.count(text) * claude / openai)]
            source = KOMATSUZAKI + ("" if at == 1 else f"; {SOL}")
            rows.append(
                Row(generation, content, *figures(sample, sample), 1, "estimate", "2026-04-29", source)
            )
        for content in sorted(both[0].keys() - COUNTED.keys() - COMPARED.keys()):
            # The most that either of two tokenizers makes of a token, both of which take less than Claude's wherever
            # they were compared.
            most = max(figures(*found[content])[2] for found in both)
            n = len(both[0][content][1])
            rows.append(
                Row(generation, content, most, most, most, n, "lower-bound", "2026-11-30", NOT_COUNTED)
            )
    return rows


def gemini_rows() -> list[Row]:
    """Gemini's rows."""
    found = sorted(measured(gemma3()).items(), key=lambda item: (item[0] not in LATIN_KINDS, item[0]))
    return [
        Row("gemini-2", content, *figures(*samples), len(samples[1]), "estimate", "2026-11-30", GEMMA)
        for content, samples in found
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
