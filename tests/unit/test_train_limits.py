"""What a training may take, what it says on its way, and what it says that it could not do."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework.train import memory_limits, request
from piecework.train.memory_limits import MemoryLimits, available_bytes, bytes_of
from piecework.train.sources import lines, units

TEXTS = [
    " ".join(
        "".join(random.Random(at * 99 + word).choices("abcdefé日", k=3 + word % 5)) for word in range(40)
    )
    for at in range(400)
]


@pytest.mark.parametrize(
    ("size", "n_bytes"),
    [
        (300_000_000, 300_000_000),
        ("2GB", 2_000_000_000),
        ("2 gb", 2_000_000_000),
        ("1.5 MB", 1_500_000),
        ("256MiB", 268_435_456),
        ("7", 7),
        ("12kB", 12_000),
        ("3TB", 3_000_000_000_000),
    ],
)
def test_sizes(size: str | int, n_bytes: int) -> None:
    assert bytes_of("max_memory", size) == n_bytes


@pytest.mark.parametrize("size", ["", "GB", "2 PB", "-1GB", "1e9", "2GB2", "1" * 30, "٣GB", "2,5GB"])
def test_what_is_no_size(size: str) -> None:
    with pytest.raises(ValueError, match=r'max_memory is a number of bytes or a size such as "2GB", not '):
        pw.train.bpe(texts=["a"], n_merges=1, max_memory=size)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"max_memory": "255MB"},
            ValueError,
            "max_memory is 255.00 MB, and training takes at least 256.00 MB",
        ),
        ({"max_memory": 0}, ValueError, "max_memory is 0 B, and"),
        ({"max_memory": -1}, ValueError, "max_memory is a number of bytes from 0"),
        ({"max_memory": 2.5e9}, TypeError, "max_memory is a number of bytes or a size"),
        ({"max_memory": True}, TypeError, "max_memory is a number of bytes or a size"),
        ({"min_word_count": 0}, ValueError, "min_word_count is at least 1"),
        ({"min_word_count": 1.0}, TypeError, "min_word_count is an int"),
        ({"errors": "ignore"}, ValueError, 'errors is "strict", "replace" or "skip", not \'ignore\''),
        ({"field": ""}, ValueError, "field is empty"),
        ({"field": 3}, TypeError, "field is a str"),
        ({"progress": 3}, TypeError, "progress is a callable, not int"),
        ({"initial_alphabet": "abc"}, ValueError, 'initial_alphabet= goes with base="chars"'),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pw.train.bpe(texts=["a b"], n_merges=1, **arguments)


def test_what_a_container_has_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meminfo = tmp_path / "meminfo"
    limit, usage, stat = (tmp_path / name for name in ("max", "current", "stat"))
    monkeypatch.setattr(memory_limits, "_MEMINFO", meminfo)
    monkeypatch.setattr(memory_limits, "_CGROUPS", ((str(limit), str(usage), str(stat)),))
    assert available_bytes() is None
    assert memory_limits.memory_limits(None) == MemoryLimits(None, None, lines.MAX_LINE_BYTES)
    meminfo.write_text("MemTotal:       9000000 kB\nMemAvailable:    1000000 kB\n", encoding="utf-8")
    assert available_bytes() == 1_024_000_000
    limit.write_text("max\n", encoding="utf-8")
    usage.write_text("300000000\n", encoding="utf-8")
    assert available_bytes() == 1_024_000_000
    limit.write_text("1000000000\n", encoding="utf-8")
    assert available_bytes() == 700_000_000
    stat.write_text("anon 1\ninactive_file 200000000\n", encoding="utf-8")
    assert available_bytes() == 900_000_000
    assert memory_limits.memory_limits(None).max_bytes == 720_000_000
    # A machine that is full already: learning would be refused, not killed.
    usage.write_text("1200000000\n", encoding="utf-8")
    assert memory_limits.memory_limits(None).max_bytes == memory_limits.MIN_MEMORY_BYTES
    assert memory_limits.memory_limits("2GB").max_bytes == 2_000_000_000


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_counts_that_go_to_disk_are_the_same_and_leave_nothing(
    n_threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pw.train.bpe(texts=TEXTS, n_merges=200)
    path = tmp_path / "a.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    whole_file = pw.train.bpe(files=[path], n_merges=200)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    limits = MemoryLimits(20_000, None, lines.MAX_LINE_BYTES)
    monkeypatch.setattr(request, "memory_limits", lambda _: limits)
    phases = set()
    options: dict[str, Any] = {
        "n_merges": 200,
        "n_threads": n_threads,
        "progress": lambda now: phases.add(now.phase),
    }
    for tok, expected in (
        (pw.train.bpe(texts=TEXTS, **options), whole),
        (pw.train.bpe(files=[path], **options), whole_file),
    ):
        assert tok.fingerprint == expected.fingerprint
        assert tok.training is not None
        assert expected.training is not None
        assert tok.training.to_dict() == expected.training.to_dict()
    assert "merge" in phases
    assert list(folder.iterdir()) == []


def test_the_order_of_first_appearance_never_goes_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first: dict[str, Any] = {
        "ties": "first-seen",
        "steps": True,
        "n_merges": 2,
        "pre_tokenizer": "whitespace",
    }
    path = tmp_path / "a.txt"
    texts = [f"zy{at} cb{at}" for at in range(500)]
    path.write_text("\n".join(texts), encoding="utf-8")
    ways: list[dict[str, Any]] = [
        {"texts": texts},
        {"files": [path]},
        {"words": dict.fromkeys(" ".join(texts).split(), 1)},
    ]
    with pytest.raises(ValueError, match=r'max_memory= may send words to disk.* no ties="first-seen"'):
        pw.train.bpe(texts=texts, **first, max_memory="1GB")
    limits = MemoryLimits(1_000, None, lines.MAX_LINE_BYTES)
    monkeypatch.setattr(request, "memory_limits", lambda _: limits)
    for way in ways:
        tok = pw.train.bpe(**way, **first)
        assert tok.training is not None
        # As often as c+b, and of sorted words the second.
        assert tok.training.merges == (("z", "y"), ("c", "b"))
        assert tok.training.steps[0].corpus[:2] == (("zy", "0"), ("c", "b", "0"))


def test_room_is_left_for_the_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    def needed(**size: Any) -> int:
        limits = MemoryLimits(None, 1, lines.MAX_LINE_BYTES)
        monkeypatch.setattr(request, "memory_limits", lambda _: limits)
        with pytest.raises(pw.MemoryCapError) as caught:
            pw.train.bpe(texts=TEXTS, **size)
        return caught.value.needed

    assert needed(vocab_size=900) - needed(vocab_size=300) == 600 * 600
    assert needed(n_merges=44) == needed(vocab_size=300)


def test_ranges_within_a_line_count_as_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "RANGE_BYTES", 100)
    path = tmp_path / "line.txt"
    path.write_text("the cat and the hat " * 50, encoding="utf-8")
    told: list[pw.train.TrainingProgress] = []
    pw.train.bpe(files=[path], n_merges=3, progress=told.append)
    counting = [now for now in told if now.phase == "count"]
    assert (counting[-1].done, counting[-1].total) == (1000, 1000)


def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK_BYTES", 5000)
    path = tmp_path / "a.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    size = path.stat().st_size
    told: list[pw.train.TrainingProgress] = []
    pw.train.bpe(files=[path, path], n_merges=200, progress=told.append)
    counting = [now for now in told if now.phase == "count"]
    assert [now.done for now in counting] == sorted({now.done for now in counting})
    assert (counting[-1].done, counting[-1].total, counting[-1].unit) == (2 * size, 2 * size, "bytes")
    assert len(counting) >= 2 * size // 10_000
    assert counting[-1].n_distinct_words >= counting[0].n_distinct_words > 0
    learning = [now for now in told if now.phase == "learn"]
    assert learning[-1].done == 200
    assert all(now.total == 200 and now.unit == "merges" and 0 <= now.done <= 200 for now in learning)
    told.clear()
    mix = {"source": [{"name": "a", "files": [path], "sample_bytes": 1000}]}
    pw.train.bpe(mix=mix, n_merges=20, progress=told.append)
    assert list(dict.fromkeys(now.phase for now in told))[:2] == ["weigh", "count"]
    told.clear()
    pw.train.bpe(texts=TEXTS, n_merges=20, progress=told.append)
    assert {now.total for now in told if now.phase == "count"} == {None}
    assert max(now.done for now in told if now.phase == "count") == sum(map(len, TEXTS))


def test_what_progress_raises_ends_the_training() -> None:
    def stop(_: pw.train.TrainingProgress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pw.train.bpe(texts=TEXTS, n_merges=20, progress=stop)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 400}, "the corpus fills 258 of 400 entries: no pair is left to merge"),
        ({"n_merges": 9}, "the corpus gives 2 of 9 merges: no pair is left to merge"),
        ({"vocab_size": 300, "min_frequency": 3}, "fills 256 of 300 entries: .* within min_frequency=3"),
        (
            {"vocab_size": 300, "max_token_length": 3},
            "fills 257 of 300 entries: .* within max_token_length=3",
        ),
    ],
)
def test_a_vocabulary_that_is_not_filled_says_what_was_reached(options: dict[str, Any], message: str) -> None:
    with pytest.warns(pw.PieceworkWarning, match=message) as caught:
        tok = pw.train.bpe(words={"abc": 2}, **options)
    assert caught[0].filename == __file__
    assert tok.training is not None
    assert not tok.training.report.is_full


def test_words_that_are_too_few_say_so() -> None:
    with pytest.warns(
        pw.PieceworkWarning, match="the corpus fills 2 of 9 entries: no word is left"
    ) as caught:
        pw.train.wordlevel(texts=["a b a"], vocab_size=9)
    assert caught[0].filename == __file__
    tok = pw.train.wordlevel(texts=["a b a"])
    assert tok.training is not None
    assert tok.training.options["vocab_size"] == 30_000


def test_merges_that_make_a_special_token_are_counted() -> None:
    tok = pw.train.bpe(words={"abc": 9, "abd": 5}, n_merges=3, base="chars", special_tokens=["ab"])
    assert tok.training is not None
    # a+b makes the special token; ab+c and ab+d have it as a part.
    assert tok.training.merges == (("a", "b"), ("ab", "c"), ("ab", "d"))
    assert tok.training.report.n_merges_left_out == 3
    assert "3 merges of special tokens left out" in str(tok.training)
    assert [tok.piece(one) for one in tok.ids("abc")] == ["a", "b", "c"]
    other = pw.train.bpe(words={"abc": 9, "abd": 5}, n_merges=3, base="chars", special_tokens=["<s>"])
    assert other.training is not None
    assert other.training.report.n_merges_left_out == 0
