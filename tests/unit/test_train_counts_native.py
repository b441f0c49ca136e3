"""The native counter: what is counted does not depend on where it lies meanwhile, and what cannot be done is said."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import piecework as pw
from piecework import _core

if TYPE_CHECKING:
    from pathlib import Path


def stages(pre_tokenizer: dict[str, object]) -> bytes:
    model = {"type": "BPE", "vocab": {}, "merges": []}
    return json.dumps({"version": "1.0", "pre_tokenizer": pre_tokenizer, "model": model}).encode()


BYTES = stages({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
SPLIT = stages({"type": "WhitespaceSplit"})
TEXTS = [f"word{i} other{i % 7} é中 {i}" for i in range(3000)]


def counter(**options: Any) -> _core.WordCounter:
    return _core.WordCounter(SPLIT, False, **options)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def by_hand(texts: list[str]) -> list[tuple[bytes, int]]:
    return sorted((word.encode(), n) for word, n in Counter(" ".join(texts).split()).items())


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("max_table_bytes", [None, 0, 20_000, 1 << 20])
def test_where_words_lie_changes_no_count(
    tmp_path: Path, is_named: bool, max_table_bytes: int | None
) -> None:
    def fed() -> _core.WordCounter:
        made = counter(max_table_bytes=max_table_bytes, folder=tmp_path, is_named=is_named)
        made.feed(TEXTS, "strict", 2)
        return made

    made = fed()
    assert (made.n_words, made.n_bytes) == (
        12_000,
        sum(len(text.replace(" ", "").encode()) for text in TEXTS),
    )
    assert (made.n_runs > 0) == (made.n_run_bytes > 0) == (max_table_bytes in {0, 20_000})
    assert bool(names_in(tmp_path)) == (is_named and made.n_runs > 0)
    assert sorted(made.finish().items()) == by_hand(TEXTS)
    batches = list(fed().batches(500))
    assert all(len(words) == len(counts) <= 500 for words, counts in batches)
    assert [pair for words, counts in batches for pair in zip(words, counts, strict=True)] == by_hand(TEXTS)


def test_times_words_and_lines_add_up() -> None:
    made = counter()
    made.feed(["a b", "b"], "strict", None, times=3)
    made.feed([], "strict", None)
    made.add([b"b", b"\xff", b"zero"], [10, 2**63 - 1, 0])
    made.add_tsv(b"b\t100\na\\tb\\\\\t1\r\n\xff\t1\n", 1)
    assert made.n_distinct_held == 5
    assert made.finish().items() == [(b"a", 3), (b"b", 116), (b"\xff", 2**63), (b"zero", 0), (b"a\tb\\", 1)]


def test_words_and_lines_that_are_none() -> None:
    made = counter()
    with pytest.raises(ValueError, match="2 words have 1 counts"):
        made.add([b"a", b"b"], [1])
    with pytest.raises(pw.FormatError, match=r"^line 8: there is no tab") as caught:
        made.add_tsv(b"a\t1\nb 2\n", 7)
    assert caught.value.place == "line 8"
    with pytest.raises(pw.FormatError, match=r"^line 1: the count is \"9223372036854775808\""):
        made.add_tsv(b"a\t9223372036854775808\n", 1)


def test_rare_words_are_left_out_and_counted() -> None:
    for max_table_bytes in (None, 0):
        made = counter(max_table_bytes=max_table_bytes)
        made.feed(TEXTS, "strict", 1)
        kept = made.finish(min_word_count=2)
        frequent = [(word, n) for word, n in by_hand(TEXTS) if n > 1]
        assert sorted(kept.items()) == frequent
        assert kept.n_left_out_words == len(by_hand(TEXTS)) - len(frequent) == 6000
        assert kept.n_left_out == 6000


def test_what_cannot_be_learned_from_says_how_much_it_needs() -> None:
    for max_table_bytes in (None, 0):

        def fed(max_table_bytes: int | None = max_table_bytes) -> _core.WordCounter:
            made = counter(max_table_bytes=max_table_bytes)
            made.feed(TEXTS, "strict", 1)
            return made

        n_bytes = sum(len(word) for word, _ in by_hand(TEXTS))
        needed = _core.learning_bytes(6008, n_bytes)
        with pytest.raises(pw.MemoryCapError, match="6008 distinct words") as caught:
            fed().finish(max_bytes=needed - 1)
        assert (caught.value.needed, caught.value.cap) == (needed, needed - 1)
        assert caught.value.hint is not None
        assert caught.value.hint.startswith("min_word_count=2 leaves out enough rare words")
        assert len(fed().finish(max_bytes=needed)) == 6008
        assert len(fed().finish(min_word_count=2, max_bytes=needed - 1)) == 8
        with pytest.raises(pw.MemoryCapError) as caught:
            fed().finish(max_bytes=1000)
        assert caught.value.hint == "no min_word_count leaves little enough: allow more memory"


def test_another_process_goes_on_from_the_runs_of_one(tmp_path: Path) -> None:
    first = counter(folder=tmp_path, is_named=True)
    first.feed(TEXTS[:1000], "strict", 2)
    first.spill()
    first.feed(TEXTS[1000:2000], "strict", 2)
    names = first.spill()
    assert names_in(tmp_path) == sorted(names)
    first.feed(TEXTS, "strict", 2)
    first.spill()
    second = counter(folder=tmp_path, is_named=True)
    second.adopt(names)
    assert names_in(tmp_path) == sorted(names)
    second.feed(TEXTS[2000:], "strict", 2)
    assert sorted(second.finish().items()) == by_hand(TEXTS)


def test_runs_that_are_none_are_refused(tmp_path: Path) -> None:
    first = counter(folder=tmp_path, is_named=True)
    first.feed(TEXTS, "strict", 1)
    (name,) = first.spill()
    whole = (tmp_path / name).read_bytes()
    second = counter(folder=tmp_path, is_named=True)
    for torn in (whole[:-1], whole[:5000], whole[:5000] + b"x" + whole[5001:]):
        (tmp_path / name).write_bytes(torn)
        with pytest.raises(pw.ChecksumError, match=name):
            second.adopt([name])
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(pw.FormatError, match="no run of counted words"):
        second.adopt([name])
    with pytest.raises(pw.FormatError, match="not the name of a run"):
        second.adopt(["../x"])
    (tmp_path / name).unlink()
    with pytest.raises(pw.InputError, match="No such file or directory") as caught:
        second.adopt([name])
    assert caught.value.path == str(tmp_path / name)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for is_named in (False, True):
        made = counter(max_table_bytes=0, folder=tmp_path / "none", is_named=is_named)
        with pytest.raises(pw.OutputError, match="No such file or directory") as caught:
            made.feed(TEXTS, "strict", 2)
        assert caught.value.path == str(tmp_path / "none")


@pytest.mark.parametrize("is_named", [False, True])
def test_a_full_disk_stops_clean(tmp_path: Path, is_named: bool) -> None:
    """No file may grow beyond 4 KB: what the system says then comes as it does of a full disk."""
    script = f"""
        import resource
        from piecework import _core, errors
        made = _core.WordCounter({SPLIT!r}, False, folder={str(tmp_path)!r}, is_named={is_named})
        made.feed([f"word{{i}}" for i in range(3000)], "strict", 1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        try:
            made.spill()
        except errors.OutputError as error:
            print(error.code, error.reason, error.path)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        made.spill()
        print(len(made.finish()))
    """
    done = run(script)
    assert done.splitlines() == [f"output File too large {tmp_path}", "3000"]
    assert len(names_in(tmp_path)) == int(is_named)


def run(script: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(script)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_counts_that_are_taken_are_gone() -> None:
    made = counter()
    made.finish()
    for call in (made.finish, made.spill, lambda: made.batches(1), lambda: made.feed(["a"], "strict", 1)):
        with pytest.raises(RuntimeError, match="the counts are taken"):
            call()


def learned(counts: _core.WordCounts, n_merges: int | None = None, **options: Any) -> dict[str, Any]:
    plain = {
        "base": "bytes",
        "ties": "hf",
        "score": "count",
        "id_layout": "hf",
        "vocab_size": None,
        "n_merges": n_merges,
    }
    texts = {"continuing_subword_prefix": None, "end_of_word_suffix": None, "end_of_word": None}
    limits: dict[str, object] = {
        "limit_alphabet": None,
        "max_token_length": None,
        "min_frequency": 0,
        "special_tokens": [],
    }
    given: dict[str, object] = {**plain, **texts, **limits, "initial_alphabet": [], "steps": False}
    return _core.train_bpe(counts, given, **options)


def test_learning_tells_how_many_merges_are_made() -> None:
    # One word of random letters: each merge reads some hundred places, and every 32,768 of them it may tell.
    word = bytes(random.Random(3).choices(range(64, 128), k=200_000))
    counts = _core.WordCounts.of([(word, 1)])
    told: list[int] = []
    found = learned(counts, 2_000, progress=told.append, tell_every_s=0)
    assert told == sorted(told)
    assert len(set(told)) > 10
    assert told[0] < 100
    assert 1_000 < told[-1] <= 2_000
    assert found == learned(counts, 2_000)
    assert len(found["merges"]) == 2_000
    # An hour is not over.
    assert found == learned(counts, 2_000, progress=lambda n: pytest.fail(f"{n}"), tell_every_s=3_600)

    def stop(n: int) -> None:
        if n >= 500:
            raise LookupError(n)

    with pytest.raises(LookupError) as caught:
        learned(counts, 2_000, progress=stop, tell_every_s=0)
    assert 500 <= caught.value.args[0] < 2_000
    with pytest.raises(ValueError, match="tell_every_s"):
        learned(counts, 1, progress=told.append, tell_every_s=-1.0)


@pytest.mark.parametrize("n_threads", [None, 1, 2])
def test_learning_brings_the_fingerprint_of_its_words(n_threads: int | None) -> None:
    counts = _core.WordCounts.of([(f"{at * 7919 % 50_000:x}".encode(), at) for at in range(50_000)])
    digest = hashlib.sha256()
    for word, n in sorted(counts.items()):
        digest.update(len(word).to_bytes(8, "little") + word + n.to_bytes(8, "little"))
    found = learned(counts, 20, n_threads=n_threads)
    assert found["fingerprint"] == counts.fingerprint == digest.hexdigest()
    assert found == learned(counts, 20)


def test_the_vocabulary_is_part_of_what_is_needed() -> None:
    def fed() -> _core.WordCounter:
        made = counter()
        made.feed(TEXTS, "strict", 1)
        return made

    n_bytes = sum(len(word) for word, _ in by_hand(TEXTS))
    needed = _core.learning_bytes(6008, n_bytes) + 600 * 1_000
    with pytest.raises(pw.MemoryCapError) as caught:
        fed().finish(max_bytes=needed - 1, n_entries=1_000)
    assert (caught.value.needed, caught.value.cap) == (needed, needed - 1)
    assert len(fed().finish(max_bytes=needed, n_entries=1_000)) == 6008


def test_the_counts_of_one_thread_keep_their_order_without_a_spill() -> None:
    made = counter(max_table_bytes=1 << 20)
    made.feed(["b a", "c a"], "strict", 1)
    assert made.finish().items() == [(b"b", 1), (b"a", 2), (b"c", 1)]
    made = counter(max_table_bytes=1 << 20)
    made.feed(["b a", "c a"], "strict", 1)
    made.spill()
    assert made.finish().items() == [(b"a", 2), (b"b", 1), (b"c", 1)]


def test_memory_while_counting_keeps_to_its_limit() -> None:
    """Six million distinct words, which would take 300 MB, with 16 MB for tables."""
    script = f"""
        import os, resource
        from piecework import _core
        letters = bytes.maketrans(b"0123456789", b"ghijklmnop")
        block = lambda: os.urandom(4 << 20).hex(" ", 4).encode().translate(letters)
        made = _core.WordCounter({BYTES!r}, False, max_table_bytes=16 << 20)
        made.feed([block()], "strict", 2)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(5):
            made.feed([block()], "strict", 2)
        print(made.n_words, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    n_words, grown = map(int, run(script).split())
    assert n_words == 6 << 20
    # In KB here, in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    assert grown * unit < 24 << 20
