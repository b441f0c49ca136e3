"""More English, for measurements of a hundred megabytes: reference manuals of two clouds, and what puzzles and exams say.

A paragraph counts once in a text, however many pages repeat it.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tools.fetch.store import Archive

_MIN_CHARACTERS = 12
_BLOCK_END = re.compile(r"</(?:p|li|dt|dd|note|important|title)>|<br ?/?>")
_TAG = re.compile(r"<[^>]*>")
_PROSE_LETTERS = re.compile("[A-Za-z ]")

# Of the folders of evals those in sentences that people wrote, or that read so; the others are numbers and made-up words.
_EXERCISES = (
    "GPT-model-text-detection", "abstract2title", "ballots", "bias_detection", "consensus_summary", "corr2cause",
    "crepe", "diagrammatic_logic", "error_recovery", "event_categories", "fcc_amateur_extra", "food", "illinois-law",
    "logic-grid", "logiqa", "logiqa-logical-reasoning-plus", "moral_exceptQA", "ner_finance", "ordered-history-events",
    "parable-to-moral-match", "pararule-plus-multi-step-deductive-reasoning", "population_span_extraction", "quartz",
    "research-question-extraction", "sandbagging", "sarcasm", "schelling_point",
    "singapore_data_protection_decisions", "soc_codes", "steganography", "text_compression", "theory_of_mind",
    "unsolvable_questions", "us_tort_law", "word_association",
)  # fmt: skip


def english_manuals(archives: Mapping[str, Archive]) -> dict[str, str]:
    """Three kinds of English, one text each."""
    return {
        "aws": _paragraphs(_aws(archives["botocore"])),
        "exercises": _paragraphs(_exercises(archives["evals"])),
        "google": _paragraphs(_google(archives["google-api-python-client"])),
    }


def _paragraphs(texts: Iterable[str]) -> str:
    """The distinct paragraphs, a line each, in the order in which they come first."""
    lines = (" ".join(line.split()) for text in texts for line in text.split("\n"))
    return "".join(f"{line}\n" for line in dict.fromkeys(lines) if len(line) >= _MIN_CHARACTERS)


def _aws(archive: Archive) -> Iterator[str]:
    for name in archive.names():
        if name.endswith("/service-2.json.gz"):
            for page in _strings(json.loads(gzip.decompress(archive.read(name))), "documentation"):
                yield html.unescape(_TAG.sub("", _BLOCK_END.sub("\n", page)))


def _google(archive: Archive) -> Iterator[str]:
    for name in archive.names():
        if "/discovery_cache/documents/" in name and name.endswith(".json"):
            api = json.loads(archive.read(name))
            yield from _strings(api, "description")
            yield from _strings(api, "enumDescriptions")


def _strings(value: object, key: str) -> Iterator[str]:
    """Every string, or list of strings, that stands under a key anywhere in a JSON value."""
    children = value if isinstance(value, list) else []
    if isinstance(value, dict):
        found = value.get(key)
        yield from (text for text in (found if isinstance(found, list) else [found]) if isinstance(text, str))
        children = list(value.values())
    for child in children:
        yield from _strings(child, key)


def _exercises(archive: Archive) -> Iterator[str]:
    for name in archive.names():
        match = re.fullmatch(r"evals/registry/data/([^/]+)/.*\.jsonl", name)
        if match and match[1] in _EXERCISES:
            for line in archive.read(name).decode("utf-8").splitlines():
                item = json.loads(line)
                # That folder gives each text eleven times, its sentences shuffled.
                yield from _prose(item["0"] if match[1] == "schelling_point" else item)


def _prose(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _prose(child)
    elif isinstance(value, str):
        yield from (
            line for line in value.split("\n") if len(_PROSE_LETTERS.findall(line)) > 0.85 * len(line)
        )
