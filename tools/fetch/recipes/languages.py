"""Real text in many languages: declarations, scripture, translated programs, map terms, emoji names.

Translated programs are half English in places, so a line counts only if it differs from its English original, is in
no English list at all, and is written in the script of its language.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from gettext import GNUTranslations
from io import BytesIO
from typing import TYPE_CHECKING

from tools.fetch.recipes.udhr import declaration_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tools.fetch.store import Archive

_CAP_BYTES = 500_000
_MIN_BYTES = 60_000

# The packages write a language in several ways; one name for each here. Anything else keeps its own tag.
_NAMES = {
    "zh": "zh-Hans", "zh-CN": "zh-Hans", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant-HK", "no": "nb", "he-IL": "he",
    "fa-IR": "fa", "ar-AA": "ar", "nl-NL": "nl", "nl-BE": "nl", "tl": "fil", "be-tarask": "be", "yue-Hant": "yue",
    "pt-PT": "pt", "es-ES": "es", "sr-Cyrl": "sr",
}  # fmt: skip
# Fixed ranges, not `unicodedata`: its version differs between Pythons, and the texts must not.
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_OTHER_SCRIPTS = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2c00-\u2dff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\ufeff\U00010000-\U0001efff\U00020000-\U0003ffff]"
)
_QURAN = ("bn", "es", "fr", "id", "ru", "sv", "tr", "ur", "zh")


def languages(archives: Mapping[str, Archive]) -> dict[str, str]:
    """One text for each language (English apart) with enough text, capped so that none outweighs the others."""
    english, lines = _collect(archives)
    return language_texts(lines, english, _CAP_BYTES)


def language_texts(lines: Mapping[str, Iterable[str]], english: set[str], cap_bytes: int) -> dict[str, str]:
    """The lines of each language that are really in it, where they are enough to be a text.

    Args:
        lines: Candidates by language.
        english: Lines that are not translated.
        cap_bytes: The most of one language.
    """
    texts = {}
    for language, candidates in sorted(lines.items()):
        text = _text(candidates, english, cap_bytes)
        if len(text.encode("utf-8")) >= _MIN_BYTES:
            texts[language] = text
    return texts


def _collect(archives: Mapping[str, Archive]) -> tuple[set[str], dict[str, list[str]]]:
    """The English originals, and the candidate lines by language, the longest running text first."""
    english: set[str] = set()
    lines: dict[str, list[str]] = defaultdict(list)
    sources = (
        _declarations(archives["udhr"]),
        _quran(archives["quran-json"]),
        _programs(archives["weblate"], english),
        _programs(archives["Django"], english),
        _map_terms(archives["@openstreetmap/id-tagging-schema"], english),
        _emoji_names(archives["cldr-annotations-full"]),
    )
    for source in sources:
        for language, line in source:
            name = _name(language)
            if name.partition("-")[0] not in ("en", "und"):
                lines[name].append(line)
    return english, lines


def _text(candidates: Iterable[str], english: set[str], cap_bytes: int) -> str:
    seen: set[str] = set()
    kept = []
    size = 0
    lines = [line for line in candidates if line not in english]
    latin = _is_mostly_latin("".join(lines[:2000]))
    for line in lines:
        if line in seen or not _is_written_in(line, latin=latin):
            continue
        seen.add(line)
        size += len(line.encode("utf-8")) + 1
        if size > cap_bytes:
            break
        kept.append(line + "\n")
    return "".join(kept)


def _name(language: str) -> str:
    tag = re.sub(r"[_@]", "-", language)
    return _NAMES.get(tag, tag)


def _declarations(archive: Archive) -> Iterator[tuple[str, str]]:
    for name in archive.names():
        if re.fullmatch(r"declaration/.*\.html", name):
            page = archive.read(name).decode("utf-8")
            tag = re.search(r'<html[^>]*\blang="([^"]+)"', page)
            if tag:
                yield from ((tag[1], line) for line in declaration_text(page).splitlines())


def _quran(archive: Archive) -> Iterator[tuple[str, str]]:
    for language in (*_QURAN, "ar"):
        key, suffix = ("text", "") if language == "ar" else ("translation", f"_{language}")
        for chapter in json.loads(archive.read(f"dist/quran{suffix}.json")):
            yield from ((language, " ".join(verse[key].split())) for verse in chapter["verses"])


def _programs(archive: Archive, english: set[str]) -> Iterator[tuple[str, str]]:
    for name in archive.names():
        match = re.fullmatch(r".*/locale/([^/]+)/LC_MESSAGES/[^/]+\.mo", name)
        if match:
            for message in _messages(archive.read(name), english):
                yield from ((match[1], line.strip()) for line in message.splitlines() if line.strip())


def _messages(data: bytes, english: set[str]) -> Iterator[str]:
    catalog: dict[str | tuple[str, int], str] = vars(GNUTranslations(BytesIO(data)))["_catalog"]
    for key, message in catalog.items():
        original = key if isinstance(key, str) else key[0]
        if not original:
            continue  # the catalog's header
        english.update(line.strip() for line in original.rpartition("\x04")[2].splitlines())
        if message != original:
            yield message


def _map_terms(archive: Archive, english: set[str]) -> Iterator[tuple[str, str]]:
    for name in archive.names():
        match = re.fullmatch(r"dist/translations/([\w@-]+)\.json", name)
        if match and match[1] != "index":
            for line in leaves(json.loads(archive.read(name))):
                if match[1].startswith("en"):
                    english.add(line)
                yield match[1], line


def leaves(value: object) -> Iterator[str]:
    """Every line of every string in a JSON value."""
    if isinstance(value, dict):
        for child in value.values():
            yield from leaves(child)
    elif isinstance(value, str):
        yield from (line.strip() for line in value.splitlines() if line.strip())


def _emoji_names(archive: Archive) -> Iterator[tuple[str, str]]:
    for name in archive.names():
        match = re.fullmatch(r"annotations/([\w-]+)/annotations\.json", name)
        if match:
            entries: dict[str, dict[str, list[str]]] = json.loads(archive.read(name))["annotations"].get(
                "annotations", {}
            )
            for entry in entries.values():
                # Entries without a name only say "as in the parent language".
                if entry.get("tts"):
                    yield match[1], f"{', '.join(entry['tts'])}: {', '.join(entry.get('default', []))}"


def _is_mostly_latin(text: str) -> bool:
    return len(_LATIN.findall(text)) * 2 > len(_LATIN.findall(text)) + len(_OTHER_SCRIPTS.findall(text))


def _is_written_in(line: str, *, latin: bool) -> bool:
    """Whether a line has letters and, in a language with another script, mostly others than Latin ones."""
    n_latin, n_other = len(_LATIN.findall(line)), len(_OTHER_SCRIPTS.findall(line))
    return n_latin + n_other > 0 and (latin or n_other >= n_latin)
