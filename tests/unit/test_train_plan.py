"""The plan of a training: by hand where all is counted, beside the training itself where it is reckoned."""

from __future__ import annotations

import gzip
import json
import math
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import _core
from piecework.train.memory_limits import MemoryLimits
from piecework.train.planning.figures import estimated
from piecework.train.planning.growth import fitted
from piecework.train.planning.needs import advice, needs_of
from piecework.train.planning.sample import sampled
from piecework.train.planning.training_plan import parts_advice
from piecework.train.planning.words import words_of
from piecework.train.request import stages_file
from piecework.train.sources.units import file_units
from piecework.train.stages import pre_tokenizer_of
from tools import fixtures


def files_of(name: str) -> list[Path]:
    return [file.path for file in fixtures.text_set(name)]


def values(plan: pw.train.Plan) -> dict[str, Any]:
    """The numbers of a plan that are the same each time."""
    found = plan.to_dict()
    moving = (
        "counting_s",
        "learning_s",
        "max_bytes",
        "free_memory_bytes",
        "free_disk_bytes",
        "advice",
        "fits",
    )
    return {name: value for name, value in found.items() if name not in moving}


def test_a_small_file_by_hand(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("hug hug pug é\n".encode())
    (tmp_path / "b.txt").write_bytes(b"hug\nbun")
    found = pw.train.plan(
        files=[tmp_path / "a.txt", tmp_path / "b.txt"],
        vocab_size=257,
        pre_tokenizer="whitespace",
        min_word_count=2,
        n_threads=1,
    )
    exact = {
        name: value["value"]
        for name, value in found.to_dict().items()
        if isinstance(value, dict) and value.get("basis") == "exact"
    }
    assert exact == {
        "n_files": 2,
        "file_bytes": 15 + 7,
        "text_bytes": 15 + 7,
        "counted_bytes": 15 + 7,
        "n_words": 6,
        "n_distinct_words": 4,
        "n_kept_words": 1,
    }
    assert found.growth is None
    assert found.fits
    assert found.run_bytes.value == 0
    # By the formula: 8 MiB, 48 bytes for the word, 16 for each of its three bytes; 600 for each entry.
    assert found.learning_bytes.value == 8_388_704
    assert found.building_bytes.value == 154_200
    assert found.memory_bytes.value == max(
        found.table_bytes.value, found.learning_bytes.value + found.building_bytes.value
    )


@pytest.mark.parametrize(
    ("name", "pre_tokenizer"), [("english", "default"), ("languages", "default"), ("code", "whitespace")]
)
def test_a_large_corpus_beside_its_training(name: str, pre_tokenizer: str) -> None:
    files = files_of(name)
    found = pw.train.plan(files=files, vocab_size=256, pre_tokenizer=pre_tokenizer)
    actual = pw.train.bpe(files=files, vocab_size=256, pre_tokenizer=pre_tokenizer).training
    assert actual is not None
    n_bytes = sum(file.stat().st_size for file in files)
    assert (found.file_bytes.value, found.file_bytes.basis) == (n_bytes, "exact")
    assert (found.text_bytes.value, found.text_bytes.basis) == (n_bytes, "exact")
    assert found.n_words.basis == found.n_distinct_words.basis == "estimate"
    assert found.n_words.value == pytest.approx(actual.report.n_words, rel=0.05)
    assert found.n_distinct_words.value == pytest.approx(actual.report.n_distinct_words, rel=0.25)
    assert found.growth is not None
    assert 0.4 < found.growth.b < 1
    assert f"words^{found.growth.b:.3f}" in found.n_distinct_words.how


def test_the_sample_is_small_and_the_same_each_time() -> None:
    files = [*files_of("english"), *files_of("code")]
    found = pw.train.plan(files=files, n_merges=10)
    assert values(found) == values(pw.train.plan(files=files, n_merges=10))
    n_sample = int(found.n_words.how.split("sample of ")[1].split()[0].replace(",", ""))
    assert 8_000_000 < n_sample < 17 << 20


def test_compressed_text_is_exact_where_it_is_read_and_an_estimate_where_not(tmp_path: Path) -> None:
    text = fixtures.text_file("english", "novel").path.read_bytes()
    (tmp_path / "small.txt.gz").write_bytes(gzip.compress(text))
    found = pw.train.plan(files=[tmp_path / "small.txt.gz"], vocab_size=256)
    assert found.file_bytes.value == (tmp_path / "small.txt.gz").stat().st_size
    assert (found.text_bytes.value, found.text_bytes.basis) == (len(text), "exact")
    assert found.n_words.basis == "exact"
    # Unpacked it is more than the sample may be: of 130 MB the first part is read.
    with gzip.open(tmp_path / "large.txt.gz", "wb", compresslevel=1) as stream:
        for _ in range(110):
            stream.write(text)
    found = pw.train.plan(files=[tmp_path / "large.txt.gz"], vocab_size=256)
    assert found.text_bytes.basis == "estimate"
    assert found.text_bytes.value == pytest.approx(110 * len(text), rel=0.02)


def test_records_have_less_text_than_their_files_have_bytes(tmp_path: Path) -> None:
    texts = fixtures.text_file("english", "novel").path.read_text().split("\n\n")
    records = [json.dumps({"id": at, "body": text}) for at, text in enumerate(texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(records))
    found = pw.train.plan(files=[tmp_path / "a.jsonl"], vocab_size=256, field="body")
    assert (found.text_bytes.value, found.text_bytes.basis) == (
        sum(len(text.encode()) for text in texts),
        "exact",
    )
    trained = pw.train.bpe(files=[tmp_path / "a.jsonl"], vocab_size=256, field="body").training
    assert trained is not None
    assert found.n_words.value == trained.report.n_words
    assert found.n_distinct_words.value == trained.report.n_distinct_words
    with pytest.raises(pw.errors.InputError, match="no field 'text'"):
        pw.train.plan(files=[tmp_path / "a.jsonl"], vocab_size=256)
    # Twenty times as much is sampled.
    with (tmp_path / "b.jsonl").open("w") as stream:
        for _ in range(20):
            stream.write("\n".join(records) + "\n")
    found = pw.train.plan(files=[tmp_path / "b.jsonl"], vocab_size=256, field="body")
    assert found.text_bytes.basis == found.n_words.basis == "estimate"
    assert found.text_bytes.value == pytest.approx(20 * sum(len(text.encode()) for text in texts), rel=0.05)
    assert found.n_words.value == pytest.approx(20 * trained.report.n_words, rel=0.05)


def test_of_many_archives_some_are_read(tmp_path: Path) -> None:
    text = fixtures.text_file("english", "novel").path.read_bytes()
    packed = gzip.compress(text, 1)
    for at in range(60):
        (tmp_path / f"{at:02}.txt.gz").write_bytes(packed)
        (tmp_path / f"{at:02}.jsonl").write_bytes(b'{"text": "some words of text"}\n' * 20_000)
    files = sorted(tmp_path.iterdir())
    n_text = 60 * (len(text) + 20_000 * len("some words of text"))
    found = pw.train.plan(files=files, vocab_size=256)
    assert found.file_bytes.value == sum(file.stat().st_size for file in files)
    assert found.text_bytes.basis == "estimate"
    assert found.text_bytes.value == pytest.approx(n_text, rel=0.1)
    corpus = [unit for file in files for unit in file_units(file, "text")]
    sample = sampled(corpus, stages_file(None, None), n_sources=1, is_by_line=False, n_threads=None)
    assert sample.sizes[0].n_other == found.file_bytes.value
    assert sample.sizes[0].n_read < 0.4 * found.file_bytes.value
    assert 8_000_000 < sample.n_bytes < 17 << 20


def test_a_mix_is_counted_as_it_is_drawn() -> None:
    mix = {
        "seed": 3,
        "source": [
            {
                "name": "novel",
                "files": [str(fixtures.text_file("english", "novel").path)],
                "sample_bytes": 2_500_000,
            },
            {
                "name": "hindi",
                "files": [str(fixtures.text_file("languages", "hi").path)],
                "sample_bytes": 100_000,
            },
        ],
    }
    found = pw.train.plan(mix=mix, vocab_size=256)
    trained = pw.train.bpe(mix=mix, vocab_size=256).training
    assert trained is not None
    assert found.counted_bytes.basis == "estimate"
    assert found.counted_bytes.value == pytest.approx(2_600_000, rel=0.01)
    assert found.n_words.value == pytest.approx(trained.report.n_words, rel=0.15)
    assert "bytes counted" in str(found)


def test_what_does_not_fit_says_what_would() -> None:
    files = [*files_of("english"), *files_of("code"), *files_of("languages")]
    found = pw.train.plan(files=files, vocab_size=300, max_memory="256MB")
    assert found.max_bytes == 256_000_000
    assert found.learning_bytes.value > 256_000_000
    assert not found.fits
    assert "min_word_count=2 would keep about" in "\n".join(found.advice)
    assert "It does not fit: " in str(found)
    again = pw.train.plan(files=files, vocab_size=300, max_memory="256MB", min_word_count=2)
    assert again.fits
    assert again.learning_bytes.value < 256_000_000
    assert again.n_kept_words.value < 0.7 * again.n_distinct_words.value


def test_the_exponent_is_found_in_words_that_follow_the_law() -> None:
    # Words by Zipf's law with exponent 2: distinct words grow with the root of the words.
    points = [(n, round(7 * n**0.5)) for n in (1_000, 2_000, 4_000, 8_000)]
    growth = fitted(points)
    assert growth.b == pytest.approx(0.5, abs=0.003)
    assert growth.n_distinct_at(8_000) == points[-1][1]
    assert growth.n_distinct_at(800_000) == pytest.approx(7 * 800_000**0.5, rel=0.02)
    assert growth.n_words_at(growth.n_distinct_at(800_000)) == pytest.approx(800_000, rel=0.01)
    assert fitted([(0, 0), (9, 9)]).b == 1
    assert fitted([(10, 5), (20, 5)]).b == 0
    assert math.isinf(fitted([(10, 5), (20, 5)]).n_words_at(6))


def test_odd_corpora(tmp_path: Path) -> None:
    generator = random.Random(5)
    line = " ".join(str(generator.randrange(10**4)) for _ in range(4_000_000)).encode()
    assert len(line) > 19_000_000
    (tmp_path / "one line.txt").write_bytes(line)
    found = pw.train.plan(files=[tmp_path / "one line.txt"], vocab_size=256, pre_tokenizer="whitespace")
    assert found.n_words.value == pytest.approx(4_000_000, rel=0.05)
    assert found.text_bytes.value == len(line)
    (tmp_path / "broken.txt").write_bytes(b"\xff\xfe ok\n" * 3)
    assert pw.train.plan(files=[tmp_path / "broken.txt"], vocab_size=256).file_bytes.value == 18
    (tmp_path / "empty.txt").touch()
    with pytest.raises(pw.EmptyCorpusError, match="no word in files"):
        pw.train.plan(files=[tmp_path / "empty.txt"], vocab_size=256)
    with pytest.raises(pw.EmptyCorpusError, match="no word in files"):
        pw.train.plan(files=[], vocab_size=256)
    one = pw.train.plan(files=[tmp_path / "empty.txt", tmp_path / "broken.txt"], vocab_size=256)
    assert one.n_files.value == 2


LIMIT = 16_777_216
"""What a line may have with 256 MB, where it cannot be cut."""


@pytest.mark.parametrize(
    ("name", "content", "pre_tokenizer", "said"),
    [
        ("a.txt", b"a b\n" + b"9" * (LIMIT + 1), "gpt2", "the line around byte 16,777,216 has no place to be cut within"),
        ("b.txt", b"9" * (LIMIT + 1) + b"\na b" * 99, "gpt2", "the line around byte 16,777,216 has no place to be cut within"),
        ("c.txt", b"a b\n" + b"a b " * (LIMIT // 4 + 1), r"\w+", "the line around byte 16,777,216 is longer than"),
        ("d.jsonl", b'{"text": "a b"}\n' * 200_000 + b'{"text": "' + b"a b " * (LIMIT // 2) + b'"}\n', "gpt2", "the record around byte 16,777,216 is longer than"),
        # Just short enough, and long ones that can be cut.
        ("e.txt", b"a b\n" + b"9" * (LIMIT - 1) + b"\n" + b"9" * (LIMIT - 1) + b"\n", "gpt2", None),
        ("f.txt", b"a b " * (LIMIT // 2), "gpt2", None),
        ("g.txt", b"a b\n" * (LIMIT // 2), r"\w+", None),
    ],
    ids=lambda value: value if isinstance(value, str) and value.endswith(("txt", "jsonl")) else "",
)  # fmt: skip
def test_a_line_that_training_refuses_does_not_fit(
    name: str, content: bytes, pre_tokenizer: str, said: str | None, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    asked: dict[str, Any] = {"vocab_size": 256, "pre_tokenizer": pre_tokenizer, "max_memory": "256MB"}
    found = pw.train.plan(files=[tmp_path / name], **asked)
    refused = [line.partition(", and training refuses it: ") for line in found.advice if "refuses" in line]
    if said is None:
        assert (found.fits, refused) == (True, [])
        return
    assert not found.fits
    way = "make several of it" if name.endswith(".jsonl") else "break it into lines"
    assert [(line, hint) for line, _, hint in refused] == [
        (f"{tmp_path / name}: {said} 16,777,216 bytes", f"{way}, or give more max_memory=.")
    ]
    assert "It does not fit" in str(found)
    with pytest.raises(pw.PieceworkError, match=r"16,777,216 bytes"):
        pw.train.bpe(files=[tmp_path / name], **asked)


def test_a_corpus_of_nothing_but_such_a_line_has_no_plan(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "' + b"a b " * (LIMIT // 2) + b'"}\n')
    with pytest.raises(
        pw.errors.InputError, match="around byte 16,777,216 is longer than 16,777,216 bytes, and training"
    ):
        pw.train.plan(files=[tmp_path / "a.jsonl"], vocab_size=256, max_memory="256MB")


def test_an_archive_with_a_line_that_training_refuses_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"9" * (40 << 20), 1))
    with pytest.raises(pw.errors.InputError, match="has no place to be cut within 16,777,216 bytes"):
        pw.train.plan(files=[tmp_path / "a.txt.gz"], vocab_size=256, pre_tokenizer="gpt2", max_memory="256MB")


def test_a_corpus_that_cannot_fill_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hug hug")
    found = pw.train.plan(files=[tmp_path / "a.txt"], vocab_size=1_000)
    # Three letters are two merges; with a space before them three.
    assert "The corpus fills only 259 of 1,000 entries." in found.advice


def test_a_part_is_planned_alone(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.txt").write_text(f"{name} word\n" * 10)
    files = sorted(tmp_path.iterdir())
    assert pw.train.plan(files=files, vocab_size=256).text_bytes.value == 280
    assert pw.train.plan(files=files, vocab_size=256, part="1/4").text_bytes.value == 70


def test_it_is_json_and_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hug hug pug\n" * 20)
    found = pw.train.plan(files=[tmp_path / "a.txt"], n_merges=2, base="chars", pre_tokenizer="whitespace")
    as_json = found.to_dict()
    assert json.loads(json.dumps(as_json)) == as_json
    assert as_json["schema"] == "piecework.plan/1"
    lines = str(replace(found, max_bytes=10**9, free_disk_bytes=2 * 10**9)).splitlines()
    assert [line.split("  ")[0] for line in lines[:5]] == [
        "files", "bytes of files", "bytes of text", "words", "distinct words",
    ]  # fmt: skip
    assert lines[1].split()[-3:] == ["240", "B", "exact"]
    assert lines[-1].startswith("It fits: ")
    assert "of memory of the 1.00 GB that it may take" in lines[-1]


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hug hug")
    files = [tmp_path / "a.txt"]
    with pytest.raises(pw.errors.InputError, match="No such file"):
        pw.train.plan(files=[tmp_path / "no.txt"], vocab_size=300)
    with pytest.raises(TypeError, match="one of files="):
        pw.train.plan(vocab_size=300)
    with pytest.raises(TypeError, match="give one of vocab_size= and n_merges="):
        pw.train.plan(files=files)
    with pytest.raises(TypeError, match="not one path"):
        pw.train.plan(files=str(tmp_path / "a.txt"), vocab_size=300)
    with pytest.raises(ValueError, match="at least 256"):
        pw.train.plan(files=files, vocab_size=300, max_memory="1MB")
    with pytest.raises(ValueError, match="base is one of"):
        pw.train.plan(files=files, vocab_size=300, base="words")  # type: ignore[arg-type]


MEASURED = """
import sys
import piecework.train
from pathlib import Path


def bytes_of(name):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


before = bytes_of("VmRSS:")
piecework.train.bpe(files=sys.argv[1:], vocab_size=16_000)
print(bytes_of("VmHWM:") - before)
"""


@pytest.mark.parametrize("name", ["english", "languages"])
def test_memory_is_about_what_was_planned(name: str) -> None:
    files = files_of(name)
    found = pw.train.plan(files=files, vocab_size=16_000)
    command = [sys.executable, "-c", MEASURED, *map(str, files)]
    measured = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert 0.7 < found.memory_bytes.value / measured < 1.7


@pytest.mark.parametrize("min_word_count", [1, 2, 5])
def test_learning_is_planned_as_the_cap_is_checked(min_word_count: int) -> None:
    file = fixtures.text_file("english", "emails").path
    found = pw.train.plan(files=[file], vocab_size=300, min_word_count=min_word_count)
    stages = stages_file(None, pre_tokenizer_of("o200k_base", is_bytes=True))
    counter = _core.WordCounter(stages, by_line=True)
    counter.feed([file.read_bytes()], "strict", None)
    with pytest.raises(pw.errors.MemoryCapError) as caught:
        counter.finish(min_word_count=min_word_count, max_bytes=1, n_entries=300)
    assert caught.value.needed == found.learning_bytes.value + found.building_bytes.value


def test_runs_on_the_disk_are_planned() -> None:
    # Tables of English take more than 2 MB, and go to disk as the engine's do.
    files = files_of("english")
    stages = stages_file(None, pre_tokenizer_of("o200k_base", is_bytes=True))
    units = [unit for file in files for unit in file_units(file, "text")]
    sample = sampled(units, stages, n_sources=1, is_by_line=True, n_threads=1)
    words = words_of(sample, None)
    limits = MemoryLimits(2_000_000, None, 1 << 30)
    needs = needs_of(words, limits, n_entries=256, min_word_count=1, n_threads=1)
    counter = _core.WordCounter(stages, by_line=True, max_table_bytes=2_000_000)
    for file in files:
        counter.feed([file.read_bytes()], "strict", 1)
    n_bytes = counter.n_run_bytes
    assert 0 < n_bytes <= needs.run_bytes.value < 2 * n_bytes
    assert needs.table_bytes.value == 24_000_000 + 2_000_000
    fits, said = advice(words, needs, max_bytes=None, free_memory=None, free_disk=10**6)
    assert not fits
    assert said[-1] == "There are 1.00 MB left: TMPDIR names a folder with more room."


def test_counting_that_takes_hours_is_shared_out() -> None:
    assert parts_advice(estimated(1_799, "")) == ()
    (said,) = parts_advice(estimated(4 * 3_600, ""))
    assert "8 parts are about 30 minutes each" in said


@pytest.mark.parametrize(("base", "vocab_size", "needed"), [("bytes", 255, 256), ("chars", 3, 4)])
def test_a_vocabulary_without_room_is_refused_as_in_training(
    tmp_path: Path, base: Any, vocab_size: int, needed: int
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ab cab" * 9, encoding="utf-8")
    for call in (pw.train.plan, pw.train.bpe):
        with pytest.raises(pw.VocabSizeError) as raised:
            call(files=[path], vocab_size=vocab_size, base=base)
        assert (raised.value.vocab_size, raised.value.needed) == (vocab_size, needed)
    assert pw.train.plan(files=[path], vocab_size=needed, base=base).fits
