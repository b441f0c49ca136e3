"""The built-in samples: clean text, aligned lines, the scripts that their index names, the worked figures."""

from __future__ import annotations

import ast
import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import unicodedata2

import piecework as pw

FOLDER = Path(str(files("piecework"))) / "_data" / "samples"
N_LINES = 12
MIN_LANGUAGES = 34

# ISO 15924 code of the index -> the first words of Unicode names that its letters have.
NAMES_OF_SCRIPT = {
    "Arab": ("ARABIC",),
    "Armn": ("ARMENIAN",),
    "Beng": ("BENGALI",),
    "Cyrl": ("CYRILLIC",),
    "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",),
    "Geor": ("GEORGIAN",),
    "Grek": ("GREEK",),
    "Hans": ("CJK",),
    "Hant": ("CJK",),
    "Hebr": ("HEBREW",),
    "Jpan": ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"),
    "Khmr": ("KHMER",),
    "Kore": ("HANGUL",),
    "Laoo": ("LAO",),
    "Latn": ("LATIN",),
    "Mymr": ("MYANMAR",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Thai": ("THAI",),
    "Zmth": ("LATIN", "GREEK", "SUPERSCRIPT", "SUBSCRIPT", "MODIFIER"),
    "Zsye": (),
    "Zyyy": (),
}

# Characters written one way in mainland China and another in Taiwan: neither list belongs in the other's file.
SIMPLIFIED = "单个么时会还这图书馆学将国对来关闭机场车电脑请让们过"
TRADITIONAL = "單個麼時會還這圖書館學將國對來關閉機場車電腦請讓們過"

# Digits of any script, grouped by point, comma, Arabic thousands separator or no-break space.
NUMBER = r"\d+(?:[.,\u066c\u00a0]\d{3})*"

# These write the month of a date as a number.
MONTH_AS_DIGIT = {"ja", "ko", "vi", "zh-Hans", "zh-Hant"}

KINDS = {"python", "rust", "javascript", "json", "html", "numbers", "logs", "emoji", "math", "markdown"}

# Characters, bytes, words by white space, tokens with Qwen3.
FOX = {
    "en": (64, 64, 13, 14),
    "pt": (77, 80, 14, 25),
    "es": (80, 83, 15, 25),
    "fr": (74, 75, 13, 23),
    "de": (68, 69, 11, 20),
    "ru": (67, 124, 10, 29),
    "ar": (62, 113, 11, 25),
    "hi": (59, 155, 12, 58),
    "zh": (17, 51, 1, 12),
    "ja": (26, 78, 1, 21),
    "emoji": (8, 22, 4, 10),
    "numbers": (33, 33, 4, 33),
}


def index() -> list[dict[str, str]]:
    with (FOLDER / "index.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read(row: dict[str, str]) -> str:
    return (FOLDER / row["set"] / f"{row['key']}.txt").read_bytes().decode("utf-8")


def of_set(name: str) -> list[dict[str, str]]:
    return [row for row in index() if row["set"] == name]


def letters(text: str) -> Iterator[str]:
    return (c for c in text if unicodedata2.category(c)[0] in "LM")


def of_script(character: str, script: str) -> bool:
    """Whether a letter or mark has a script's name; marks and joiners that all scripts share have none."""
    name = unicodedata2.name(character)
    if name.startswith(("COMBINING ", "VARIATION SELECTOR")):
        return True
    return name.split(" ")[0] in NAMES_OF_SCRIPT[script]


def every_file() -> list[Path]:
    return sorted(path for path in FOLDER.rglob("*") if path.is_file())


def test_the_index_names_every_file_and_no_other() -> None:
    named = {FOLDER / row["set"] / f"{row['key']}.txt" for row in index()}
    assert named | {FOLDER / "index.tsv"} == set(every_file())
    assert len(named) == len(index())
    assert len(of_set("parallel")) >= MIN_LANGUAGES
    for row in index():
        assert list(row) == ["set", "key", "english_name", "own_name", "script", "words"]
        assert all(row.values()), row
        assert row["words"] in {"whitespace", "unicode"}


@pytest.mark.parametrize("path", every_file(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_text_is_composed_and_has_no_stray_white_space_or_control_characters(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert unicodedata2.normalize("NFC", text) == text == unicodedata.normalize("NFC", text)
    tab = "\t" if path.name == "index.tsv" else ""
    assert not [
        c for c in text if unicodedata2.category(c) in {"Cc", "Cn", "Co", "Cs"} and c not in "\n" + tab
    ]
    assert not [line for line in text.split("\n") if line != line.rstrip()]
    # A sentence that is counted by itself ends with its last character; a file of lines ends its last line.
    if path.parent.name == "fox":
        assert "\n" not in text
    else:
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize("row", of_set("parallel"), ids=lambda row: row["key"])
def test_each_language_has_twelve_sentences(row: dict[str, str]) -> None:
    lines = read(row).removesuffix("\n").split("\n")
    assert len(lines) == N_LINES
    assert len(set(lines)) == N_LINES
    # Only the tenth line writes numbers in digits, the same numbers in every language.
    numbers = [int(re.sub(r"\D", "", number)) for number in re.findall(NUMBER, lines[9])]
    month = [3] if row["key"] in MONTH_AS_DIGIT else []
    assert sorted(numbers) == sorted([14, 2025, 12480, 35, *month])
    assert not [c for line in lines[:9] + lines[10:] for c in line if unicodedata2.category(c) == "Nd"]


def test_english_sentences_have_the_length_of_sentences() -> None:
    english = next(row for row in of_set("parallel") if row["key"] == "en")
    assert all(60 <= len(line) <= 140 for line in read(english).splitlines())


def test_no_two_languages_share_a_line() -> None:
    seen: dict[str, str] = {}
    for row in of_set("parallel"):
        for line in read(row).splitlines():
            assert line not in seen, (row["key"], seen.get(line), line)
            seen[line] = row["key"]


@pytest.mark.parametrize("row", index(), ids=lambda row: f"{row['set']}/{row['key']}")
def test_letters_are_of_the_script_that_the_index_names(row: dict[str, str]) -> None:
    strange = [c for c in letters(read(row)) if not of_script(c, row["script"])]
    assert not strange, [unicodedata2.name(c) for c in strange]


def test_each_chinese_keeps_to_its_characters() -> None:
    text = {row["key"]: read(row) for row in of_set("parallel")}
    only_simplified = set(SIMPLIFIED) - set(TRADITIONAL)
    only_traditional = set(TRADITIONAL) - set(SIMPLIFIED)
    assert not only_traditional & set(text["zh-Hans"])
    assert not only_simplified & set(text["zh-Hant"])
    assert only_simplified & set(text["zh-Hans"])
    assert only_traditional & set(text["zh-Hant"])


@pytest.mark.parametrize("row", of_set("fox"), ids=lambda row: row["key"])
def test_the_sentence_of_the_fox_has_its_worked_figures(row: dict[str, str]) -> None:
    text = read(row)
    n_tokens = pw.load("qwen3").count(text)
    assert (len(text), len(text.encode()), len(text.split()), n_tokens) == FOX[row["key"]]


def test_every_worked_sentence_is_there() -> None:
    assert {row["key"] for row in of_set("fox")} == set(FOX)


def test_samples_of_code_and_data_parse() -> None:
    text = {row["key"]: read(row) for row in of_set("kinds")}
    assert set(text) == KINDS
    compile(ast.parse(text["python"]), "python.txt", "exec")
    assert json.loads(text["json"])["order"]["total"] == 44.48


def test_the_document_lists_the_languages_as_the_index_does() -> None:
    document = (Path(__file__).parents[2] / "docs" / "samples.md").read_text(encoding="utf-8")
    for row in of_set("parallel"):
        cells = (f"`{row['key']}`", row["english_name"], row["own_name"], row["script"])
        assert f"| {' | '.join(cells)} |" in document
    for key, figures in FOX.items():
        assert f"| `{key}` | {' | '.join(str(n) for n in figures)} |" in document
    assert f"{len(of_set('parallel'))} languages" in document
