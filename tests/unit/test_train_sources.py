"""Where words come from: files of every format give the same words, broken ones are refused by their place."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import piecework as pw
from piecework.errors import EncodeError, InputError, NotUnicodeError
from piecework.train.sources import lines, units
from piecework.train.sources.lines import line_blocks, safe_cut

DOCUMENTS = [
    " ".join(random.Random(at).choices(["one", "two", "drei", "où", "日本", "🙂", "a\nb", " "], k=1 + at % 9))
    for at in range(900)
]


def counted(**source: Any) -> tuple[str, str]:
    """The words and the tokenizer, by their fingerprints."""
    tok = pw.train.bpe(n_merges=3, **source)
    assert tok.training is not None
    return tok.training.corpus_fingerprint, tok.fingerprint


def table() -> pa.Table:
    return pa.table(
        {
            "id": list(range(len(DOCUMENTS))),
            "text": DOCUMENTS,
            "inner": pa.array([{"body": text} for text in DOCUMENTS]),
            "coded": pa.array(DOCUMENTS).dictionary_encode(),
            "view": pa.array(DOCUMENTS, pa.string_view()),
            "raw": pa.array([text.encode() for text in DOCUMENTS], pa.large_binary()),
        }
    )


def arrow_bytes(*, is_file: bool) -> bytes:
    sink = io.BytesIO()
    new = pa.ipc.new_file if is_file else pa.ipc.new_stream
    with new(sink, table().schema) as writer:
        writer.write_table(table(), max_chunksize=100)
    return sink.getvalue()


def json_lines() -> bytes:
    records = [json.dumps({"id": 1, "text": text, "a": {"b": text}}) for text in DOCUMENTS]
    return ("\ufeff" + "\r\n".join(records) + "\n\n").encode()


@pytest.mark.parametrize(
    ("name", "content", "fields"),
    [
        ("a.jsonl", json_lines(), ["text", "a.b"]),
        ("a.ndjson.gz", gzip.compress(json_lines()), ["text", "a.b"]),
        (
            "a.JSONL.ZST",
            zstandard.compress(json_lines()[:5000]) + zstandard.compress(json_lines()[5000:]),
            ["a.b"],
        ),
        ("a.arrow", arrow_bytes(is_file=True), ["text", "inner.body", "coded", "raw", "view"]),
        ("a.feather", arrow_bytes(is_file=False), ["text", "inner.body"]),
        ("a.ipc.gz", gzip.compress(arrow_bytes(is_file=False)), ["text", "raw"]),
        ("a.feather.gz", gzip.compress(arrow_bytes(is_file=True)), ["text", "inner.body", "coded", "view"]),
        ("a.arrow.zst", zstandard.compress(arrow_bytes(is_file=False)), ["coded"]),
    ],
)
def test_records_and_rows_are_texts_as_they_are(
    name: str, content: bytes, fields: list[str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    expected = counted(texts=DOCUMENTS)
    for field in fields:
        assert counted(files=[path], field=field) == expected


def test_parquet_is_read_by_row_group(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path, row_group_size=77)
    assert [unit.group for unit in units.file_units(path, "text")] == list(range(12))
    expected = counted(texts=DOCUMENTS)
    for field in ("text", "inner.body", "coded", "raw"):
        assert counted(files=[path], field=field) == expected


def test_a_null_is_no_text(tmp_path: Path) -> None:
    some = [text if at % 3 else None for at, text in enumerate(DOCUMENTS)]
    pq.write_table(pa.table({"text": some}), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text(
        "\n".join(json.dumps({"text": text}) for text in some), encoding="utf-8"
    )
    expected = counted(texts=[text for text in some if text is not None])
    for name in ("a.parquet", "a.jsonl"):
        assert counted(files=[tmp_path / name]) == expected


def test_lines_are_texts_with_their_ends_however_they_are_packed(tmp_path: Path) -> None:
    text = "\n".join(DOCUMENTS) + "\r\n\x0b\x85 end"
    data = text.encode()
    expected = counted(texts=[line.decode() for line in io.BytesIO(data).readlines()])
    for name, content in (
        ("a.txt", data),
        ("b", data),
        ("c.txt.gz", gzip.compress(data[:99]) + gzip.compress(data[99:])),
        ("d.gz", gzip.compress(data)),
        ("e.txt.zst", zstandard.compress(data)),
        ("f.zst", zstandard.compress(data[:77]) + zstandard.compress(data[77:])),
    ):
        (tmp_path / name).write_bytes(content)
        assert counted(files=[tmp_path / name]) == expected


def test_files_of_several_formats_are_one_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat\nthe dog\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "a\\n\\nb"}\n', encoding="utf-8")
    expected = counted(texts=["the cat\n", "the dog\n", "a\n\nb"])
    assert counted(files=[tmp_path / "a.txt", tmp_path / "b.jsonl"]) == expected
    assert counted(files=[tmp_path / "b.jsonl", tmp_path / "a.txt"]) == expected


class Speaks:
    """What speaks Arrow and nothing else."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self._array.__arrow_c_array__(requested_schema)


@pytest.mark.parametrize(
    "texts",
    [
        pa.array(DOCUMENTS),
        pa.array(DOCUMENTS, pa.large_string()),
        pa.array(DOCUMENTS, pa.string_view()),
        pa.chunked_array([DOCUMENTS[:400], DOCUMENTS[400:]]),
        Speaks(pa.array(DOCUMENTS)),
        table(),
    ],
)
def test_texts_may_be_those_of_arrow(texts: Any) -> None:
    assert counted(texts=texts) == counted(texts=DOCUMENTS)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()], ids=str)
def test_a_null_in_arrow_is_no_text(kind: pa.DataType) -> None:
    some = [text if at % 3 else None for at, text in enumerate(DOCUMENTS)]
    array = pa.array(some, pa.string()).cast(kind)
    expected = counted(texts=[text for text in some if text is not None])
    halves = pa.chunked_array([array[:400], array[400:]])
    for texts in (array, array[:400], halves, pa.table({"text": halves})):
        less = expected if len(texts) == len(some) else counted(texts=[text for text in some[:400] if text])
        assert counted(texts=texts) == less


def test_texts_of_a_dictionary_are_those_that_it_stands_for() -> None:
    array = pa.array([*DOCUMENTS, None, DOCUMENTS[0]]).dictionary_encode()
    expected = counted(texts=[*DOCUMENTS, DOCUMENTS[0]])
    for texts in (array, pa.chunked_array([array[:400], array[400:]])):
        assert counted(texts=texts) == expected


def test_a_stream_of_record_batches_is_read_batch_by_batch() -> None:
    alive: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in table().to_batches(max_chunksize=50):
            alive.append(batch.num_rows)
            yield batch

    reader = pa.RecordBatchReader.from_batches(table().schema, batches())
    assert counted(texts=reader, field="raw") == counted(texts=DOCUMENTS)
    assert alive == [50] * 18


def test_ranges_of_a_file_own_the_lines_that_start_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(5)
    for round_ in range(300):
        data = bytes(chance.choices(b"\nab", weights=[chance.randint(1, 4), 3, 3], k=chance.randint(0, 40)))
        monkeypatch.setattr(lines, "BLOCK_BYTES", chance.randint(1, 12))
        size = chance.randint(1, 9)
        found: list[bytes] = []
        for start in range(0, len(data), size):
            end = min(start + size, len(data))
            blocks = list(line_blocks(io.BytesIO(data), tmp_path, start=start, end=end))
            for at, block in blocks:
                assert data[at : at + len(block)] == block, round_
                # It starts a line, and all of its lines start in the range.
                assert at == 0 or data[at - 1 : at] == b"\n"
                assert start <= at
                assert at + len(block.rstrip(b"\n").rpartition(b"\n")[0]) < end
            found.extend(block for _, block in blocks)
        assert b"".join(found) == data


class CountingBytes(io.BytesIO):
    """Bytes that know how many of them were read."""

    n_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.n_read += len(found)
        return found


@pytest.mark.parametrize(
    ("start", "n_bytes", "line_bytes", "most_read"),
    [
        (0, 100, 50, 4096),
        (5000, 100, 50, 2 * 4096),
        (2**20, 2**18, 50, 2**18 + 4096),
        # A line goes on behind the range: no more than twice what it takes to find its end, and a block at most.
        (0, 100, 10_000, 20_000),
        (0, 100, 2**20, 2 * 2**20),
    ],
)
def test_a_range_reads_little_more_than_it_needs(
    start: int, n_bytes: int, line_bytes: int, most_read: int
) -> None:
    line = b"a" * (line_bytes - 1) + b"\n"
    stream = CountingBytes(line * (2**24 // line_bytes))
    found = b"".join(
        block for _, block in line_blocks(stream, Path("a.txt"), start=start, end=start + n_bytes)
    )
    n_lines = len(range(-(-start // line_bytes) * line_bytes, start + n_bytes, line_bytes))
    assert found == line * n_lines
    assert stream.n_read <= most_read


def test_ranges_give_the_words_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(DOCUMENTS), encoding="utf-8")
    records = tmp_path / "a.jsonl"
    records.write_bytes(json_lines())
    whole, whole_records = counted(files=[path]), counted(files=[records])
    for size in (1000, 4097):
        monkeypatch.setattr(units, "RANGE_BYTES", size)
        assert len(units.file_units(path, "text")) > 3
        for n_threads in (1, 2, 8):
            assert counted(files=[path], n_threads=n_threads) == whole
            assert counted(files=[records], n_threads=n_threads) == whole_records


@pytest.mark.parametrize("pre_tokenizer", ["gpt2", "cl100k_base", "o200k_base", "qwen3", "whitespace"])
def test_a_line_longer_than_a_block_is_cut_where_no_word_notices(
    pre_tokenizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    pieces = [
        "word",
        "Word's",
        " ",
        "  ",
        "日本語、",
        "言葉。",
        "，",
        "12 34",
        "don't",
        "x",
        "\t",
        "...",
        "é",
        "e\u0301 ",
    ]
    text = "".join(chance.choices(pieces, k=6000)) + "a b c d " * 500
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8", newline="")
    for normalizer in (None, "nfkc", ["nfd", "lowercase", "strip-accents"]):
        options: dict[str, Any] = {"pre_tokenizer": pre_tokenizer, "normalizer": normalizer}
        whole = counted(texts=[text], **options)
        with monkeypatch.context() as patched:
            for size in (50, 333):
                patched.setattr(lines, "BLOCK_BYTES", size)
                blocks = list(line_blocks(io.BytesIO(text.encode()), path, cut=safe_cut(pre_tokenizer)))
                assert len(blocks) > 20
                assert max(len(block) for _, block in blocks) < 60 * size
                assert counted(files=[path], **options) == whole


def test_a_line_that_cannot_be_cut_is_refused_where_memory_is_short(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"short\n" + b"ab" * (20 << 20))
    with pytest.raises(
        InputError, match=r"a\.txt: the line from byte 6 on is longer than 16,777,216 bytes"
    ) as caught:
        pw.train.bpe(files=[path], n_merges=3, pre_tokenizer="[^,]+", max_memory="256MB")
    assert caught.value.hint == "break it into lines, or give more max_memory="
    assert "cut only outside of a mix, and by a named pre-tokenizer" in str(caught.value)


def test_a_line_without_a_place_to_be_cut_is_refused_as_that(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"short\n" + b"9" * (40 << 20))
    with pytest.raises(InputError) as caught:
        pw.train.bpe(files=[path], n_merges=3, pre_tokenizer="gpt2", max_memory="256MB")
    assert str(caught.value).splitlines()[0] == (
        f"{path}: the line from byte 6 on has no place to be cut within 16,777,216 bytes"
    )
    records = tmp_path / "a.jsonl"
    records.write_bytes(b'{"text": "' + b"a b " * (10 << 20) + b'"}')
    with pytest.raises(InputError) as caught:
        pw.train.bpe(files=[records], n_merges=3, pre_tokenizer="gpt2", max_memory="256MB")
    assert str(caught.value).splitlines()[0] == (
        f"{records}: the line from byte 0 on is longer than 16,777,216 bytes: a record is read whole"
    )
    assert caught.value.hint == "make several of it, or give more max_memory="


def test_no_memory_helps_where_the_limit_is_that_of_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 10)
    with pytest.raises(InputError) as caught:
        list(line_blocks(io.BytesIO(b"a" * 11), tmp_path / "a.txt", max_line_bytes=10))
    assert caught.value.hint == "break it into lines"


def test_broken_utf8_is_refused_by_file_and_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\n" * 50 + b"ab\xffcd\n")
    monkeypatch.setattr(units, "RANGE_BYTES", 100)
    with pytest.raises(NotUnicodeError, match=r"a\.txt is not UTF-8 at byte 252") as caught:
        counted(files=[path])
    assert caught.value.index == 252
    assert 'errors="skip"' in str(caught.value)
    records = tmp_path / "b.jsonl"
    records.write_bytes(b'{"text": "fine"}\n' * 20 + b'{"text": "b\xc3("}\n')
    with pytest.raises(NotUnicodeError, match=r"b\.jsonl: line 21|b\.jsonl is not UTF-8 at byte 351"):
        counted(files=[records])
    halves = tmp_path / "c.jsonl"
    halves.write_text('{"text": "fine"}\n' * 20 + '{"text": "a\\ud800"}\n', encoding="utf-8")
    with pytest.raises(NotUnicodeError, match=r"c\.jsonl: line 21: the text is not Unicode at character 1"):
        counted(files=[halves])
    rows = tmp_path / "d.parquet"
    pq.write_table(pa.table({"text": [b"a", None, b"b\xff"]}), rows)
    with pytest.raises(NotUnicodeError, match=r"d\.parquet: row 3: the text is not Unicode at byte 1"):
        counted(files=[rows])
    with pytest.raises(NotUnicodeError, match="text 70,001: the input is not UTF-8 at byte 1"):
        counted(texts=["a"] * 70_001 + [b"b\xff"])


INVALID = [b"one two", b"\xff\xfe three", b"four \xe6\x97 five", "six \ufffd".encode(), b"seven"]


@pytest.mark.parametrize("kind", ["a.txt", "a.txt.gz", "a.jsonl", "a.parquet", "texts", "arrow", "mixed"])
def test_broken_utf8_is_replaced_or_left_out_and_counted(kind: str, tmp_path: Path) -> None:
    ends = b"\n" if kind.startswith("a.txt") or kind == "mixed" else b""
    source: dict[str, Any]
    if kind == "texts":
        source = {"texts": INVALID}
    elif kind == "arrow":
        source = {"texts": pa.array(INVALID, pa.binary())}
    else:
        path = tmp_path / ("a.txt" if kind == "mixed" else kind)
        source = {"files": [path]}
        if kind == "a.parquet":
            pq.write_table(pa.table({"text": INVALID}), path, row_group_size=2)
        else:
            data = b"".join(
                b'{"text": "%b"}\n' % text if kind == "a.jsonl" else text + b"\n" for text in INVALID
            )
            path.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
        if kind == "mixed":
            (tmp_path / "b.jsonl").write_text('{"text": "one two"}\n', encoding="utf-8")
            source["files"].append(tmp_path / "b.jsonl")
    more = ["one two"] if kind == "mixed" else []
    replaced = [(text + ends).decode("utf-8", "replace") for text in INVALID]
    kept = [replaced[0], replaced[3], replaced[4]]
    for errors, texts in (("replace", replaced), ("skip", kept)):
        tok = pw.train.bpe(n_merges=5, errors=errors, **source)  # type: ignore[arg-type]
        assert tok.training is not None
        assert tok.training.corpus_fingerprint == counted(texts=texts + more)[0]
        assert tok.training.report.n_invalid == 3
        assert "3 sequences not UTF-8" in str(tok.training)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            b'{"text": "a"}\n{"text": \n',
            r"a\.jsonl: line 2: no JSON: Expecting value at column 10",
        ),
        ("a.jsonl", b'{"text": "a"}\n[1]\n', "line 2: the record is no object with the field 'text'"),
        ("a.jsonl", b'{"body": "a", "id": 3}\n', "line 1: there is no field 'text'; there are 'body', 'id'"),
        ("a.jsonl", b'{"text": 3}\n', "line 1: the field 'text' is no text: int"),
        ("a.jsonl", b"[" * 100_000, "line 1: JSON that cannot be read: nests too deeply"),
        ("a.jsonl", b'{"text": ' + b"1" * 5000 + b"}", "line 1: the field 'text' is no text: int"),
        ("a.parquet", b"PAR1 and no more", r"a\.parquet: "),
        ("a.parquet.gz", b"", r"a\.parquet\.gz: Parquet is read from its end"),
        ("a.arrow", b"ARROW1\0\0 and no more of it", r"a\.arrow: "),
        ("a.arrow", b"nothing of the kind", r"a\.arrow: "),
        ("a.feather", b"FEA1 and so on", r"a\.feather: Feather of version 1 is not read"),
        ("a.gz", gzip.compress(b"a b c" * 99)[:-9], r"a\.gz: Compressed file ended"),
        ("a.gz", b"no gzip", r"a\.gz: Not a gzipped file"),
        (
            "a.zst",
            zstandard.compress(b"a b c" * 9999)[:-3],
            r"a\.zst: the file is cut off inside a Zstandard frame",
        ),
        ("a.zst", b"no zstd at all", r"a\.zst: "),
        (
            "a.jsonl.zst",
            zstandard.compress(b'{"text": "a"}\n\n{"text": 1}'),
            "line 3: the field 'text' is no text",
        ),
    ],
)
def test_what_is_not_what_its_suffix_says_is_refused(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        counted(files=[path])
    assert caught.value.path == str(path)


def test_an_arrow_file_whose_strings_lie_outside_of_it_is_refused(tmp_path: Path) -> None:
    sink = io.BytesIO()
    one = pa.record_batch({"text": ["first", "second", "third"]})
    with pa.ipc.new_stream(sink, one.schema) as writer:
        writer.write_batch(one)
    offsets = b"".join(at.to_bytes(4, "little") for at in (0, 5, 11, 16))
    assert sink.getvalue().count(offsets) == 1
    path = tmp_path / "a.arrow"
    for wrong in ((0, 5, 1 << 30, 16), (0, 11, 5, 16), (-9, 5, 11, 16), (0, 5, 11, 1 << 20)):
        damaged = b"".join(at.to_bytes(4, "little", signed=True) for at in wrong)
        path.write_bytes(sink.getvalue().replace(offsets, damaged))
        with pytest.raises(InputError, match=r"a\.arrow: "):
            counted(files=[path])


def test_a_column_that_is_none_names_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path)
    with pytest.raises(InputError, match="no column 'body'; there are id, text, inner, coded, view, raw"):
        counted(files=[path], field="body")
    with pytest.raises(InputError, match="the column 'id' holds no text, but int64"):
        counted(files=[path], field="id")
    with pytest.raises(InputError, match=r"no column 'inner\.x'"):
        counted(files=[path], field="inner.x")
    with pytest.raises(ValueError, match="texts has no column 'body'"):
        counted(texts=table(), field="body")


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder, not a file") as caught:
        counted(files=[tmp_path])
    assert "glob" in str(caught.value.hint)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is a pipe, not a file"):
        counted(files=[pipe])


def test_a_text_that_its_pattern_gives_up_on_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a" * 40 + "!\n", encoding="utf-8")
    with pytest.raises(EncodeError, match=r"a\.txt: "):
        counted(files=[path], pre_tokenizer=r"(a|aa)+\1(?=$)|(?:a+)+(?<!a)b")


def test_an_archive_that_unpacks_to_very_much_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    with zstandard.open(path, "wb") as stream:
        for _ in range(150):
            stream.write(b"the same words again " * 50_000 + b"\n")
    assert path.stat().st_size < 300_000
    code = (
        "import resource, sys, piecework as pw\n"
        "base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "tok = pw.train.bpe(files=[sys.argv[1]], n_merges=3, n_threads=2)\n"
        "print(tok.training.report.n_words, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    n_words, grown_mb = map(int, done.stdout.split())
    assert n_words == 150 * (4 * 50_000 + 1)
    assert grown_mb < 120


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("a.parquet", "pyarrow", "arrow"), ("a.arrow", "pyarrow", "arrow"), ("a.txt.zst", "zstandard", "zstd")],
)
def test_what_is_not_installed_is_named_with_its_extra(
    name: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    for loaded in [one for one in sys.modules if one.split(".")[0] == module]:
        monkeypatch.setitem(sys.modules, loaded, None)
    message = f"this needs {module}, which is not installed"
    with pytest.raises(pw.errors.MissingExtraError, match=message) as caught:
        counted(files=[tmp_path / name])
    assert caught.value.hint == f'pip install "piecework[{extra}]"'
    counts = tmp_path / ("counts.parquet" if extra == "arrow" else "counts.tsv.zst")
    with pytest.raises(pw.errors.MissingExtraError, match=message):
        pw.train.words(counts, texts=iter(()))


@pytest.mark.parametrize(
    ("name", "content", "message", "hint"),
    [
        ("a.txt", gzip.compress(b"one two\n"), "it is a gzip file, not text", "give it the suffix .gz"),
        ("a.jsonl", gzip.compress(b"{}\n"), "it is a gzip file, not text", "give it the suffix .gz"),
        ("a", zstandard.compress(b"one\n"), "it is a Zstandard file, not text", "give it the suffix .zst"),
        ("a.txt", arrow_bytes(is_file=True), "it is an Arrow file, not text", "give it the suffix .arrow"),
        ("a.tsv", b"# piecework.words/1 {}\nword\t1\n", "it holds words that are counted", "words= takes it"),
        (
            "a.tsv",
            b"\xef\xbb\xbf# piecework.words/1 {}\n",
            "it holds words that are counted",
            "words= takes it",
        ),
        (
            "a.tsv.gz",
            gzip.compress(b"# piecework.words/1 {}\nword\t1\n"),
            "it holds words that are counted",
            "words= takes it",
        ),
    ],
)
def test_what_is_no_text_is_told_by_its_beginning(
    name: str, content: bytes, message: str, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for errors in ("strict", "replace"):
        with pytest.raises(InputError, match=message) as caught:
            counted(files=[path], errors=errors)
        assert (caught.value.path, caught.value.hint) == (str(path), hint)


def test_parquet_without_its_suffix_is_refused_and_text_that_begins_so_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    pq.write_table(table(), path)
    with pytest.raises(InputError, match="it is a Parquet file, not text") as caught:
        counted(files=[path])
    assert caught.value.hint == "give it the suffix .parquet"
    for text in (b"PAR1 is how it begins\n", b"ARROW1 too", b"# piecework is not words\n"):
        path.write_bytes(text)
        assert counted(files=[path]) == counted(texts=[text])
