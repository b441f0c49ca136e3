"""A model's name leads to its encoding as the reference has it, dates and fine-tunes included, and nothing is guessed."""

from __future__ import annotations

import re

import pytest
from tiktoken import model as reference

import piecework as pw
from piecework._files.bundle import FINGERPRINTS, bundled, pack_path
from piecework._files.registry import ENCODINGS, ModelRow, model_rows, packs, resolve
from piecework.errors import UnknownTokenizerError
from tools.pack_encodings import BASES
from tools.pack_format import read_pack

OPENAI = [row for row in model_rows() if "/" not in row.name]
QWEN3 = ["Qwen/Qwen3-0.6B", "Qwen/Qwen3-1.7B", "Qwen/Qwen3-8B"]
BERT = ["google-bert/bert-base-uncased", "sentence-transformers/all-MiniLM-L6-v2"]


def reference_encoding(name: str) -> str:
    """What tiktoken says; its gpt2 has the ranks of r50k_base."""
    found = reference.encoding_name_for_model(name)
    return "r50k_base" if found == "gpt2" else found


def test_every_model_of_the_reference_is_in_the_table() -> None:
    assert len(reference.MODEL_TO_ENCODING) == 45
    assert {row.name for row in OPENAI} >= set(reference.MODEL_TO_ENCODING)


@pytest.mark.parametrize("row", OPENAI, ids=lambda row: row.name)
def test_a_row_says_what_the_reference_says(row: ModelRow) -> None:
    assert resolve(row.name) == row.encoding == reference_encoding(row.name)
    # The source names the reference's prefix exactly where the reference has no row.
    assert ("prefix" in row.source) == (row.name not in reference.MODEL_TO_ENCODING)


@pytest.mark.parametrize("row", OPENAI, ids=lambda row: row.name)
def test_a_snapshot_date_changes_nothing(row: ModelRow) -> None:
    dated = f"{row.name}-2024-08-06"
    assert resolve(dated) == row.encoding
    try:
        expected = reference_encoding(dated)
    except KeyError:
        return  # the reference knows this model only without a date
    assert row.encoding == expected


def test_every_prefix_of_the_reference_has_a_row() -> None:
    prefixes = [prefix for prefix in reference.MODEL_PREFIX_TO_ENCODING if not prefix.startswith("ft:")]
    sources = {row.source for row in OPENAI}
    assert [prefix for prefix in prefixes if f"tiktoken 0.14.0: prefix {prefix}" not in sources] == []


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o-2024-13-01",
        "gpt-4o-2024-08-32",
        "gpt-4o-2024-08",
        "gpt-4o-24-08-06",
        "gpt-4o-2024-08-06-2024-08-06",
        "gpt-4o-2024-08-06-preview",
        "o200k_base-2024-08-06",
        "Qwen/Qwen3-8B-2024-08-06",
    ],
)
def test_what_is_no_snapshot_date_is_unknown(name: str) -> None:
    with pytest.raises(UnknownTokenizerError):
        resolve(name)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("ft:gpt-4o:acme::abc", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:acme:suffix:abc", "o200k_base"),
        ("ft:gpt-4:acme::abc", "cl100k_base"),
        ("ft:gpt-4-0613:acme::abc", "cl100k_base"),
        ("ft:gpt-3.5-turbo-0125:acme::abc", "cl100k_base"),
        ("ft:davinci-002:acme::abc", "cl100k_base"),
        ("ft:babbage-002", "cl100k_base"),
    ],
)
def test_a_tuned_model_reads_as_its_base(name: str, encoding: str) -> None:
    assert resolve(name) == encoding == reference_encoding(name)


def test_a_tuned_model_of_a_newer_base_is_not_caught_by_the_older_prefix() -> None:
    # The reference's prefix ft:gpt-4 takes ft:gpt-4.1 as well and says cl100k_base, against its own row for gpt-4.1.
    assert reference_encoding("ft:gpt-4.1-mini:acme::abc") == "cl100k_base"
    assert resolve("ft:gpt-4.1-mini:acme::abc") == resolve("gpt-4.1-mini") == "o200k_base"


@pytest.mark.parametrize(
    "name", ["ft:gpt-4o-nonesuch:acme", "ft:", "ft:o200k_base", "ft:Qwen/Qwen3-8B:acme", "ft:ada:x"]
)
def test_a_tuned_model_of_an_unknown_base_is_unknown(name: str) -> None:
    with pytest.raises(UnknownTokenizerError):
        resolve(name)


@pytest.mark.parametrize("name", QWEN3)
def test_a_repository_is_listed_whole(name: str) -> None:
    assert resolve(name) == "qwen3"


@pytest.mark.parametrize(
    "name",
    [
        "Qwen/Qwen3-Embedding-0.6B",
        "Qwen/Qwen3-Embedding-8B",
        "Qwen/Qwen3-4B",
        "Qwen/Qwen3-8B-Base",
        "qwen/qwen3-8b",
        "Qwen/Qwen3-8",
        "Qwen3-8B",
    ],
)
def test_a_repository_that_is_not_listed_is_unknown(name: str) -> None:
    with pytest.raises(UnknownTokenizerError):
        resolve(name)


@pytest.mark.parametrize(
    "name", ["", " ", "gpt-5-unheard-of", "gpt-4-FAKE", "o200k", "GPT-4O", "gpt-4o ", "\u0000", "a" * 10_000]
)
def test_other_names_are_unknown(name: str) -> None:
    with pytest.raises(UnknownTokenizerError) as raised:
        resolve(name)
    assert raised.value.name == name


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("gpt-4o-min", "gpt-4o-mini"),
        ("GPT-4o", "gpt-4o"),
        ("o200k-base", "o200k_base"),
        ("Qwen/Qwen3-4B", "Qwen/Qwen3-8B"),
    ],
)
def test_an_unknown_name_comes_with_close_ones(name: str, close: str) -> None:
    with pytest.raises(UnknownTokenizerError) as raised:
        resolve(name)
    assert close in (raised.value.close_matches or ())
    assert close in str(raised.value)


def test_each_row_has_a_source_and_a_date() -> None:
    rows = model_rows()
    assert len({row.name for row in rows}) == len(rows)
    assert [row for row in rows if row.encoding not in ENCODINGS] == []
    assert [row for row in rows if not row.source or not re.fullmatch(r"20\d\d-\d\d-\d\d", row.checked)] == []
    assert [row.name for row in rows if "/" in row.name] == [*QWEN3, *BERT]


@pytest.mark.parametrize("encoding", BASES)
def test_packs_are_named_each_after_the_one_that_it_builds_on(encoding: str) -> None:
    before: str | None = None
    for name in packs(encoding):
        assert read_pack(pack_path(name).read_bytes()).meta["vocab"]["base"] == before
        before = name
    assert before == encoding


def test_recorded_fingerprints_are_those_of_the_packs() -> None:
    assert {name: bundled(name).fingerprint for name in FINGERPRINTS} == FINGERPRINTS
    assert set(FINGERPRINTS) == {path.stem for path in pack_path("o200k_base").parent.glob("*.pack")}
    for name, fingerprint in FINGERPRINTS.items():
        assert pw.load(name).fingerprint == fingerprint
