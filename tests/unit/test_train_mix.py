"""A mix of sources: what is taken follows from the documents, the weights and the seed, and from nothing else."""

from __future__ import annotations

import gzip
import json
import random
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework.errors import InputError, TrainError
from piecework.train.sources import units

WEB = [f"web page number {at} says {at * at}\n" for at in range(4000)]
BOOK = [f"chapter {at}: it was a dark night {'and stormy ' * (at % 5)}\n" for at in range(500)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "web").mkdir()
    for at in range(4):
        (tmp_path / "web" / f"{at}.txt").write_text(
            "".join(WEB[at * 1000 : at * 1000 + 1000]), encoding="utf-8"
        )
    records = "".join(json.dumps({"body": text}) + "\n" for text in BOOK)
    (tmp_path / "book.jsonl.gz").write_bytes(gzip.compress(records.encode()))
    return tmp_path


def mix_of(folder: Path, **options: Any) -> dict[str, Any]:
    web = {"name": "web", "files": str(folder / "web" / "*.txt"), **options.pop("web", {})}
    book = {"name": "book", "files": [folder / "book.jsonl.gz"], "field": "body", **options.pop("book", {})}
    return {"source": [web, book], **options}


def trained(mix: Any, **options: Any) -> pw.Tokenizer:
    return pw.train.bpe(mix=mix, n_merges=20, **options)


def fingerprint(tok: pw.Tokenizer) -> str:
    assert tok.training is not None
    return tok.training.corpus_fingerprint


def sources(tok: pw.Tokenizer) -> list[dict[str, Any]]:
    assert tok.training is not None
    record: Any = tok.training.mix
    found: list[dict[str, Any]] = record["sources"]
    return found


def by_hand(name: str, texts: list[str], target: int, seed: int) -> list[str]:
    """What is taken of a source, by the rule as it is written down."""
    key = blake2b(f"{seed}\0{name}".encode()).digest()
    buckets = [
        int.from_bytes(blake2b(text.encode(), digest_size=2, key=key).digest(), "big") for text in texts
    ]
    n_times, left = divmod(target, sum(len(text.encode()) for text in texts))
    sizes = [0] * 65_536
    for bucket, text in zip(buckets, texts, strict=True):
        sizes[bucket] += len(text.encode())
    limit = 0
    while limit < 65_536 and sizes[limit] <= left:
        left -= sizes[limit]
        limit += 1
    more = [text for bucket, text in zip(buckets, texts, strict=True) if bucket < limit]
    return texts * n_times + more


def test_without_weights_everything_is_taken_once(folder: Path) -> None:
    tok = trained(mix_of(folder))
    assert fingerprint(tok) == fingerprint(pw.train.bpe(texts=WEB + BOOK, n_merges=20))
    web, book = sources(tok)
    n_web, n_book = (sum(map(len, texts)) for texts in (WEB, BOOK))
    assert (web["n_documents"], web["n_bytes"], web["n_files"]) == (4000, n_web, 4)
    assert (book["n_documents"], book["n_bytes"]) == (500, n_book)
    assert [source["n_documents_taken"] for source in (web, book)] == [4000, 500]
    assert web["share"] == n_web / (n_web + n_book)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(
    ("options", "targets"),
    [
        ({"sample_bytes": 40_000, "web": {"weight": 1}, "book": {"weight": 3}}, (10_000, 30_000)),
        ({"sample_bytes": "100kB", "web": {"weight": 0.5}, "book": {"weight": 0.5}}, (50_000, 50_000)),
        ({"sample_bytes": 30_000, "temperature": 0}, (15_000, 15_000)),
        ({"web": {"sample_bytes": 1000}, "book": {"sample_bytes": "0.2MB"}}, (1000, 200_000)),
        ({"sample_bytes": 20_000, "web": {"sample_bytes": 5000}}, (5000, 15_000)),
    ],
)
def test_the_rule_by_hand(options: dict[str, Any], targets: tuple[int, int], seed: int, folder: Path) -> None:
    tok = trained(mix_of(folder, seed=seed, **options))
    web = by_hand("web", WEB, targets[0], seed)
    book = by_hand("book", BOOK, targets[1], seed)
    assert fingerprint(tok) == fingerprint(pw.train.bpe(texts=web + book, n_merges=20))
    for source, texts, taken, target in zip(sources(tok), (WEB, BOOK), (web, book), targets, strict=True):
        n_bytes = sum(map(len, taken))
        assert (source["n_documents_taken"], source["n_bytes_taken"]) == (len(taken), n_bytes)
        assert source["n_times"] == target // sum(map(len, texts))
        # Missed by less than a bucket; no two of these documents share one with much.
        assert target - 400 < n_bytes <= target
        assert source["share"] == target / sum(targets)
    assert tok.training is not None
    assert json.loads(json.dumps(tok.training.to_dict()))["mix"] == tok.training.mix


def test_a_temperature_between_flattens_the_shares(folder: Path) -> None:
    n_web, n_book = (sum(map(len, texts)) for texts in (WEB, BOOK))
    web, book = sources(trained(mix_of(folder, temperature=0.5)))
    assert web["share"] == pytest.approx(n_web**0.5 / (n_web**0.5 + n_book**0.5), rel=1e-12)
    assert book["n_times"] == int(book["share"] * (n_web + n_book)) // n_book
    assert abs(web["n_bytes_taken"] + book["n_bytes_taken"] - (n_web + n_book)) < 800


def test_order_threads_and_ranges_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"sample_bytes": 50_000, "web": {"weight": 2}, "book": {"weight": 1}}
    first = trained(mix_of(folder, **options), n_threads=1)
    mix = mix_of(folder, **options)
    mix["source"][0]["files"] = sorted((folder / "web").iterdir(), reverse=True)
    mix["source"].reverse()
    monkeypatch.setattr(units, "RANGE_BYTES", 777)
    for n_threads in (1, 2, 8):
        tok = trained(mix, n_threads=n_threads)
        assert fingerprint(tok) == fingerprint(first)
        assert tok.fingerprint == first.fingerprint
        assert sources(tok)[::-1] == sources(first)
    # One more document moves the threshold, and not which documents come first.
    (folder / "web" / "4.txt").write_text("a new page\n", encoding="utf-8")
    more = sources(trained(mix_of(folder, **options)))[0]
    assert abs(more["n_documents_taken"] - sources(first)[0]["n_documents_taken"]) <= 2


def test_the_seed_draws(folder: Path) -> None:
    mix = mix_of(folder, seed=3, sample_bytes=20_000)
    three = fingerprint(trained(mix))
    assert three != fingerprint(trained(mix, seed=4))
    assert three == fingerprint(trained(mix_of(folder, sample_bytes=20_000), seed=3))


def test_a_mix_in_toml_has_paths_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "mix.toml"
    path.write_text(
        'seed = 5\nsample_bytes = "30kB"\n'
        '[[source]]\nname = "web"\nfiles = "web/*.txt"\nweight = 0.1\n'
        '[[source]]\nname = "book"\nfiles = ["book.jsonl.gz"]\nfield = "body"\nweight = 0.2\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(folder.parent)
    tok = trained(path)
    taken = by_hand("web", WEB, 10_000, 5) + by_hand("book", BOOK, 20_000, 5)
    assert fingerprint(tok) == fingerprint(pw.train.bpe(texts=taken, n_merges=20))
    assert [source["weight"] for source in sources(tok)] == [0.1, 0.2]
    assert [source["share"] for source in sources(tok)] == [1 / 3, 2 / 3]


def test_parts_of_a_mix_make_the_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "RANGE_BYTES", 9000)
    mix = mix_of(folder, sample_bytes=300_000, web={"weight": 1}, book={"weight": 2})
    whole = trained(mix)
    paths = [folder / f"{at}.tsv.gz" for at in range(1, 4)]
    reports = [pw.train.words(path, mix=mix, part=(at, 3)) for at, path in enumerate(paths, 1)]
    assert all(report.n_words for report in reports)
    tok = pw.train.bpe(words=paths, n_merges=20)
    assert fingerprint(tok) == fingerprint(whole)
    assert tok.fingerprint == whole.fingerprint
    assert whole.training is not None
    assert tok.training is not None
    assert tok.training.mix == whole.training.mix == reports[0].mix


def test_broken_documents_weigh_what_is_left_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"good\n\xffbad\n\ngood too\n")
    mix = {"source": [{"name": "a", "files": str(tmp_path / "a.txt")}]}
    for errors, n_documents, n_bytes, n_invalid in (("replace", 4, 5 + 7 + 1 + 9, 1), ("skip", 3, 15, 1)):
        tok = pw.train.bpe(mix=mix, n_merges=2, errors=errors)  # type: ignore[arg-type]
        (source,) = sources(tok)
        assert (source["n_documents"], source["n_bytes"]) == (n_documents, n_bytes)
        assert tok.training is not None
        assert tok.training.report.n_invalid == n_invalid
    with pytest.raises(pw.errors.NotUnicodeError, match=r"a\.txt is not UTF-8 at byte 5"):
        pw.train.bpe(mix=mix, n_merges=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "source: there is none"),
        ("source = 3", "source: there is none"),
        (
            "sede = 3\n[[source]]\nname = 'a'\nfiles = 'a.txt'",
            "sede: there is no such key; there are seed, sample_bytes",
        ),
        (
            "[[source]]\nname = 'a'\nfile = 'a.txt'",
            r"source\[0\]\.file: there is no such key; there are name, files",
        ),
        ("[[source]]\nfiles = 'a.txt'", r"source\[0\]\.name: each source has a name"),
        ("[[source]]\nname = 'a'", r"source\[0\]\.files: it names a file"),
        ("[[source]]\nname = 'a'\nfiles = []", r"source\[0\]\.files: it names a file"),
        ("[[source]]\nname = 'a'\nfiles = [3]", r"source\[0\]\.files: 3 is no path"),
        ("[[source]]\nname = 'a'\nfiles = '*.md'", r"source\[0\]\.files: no file is called like \*\.md"),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = -1",
            r"source\[0\]\.weight: it is a number from 0",
        ),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = nan",
            r"source\[0\]\.weight: it is a number from 0",
        ),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = '3'",
            r"source\[0\]\.weight: it is a number from 0",
        ),
        ("[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = 0", r"source\[0\]\.weight: it is 0"),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nsample_bytes = 'much'",
            r"source\[0\]\.sample_bytes: it is a number",
        ),
        ("sample_bytes = 0\n[[source]]\nname = 'a'\nfiles = 'a.txt'", "sample_bytes: nothing would be taken"),
        ("seed = 1.5\n[[source]]\nname = 'a'\nfiles = 'a.txt'", "seed: it is a whole number"),
        (
            "temperature = 1\n[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = 2",
            r"source\[0\]\.weight: the mix has a temperature",
        ),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = 2\nsample_bytes = 3",
            r"source\[0\]\.weight: the source has sample_bytes",
        ),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\nweight = 2\n[[source]]\nname = 'b'\nfiles = 'a.txt'",
            r"source\[1\]\.weight: the other sources have weights",
        ),
        (
            "[[source]]\nname = 'a'\nfiles = 'a.txt'\n[[source]]\nname = 'a'\nfiles = 'a.txt'",
            r"source\[1\]\.name: 'a' is the name of two sources",
        ),
        ("[[source]\n", "it is no TOML"),
        ("a = " + "[" * 5000, "it is no TOML"),
        ("a = \xff", "it is not UTF-8 at byte 4"),
    ],
)
def test_a_mix_that_makes_no_sense_names_file_and_key(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text\n", encoding="utf-8")
    path = tmp_path / "mix.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=rf"mix\.toml: {message}") as caught:
        trained(path)
    assert caught.value.path == str(path)


def test_a_mix_that_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text\n" * 9, encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    a = {"name": "a", "files": str(tmp_path / "a.txt")}
    empty = {"name": "empty", "files": str(tmp_path / "empty.txt")}
    with pytest.raises(TrainError, match="the source 'empty' of the mix has no text"):
        trained({"source": [a, empty]})
    fixed = {**a, "sample_bytes": 100}
    with pytest.raises(TrainError, match="takes 50 bytes in all, and its sources with sample_bytes take 100"):
        trained({"source": [fixed, {**a, "name": "b"}], "sample_bytes": 50})
    with pytest.raises(InputError, match=r"nothing\.txt: No such file"):
        trained({"source": [{"name": "a", "files": str(tmp_path / "nothing.txt")}]})
    with pytest.raises(InputError, match=r"mix\.toml: No such file"):
        trained(tmp_path / "mix.toml")
    with pytest.raises(TypeError, match="mix is the path of a TOML file or a mapping, not int"):
        trained(3)
    with pytest.raises(ValueError, match="seed= draws the documents of a mix"):
        pw.train.bpe(texts=["a"], n_merges=1, seed=3)


def test_documents_that_are_equal_are_taken_together(tmp_path: Path) -> None:
    texts = ["same\n"] * 1000 + [f"other {random.Random(at).random()}\n" for at in range(100)]
    (tmp_path / "a.txt").write_text("".join(texts), encoding="utf-8")
    mix = {"source": [{"name": "a", "files": str(tmp_path / "a.txt"), "sample_bytes": 2500}]}
    tok = trained(mix)
    assert fingerprint(tok) == fingerprint(pw.train.bpe(texts=by_hand("a", texts, 2500, 0), n_merges=20))
    assert 0 < sources(tok)[0]["n_documents_taken"] < 101
