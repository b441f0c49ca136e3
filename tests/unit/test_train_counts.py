"""Counted words as files: written, read back, added up, from here, from Spark and from SQL."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import piecework as pw
from piecework.errors import EmptyCorpusError, InputError, NotUnicodeError, TrainError
from piecework.train.sources import units

SUFFIXES = [".tsv", ".tsv.gz", ".tsv.zst", ".parquet"]
# Words with everything that the format escapes.
TEXTS = [
    "a\tb",
    "c\\d",
    "e\\\te",
    "line\nend\r\n",
    "où 日本 🙂",
    " two  two ",
    "#",
    "# piecework.words/1 {}",
    '"q"',
] * 3


def same(one: pw.Tokenizer, other: pw.Tokenizer) -> bool:
    assert one.training is not None
    assert other.training is not None
    fingerprints = one.training.corpus_fingerprint == other.training.corpus_fingerprint
    return fingerprints and one.fingerprint == other.fingerprint


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdeé日\t\\ ", k=chance.randint(1, 7))) for _ in range(300)]
    paths = []
    for at in range(5):
        path = tmp_path / f"shard-{at}.txt"
        path.write_text(
            "\n".join(" ".join(chance.choices(words, k=12)) for _ in range(200 + 50 * at)), encoding="utf-8"
        )
        paths.append(path)
    return paths


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("pre_tokenizer", ["default", "gpt2", "whitespace", r"\w+"])
def test_counts_give_the_tokenizer_that_the_texts_give(
    suffix: str, pre_tokenizer: str, tmp_path: Path
) -> None:
    path = tmp_path / f"counts{suffix}"
    options: dict[str, Any] = {"pre_tokenizer": pre_tokenizer, "normalizer": ["nfkc", "lowercase"]}
    report = pw.train.words(path, texts=TEXTS, **options)
    whole = pw.train.bpe(texts=TEXTS, n_merges=9, **options)
    assert whole.training is not None
    assert (report.n_words, report.n_bytes) == (whole.training.report.n_words, whole.training.report.n_bytes)
    assert report.n_distinct_words == whole.training.report.n_distinct_words
    tok = pw.train.bpe(words=path, n_merges=9)
    assert same(tok, whole)
    assert tok.training is not None
    assert tok.training.options == whole.training.options
    chars = pw.train.bpe(words=[str(path)], n_merges=9, base="chars")
    assert same(chars, pw.train.bpe(texts=TEXTS, n_merges=9, base="chars", **options))
    if pre_tokenizer == "whitespace":
        assert same(
            pw.train.wordlevel(words=path), pw.train.wordlevel(texts=TEXTS, normalizer=["nfkc", "lowercase"])
        )


def test_what_a_count_file_holds(tmp_path: Path) -> None:
    texts = ["b a\tb", "a\\", "a\r\n", "é"]
    path = tmp_path / "counts.tsv"
    report = pw.train.words(path, texts=texts, pre_tokenizer="[ab]|[^ab]+")
    first, *rest = path.read_bytes().decode().split("\n")
    assert rest == [
        "word\tcount",
        "\\t\t1",
        "\\r\\n\t1",
        " \t1",
        "\\\\\t1",
        "a\t3",
        "b\t2",
        "é\t1",
        "",
    ]
    assert first.startswith("# piecework.words/1 {")
    meta = json.loads(first.removeprefix("# piecework.words/1 "))
    assert meta["pre_tokenizer"] == "[ab]|[^ab]+"
    assert (meta["n_words"], meta["n_bytes"], meta["part"], meta["inputs"]) == (10, 12, None, None)
    assert (report.n_words, report.n_distinct_words, report.n_bytes) == (10, 7, 12)
    for suffix in SUFFIXES[1:]:
        pw.train.words(tmp_path / f"counts{suffix}", texts=texts, pre_tokenizer="[ab]|[^ab]+")
    assert gzip.decompress((tmp_path / "counts.tsv.gz").read_bytes()) == path.read_bytes()
    unpacked = (
        zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / "counts.tsv.zst").read_bytes())
    )
    assert unpacked == path.read_bytes()
    table = pq.read_table(tmp_path / "counts.parquet")
    assert table.schema.types == [pa.string(), pa.int64()]
    assert json.loads(table.schema.metadata[b"piecework.words"]) == meta
    assert table.to_pydict() == {
        "word": ["\t", "\r\n", " ", "\\", "a", "b", "é"],
        "count": [1, 1, 1, 1, 3, 2, 1],
    }


def test_parts_are_disjoint_and_whole_and_give_the_tokenizer_of_one_machine(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "RANGE_BYTES", 3000)
    whole = pw.train.bpe(files=files, n_merges=60)
    n_all = sum(path.stat().st_size for path in files)
    for n_parts in (1, 2, 3, 8):
        paths, n_bytes = [], []
        for at in range(1, n_parts + 1):
            path = tmp_path / f"part-{at}-of-{n_parts}{SUFFIXES[at % 4]}"
            shuffled = random.Random(at).sample(files, len(files))
            report = pw.train.words(path, files=shuffled, part=f"{at}/{n_parts}", n_threads=1 + at % 2)
            assert report.part == (at, n_parts)
            n_bytes.append(report.n_bytes)
            paths.append(path)
        assert sum(n_bytes) == n_all
        assert max(n_bytes) - min(n_bytes) < 2 * 3000 + 200
        random.Random(1).shuffle(paths)
        assert same(pw.train.bpe(words=paths, n_merges=60), whole)
        merged = tmp_path / "merged.tsv.gz"
        report = pw.train.words(merged, words=paths)
        assert (report.n_bytes, report.part) == (n_all, None)
        assert same(pw.train.bpe(words=merged, n_merges=60), whole)


def test_more_parts_than_units_leave_some_empty(files: list[Path], tmp_path: Path) -> None:
    paths = [tmp_path / f"{at}.tsv" for at in range(1, 9)]
    reports = [pw.train.words(path, files=files[:2], part=(at, 8)) for at, path in enumerate(paths, 1)]
    assert sorted(report.n_words > 0 for report in reports) == [False] * 6 + [True] * 2
    assert same(pw.train.bpe(words=paths, n_merges=20), pw.train.bpe(files=files[:2], n_merges=20))


def test_parts_that_make_no_whole_are_refused(files: list[Path], tmp_path: Path) -> None:
    def part(at: int, n: int, **options: Any) -> Path:
        path = tmp_path / f"{at}-{n}-{len(options)}.tsv"
        pw.train.words(path, files=files, part=(at, n), **options)
        return path

    one, two, three = (part(at, 3) for at in (1, 2, 3))
    with pytest.raises(TrainError, match=r"part 2/3 is missing beside .*1-3-0\.tsv"):
        pw.train.bpe(words=[one, three], n_merges=3)
    with pytest.raises(TrainError, match=r"parts 1/3, 2/3 are missing"):
        pw.train.bpe(words=three, n_merges=3)
    with pytest.raises(TrainError, match=r"part 2/3 is given twice: .*2-3-0\.tsv and .*2-3-0\.tsv"):
        pw.train.bpe(words=[one, two, three, two], n_merges=3)
    with pytest.raises(
        TrainError, match=r"2-4-0\.tsv is part 2/4, and .*1-3-0\.tsv is part 1/3 of the same corpus"
    ):
        pw.train.bpe(words=[one, part(2, 4)], n_merges=3)
    with pytest.raises(
        TrainError, match=r"pre_tokenizer='gpt2', those of .* with pre_tokenizer='o200k_base'"
    ):
        pw.train.bpe(words=[one, part(2, 3, pre_tokenizer="gpt2"), three], n_merges=3)
    with pytest.raises(TrainError, match=r"normalizer=\['nfc'\], those of .* with normalizer=None"):
        pw.train.bpe(words=[one, part(2, 3, normalizer="nfc"), three], n_merges=3)
    with pytest.raises(
        TrainError, match=r"pre_tokenizer='gpt2' is asked for, and the counts of .* with 'o200k_base'"
    ):
        pw.train.bpe(words=[one, two, three], pre_tokenizer="gpt2", n_merges=3)
    with pytest.raises(TrainError, match="normalizer='nfc' is asked for"):
        pw.train.bpe(words=[one, two, three], normalizer="nfc", n_merges=3)
    other = tmp_path / "other.txt"
    other.write_text("and another corpus", encoding="utf-8")
    alone = tmp_path / "alone.tsv"
    pw.train.words(alone, files=[other])
    both = pw.train.bpe(words=[one, two, three, alone], n_merges=9, pre_tokenizer="o200k_base")
    assert same(both, pw.train.bpe(files=[*files, other], n_merges=9))
    with pytest.raises(TrainError, match="the same corpus is given twice"):
        pw.train.bpe(words=[alone, alone], n_merges=3)


COUNTS = {"hug": 10, " pug": 5, "x\ty": 12, "\\": 4, "hugs": 5, "é": 3_000_000_000}
LINES = b"hug\t10\n pug\t5\nx\\ty\t12\n\\\\\t4\nhugs\t5\n\xc3\xa9\t3000000000\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", LINES),
        ("a.tsv", LINES.rstrip(b"\n")),
        ("a.tsv", b"word\tcount\n" + LINES),
        ("a.tsv", b"term\tcount(1)\r\n" + LINES.replace(b"\n", b"\r\n")),
        ("a.tsv.gz", gzip.compress(LINES)),
        ("A.TSV.ZST", zstandard.compress(b"w\tCOUNT(*)\n" + LINES)),
    ],
)
def test_counts_of_others_as_tsv(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    tok = pw.train.bpe(words=path, n_merges=4)
    assert same(tok, pw.train.bpe(words=COUNTS, n_merges=4))
    assert tok.training is not None
    assert tok.training.options["pre_tokenizer"] is None


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        (("word", "count"), "text"),
        (("term", "n"), "term"),
        (("count", "word"), "text"),
        (("text", "count"), "text"),
    ],
)
@pytest.mark.parametrize("text_type", [pa.string(), pa.large_string(), pa.binary()])
def test_counts_of_others_as_parquet(
    columns: tuple[str, str], field: str, text_type: Any, tmp_path: Path
) -> None:
    words = pa.array([word.encode() for word in COUNTS], pa.binary()).cast(text_type)
    named = {
        "word": words,
        "term": words,
        "text": words,
        "count": list(COUNTS.values()),
        "n": list(COUNTS.values()),
    }
    table = pa.table({name: named[name] for name in columns})
    for at, half in enumerate((table.slice(0, 2), table.slice(2))):
        pq.write_table(half, tmp_path / f"part-{at}.parquet")
    paths = sorted(tmp_path.glob("*.parquet"))
    if columns == ("text", "count"):
        with pytest.raises(InputError, match="there is no column 'word' of words; there are text, count"):
            pw.train.bpe(words=paths, n_merges=4)
        return
    tok = pw.train.bpe(words=paths, n_merges=4, field=field)
    assert same(tok, pw.train.bpe(words=COUNTS, n_merges=4))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_counts_of_others_stay_without_stages_when_they_are_added_up(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"merged{suffix}"
    report = pw.train.words(path, words=COUNTS)
    assert (report.n_distinct_words, report.inputs) == (6, None)
    tok = pw.train.bpe(words=path, n_merges=4, pre_tokenizer="gpt2")
    assert tok.training is not None
    assert tok.training.options["pre_tokenizer"] == "gpt2"
    assert same(pw.train.bpe(words=path, n_merges=4), pw.train.bpe(words=COUNTS, n_merges=4))
    pw.train.words(path, words=COUNTS, pre_tokenizer="cl100k_base")
    assert same(
        pw.train.bpe(words=path, n_merges=4),
        pw.train.bpe(words=COUNTS, n_merges=4, pre_tokenizer="cl100k_base"),
    )


def test_counts_without_stages_take_those_that_are_named(tmp_path: Path) -> None:
    plain = pw.train.bpe(words=COUNTS, n_merges=4)
    named = pw.train.bpe(words=COUNTS, n_merges=4, pre_tokenizer="gpt2", normalizer="nfc")
    assert plain.training is not None
    assert named.training is not None
    assert plain.training.merges == named.training.merges
    assert (plain.training.options["pre_tokenizer"], named.training.options["pre_tokenizer"]) == (
        None,
        "gpt2",
    )
    assert named.training.corpus_fingerprint == plain.training.corpus_fingerprint
    saved = json.loads(named.save(tmp_path / "tokenizer.json").paths[0].read_bytes())
    assert saved["normalizer"] == {"type": "NFC"}
    assert (saved["pre_tokenizer"]["type"], saved["pre_tokenizer"]["use_regex"]) == ("ByteLevel", True)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"word\tcount\nhug\t10\nhug 3\n", InputError, r"a\.tsv: line 3: there is no tab"),
        (b"hug\t10\nhug\t-3\n", InputError, "line 2: the count is"),
        (b"hug\t10\nhug\t9223372036854775808\n", InputError, "line 2: the count is"),
        (b"hug\t10\nh\\ug\t1\n", InputError, "line 2: a backslash stands before none"),
        (b"hug\t10\na\tb\t1\n", InputError, "line 2: there are two tabs"),
        (b"hug\t10\nh\xff\t1\n", NotUnicodeError, r"a\.tsv is not UTF-8 at byte 8"),
        (b"count\tword\n10\thug\n", InputError, "line 1: the word comes first"),
        (
            b"# piecework.words/1 {}\nhug\t1\n",
            InputError,
            r"what it says of itself is not piecework\.words/1",
        ),
        (
            b"# piecework.words/1 [1\nhug\t1\n",
            InputError,
            r"what it says of itself is not piecework\.words/1",
        ),
        (
            b'# piecework.words/1 {"pre_tokenizer": null, "normalizer": null, "inputs": null, "n_words": 9, "n_bytes": 1, "n_invalid": 0, "part": null, "mix": null}\nhug\t1\n',
            InputError,
            "it has 1 words, and says that it has 9: it was cut off or changed",
        ),
        (
            b'# piecework.words/1 {"pre_tokenizer": null, "normalizer": null, "inputs": "a", "n_words": 9, "n_bytes": 1, "n_invalid": 0, "part": [1, 9999999999999], "mix": null}\nhug\t1\n',
            InputError,
            r"what it says of itself is not piecework\.words/1",
        ),
        (b"", EmptyCorpusError, "no word in words"),
        (b"word\tcount\n", EmptyCorpusError, "no word in words"),
        (b"hug\t0\n", EmptyCorpusError, "no word in words"),
    ],
)
def test_files_that_are_no_counts(
    content: bytes, error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(content)
    with pytest.raises(error, match=message):
        pw.train.bpe(words=path, n_merges=3)


def test_counts_of_pandas_are_read_exactly(tmp_path: Path) -> None:
    words = pa.array(list(COUNTS)).dictionary_encode()
    floats = pa.array([float(count) for count in COUNTS.values()])
    for count in ("count", "n"):
        pq.write_table(pa.table({"word": words, count: floats}), tmp_path / "a.parquet")
        tok = pw.train.bpe(words=tmp_path / "a.parquet", n_merges=4)
        assert same(tok, pw.train.bpe(words=COUNTS, n_merges=4))
    large = {"ab": 2**53 - 1, "b": 3}
    table = {"word": list(large), "count": [float(count) for count in large.values()]}
    pq.write_table(pa.table(table), tmp_path / "b.parquet")
    assert same(pw.train.bpe(words=tmp_path / "b.parquet", n_merges=1), pw.train.bpe(words=large, n_merges=1))


def test_what_is_wrong_with_a_column_of_counts_is_said_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for columns, message, hint in (
        ({"word": ["a"], "count": ["1"]}, "the column 'count' holds no counts, but string", "counts are whole numbers: "),
        ({"word": ["a"], "m": [1], "n": [1]}, "there is no column of counts; there are word, m, n", "the counts are the column count"),
        ({"term": ["a"], "n": [1]}, "there is no column 'word' of words; there are term, n", "field= names the column of the word"),
    ):  # fmt: skip
        pq.write_table(pa.table(columns), path)
        with pytest.raises(InputError, match=message) as caught:
            pw.train.bpe(words=path, n_merges=3)
        assert (caught.value.hint or "").startswith(hint)


def test_parquet_that_is_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for columns, message in (
        ({"word": ["a"], "count": [-1]}, "row 1: no word with a count"),
        ({"word": ["a", None], "count": [1, 1]}, "row 2: no word with a count"),
        ({"word": ["a", "b"], "count": [1.0, 1.5]}, "row 2: a count that is a float is .* below .*, not 1.5"),
        (
            {"word": ["a"], "count": [2.0**53]},
            "row 1: a count that is a float is .* below .*, not 9007199254740992.0",
        ),
        ({"word": ["a"], "count": [float("nan")]}, "row 1: a count that is a float .*, not nan"),
        ({"word": ["a"], "count": [-1.0]}, "row 1: no word with a count"),
        ({"word": ["a"], "count": [None]}, "the column 'count' holds no counts, but null"),
        ({"word": [3], "count": [1]}, "the column 'word' holds no text, but int64"),
    ):
        pq.write_table(pa.table(columns), path)
        with pytest.raises(InputError, match=message):
            pw.train.bpe(words=path, n_merges=3)
    pq.write_table(pa.table({"word": [b"a", b"\xff"], "count": [1, 1]}), path)
    with pytest.raises(NotUnicodeError, match="row 2: the word is not UTF-8 at byte 0"):
        pw.train.bpe(words=path, n_merges=3)


def test_rare_words_are_left_out_and_counted(tmp_path: Path) -> None:
    texts = ["common common common rare", "common seldom seldom"]
    expected = Counter(" ".join(texts).split())
    pw.train.words(tmp_path / "a.tsv", texts=texts, pre_tokenizer="whitespace")
    for source in (
        {"texts": texts, "pre_tokenizer": "whitespace"},
        {"words": tmp_path / "a.tsv"},
        {"words": expected},
    ):
        tok = pw.train.bpe(n_merges=3, min_word_count=2, **source)
        assert tok.training is not None
        report = tok.training.report
        assert (report.n_words, report.n_distinct_words) == (6, 2)
        assert (report.n_left_out_words, report.n_left_out) == (1, 1)
        assert "1 rare word left out" in str(report)
    with pytest.raises(EmptyCorpusError, match="every word in texts occurs less than min_word_count=9 times"):
        pw.train.bpe(texts=texts, n_merges=3, min_word_count=9)


def test_wrong_arguments(tmp_path: Path, files: list[Path]) -> None:
    path = tmp_path / "a.tsv"
    for arguments, error, message in (
        ({"files": files, "part": "3/2"}, ValueError, "part 3/2 is none: parts are 1/2 to 2/2"),
        ({"files": files, "part": "0/2"}, ValueError, "part 0/2 is none"),
        ({"files": files, "part": "1"}, TypeError, 'part is "i/n"'),
        ({"files": files, "part": "a/b"}, TypeError, 'part is "i/n"'),
        ({"texts": ["a"], "part": "1/2"}, ValueError, "part= goes with files= or mix="),
        ({"texts": [""]}, EmptyCorpusError, "no word to count"),
        (
            {"words": "counts.csv"},
            TypeError,
            r"paths \(\.tsv, \.tsv\.gz, \.tsv\.zst, \.parquet\), not 'counts\.csv'",
        ),
        ({"words": tmp_path / "nothing.tsv"}, InputError, r"nothing\.tsv: No such file"),
        ({"words": [tmp_path / "a.tsv", ("a", 1)]}, TypeError, "words are pairs"),
    ):
        with pytest.raises(error, match=message):
            pw.train.words(path, **arguments)
        assert not path.exists()
    with pytest.raises(ValueError, match=r"a count file ends in \.tsv, .*, and .*a\.csv does not"):
        pw.train.words(tmp_path / "a.csv", texts=["a"])
    unread = iter(["a"])
    for place, reason in (
        (tmp_path / "no" / "a.tsv", "No such file"),
        (files[0] / "a.tsv", "Not a directory"),
    ):
        with pytest.raises(pw.errors.OutputError, match=f"a\\.tsv cannot be written: {reason}"):
            pw.train.words(place, texts=unread)
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(pw.errors.OutputError, match=r"folder\.tsv cannot be written: it is a folder"):
        pw.train.words(tmp_path / "folder.tsv", texts=unread)
    assert list(unread) == ["a"]


def test_a_count_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("what was there", encoding="utf-8")

    def stop(progress: pw.train.TrainingProgress) -> None:
        if progress.phase == "merge":
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        pw.train.words(path, texts=["a b c"], progress=stop)
    assert path.read_text(encoding="utf-8") == "what was there"
    assert [one.name for one in tmp_path.iterdir()] == ["a.tsv"]
