"""A training that was interrupted goes on from its checkpoint and ends in the same bytes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._files.whole_files import write_files
from piecework.errors import InputError, MemoryCapError, OutputError, TrainError
from piecework.train import checkpoint, request
from piecework.train.memory_limits import MemoryLimits
from piecework.train.sources import lines, units

# Cut small, so that a small corpus has many places to stop at. Run before each training of a child.
SETUP = """
import os, signal, sys
import piecework as pw
from piecework.train import checkpoint
from piecework.train.sources import lines, units
units.RANGE_BYTES = 6000
lines.BLOCK_BYTES = 1000
checkpoint._DUE_BYTES = 2500
"""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "RANGE_BYTES", 6000)
    monkeypatch.setattr(lines, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(checkpoint, "_DUE_BYTES", 2500)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    chance = random.Random(11)
    words = ["".join(chance.choices("abcdefgé日", k=chance.randint(1, 7))) for _ in range(2000)]
    paths = []
    for at in range(3):
        path = tmp_path / f"{at}.txt"
        path.write_text(
            "\n".join(" ".join(chance.choices(words, k=10)) for _ in range(250)), encoding="utf-8"
        )
        paths.append(path)
    records = tmp_path / "3.jsonl"
    text = "".join(json.dumps({"text": " ".join(chance.choices(words, k=20))}) + "\n" for _ in range(150))
    records.write_text(text, encoding="utf-8")
    return [*paths, records]


def stop_after(n_batches: int) -> Any:
    """Stops the training after so many batches, and says where."""
    seen: list[pw.train.TrainingProgress] = []

    def progress(now: pw.train.TrainingProgress) -> None:
        seen.append(now)
        if now.phase == "count" and len(seen) == n_batches:
            os.kill(os.getpid(), signal.SIGINT)

    progress.seen = seen  # type: ignore[attr-defined]
    return progress


def interrupted(folder: Path, n_batches: int, **options: Any) -> int:
    """Interrupts a training; returns how many bytes were counted."""
    progress = stop_after(n_batches)
    with pytest.raises(KeyboardInterrupt):
        pw.train.bpe(checkpoint=folder, progress=progress, **options)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    last: pw.train.TrainingProgress = progress.seen[-1]
    return last.done


def same(one: pw.Tokenizer, other: pw.Tokenizer) -> bool:
    assert one.training is not None
    assert other.training is not None
    return one.fingerprint == other.fingerprint and one.training.to_dict() == other.training.to_dict()


@pytest.mark.parametrize("n_batches", [1, 2, 9, 40])
def test_ctrl_c_writes_down_what_is_done(n_batches: int, files: list[Path], tmp_path: Path) -> None:
    whole = pw.train.bpe(files=files, n_merges=80)
    folder = tmp_path / "checkpoint"
    n_done = interrupted(folder, n_batches, files=files, n_merges=5, errors="strict", n_threads=1)
    state = json.loads((folder / "state.json").read_bytes())
    assert sorted(state["runs"]) == sorted(path.name for path in folder.glob("run-*"))
    dones: list[int] = []
    tok = pw.train.bpe(
        files=files[::-1],
        n_merges=80,
        checkpoint=folder,
        resume=True,
        n_threads=2,
        progress=lambda now: dones.append(now.done) if now.phase == "count" else None,
    )
    # Nothing is counted twice: the first batch is the one behind.
    assert dones[0] > n_done
    assert same(tok, whole)
    assert not folder.exists()


def kill_code(n_batches: int, folder: Path, files: list[Path], more: str = "") -> str:
    return f"""{SETUP}
n = 0
def progress(now):
    global n
    n += 1
    if n == {n_batches}:
        os.kill(os.getpid(), signal.SIGKILL)
pw.train.bpe(files={[str(path) for path in files]!r}, n_merges=80, checkpoint={str(folder)!r}, progress=progress{more})
"""


@pytest.mark.parametrize("n_batches", [1, 5, 23, 60])
def test_a_killed_training_goes_on(n_batches: int, files: list[Path], tmp_path: Path) -> None:
    whole = pw.train.bpe(files=files, n_merges=80)
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "mine.txt").write_text("a file of somebody else", encoding="utf-8")
    (folder / "run-mine.words").write_text("another", encoding="utf-8")
    for more in ("", ", resume=True", ", resume=True, n_threads=1"):
        code = kill_code(n_batches, folder, files, more)
        killed = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
        assert killed.returncode in (-signal.SIGKILL, 0), killed.stderr
        if killed.returncode == 0:
            break
        # What a killed process was writing.
        (folder / ".run-abc.half").write_bytes(b"half")
    if (folder / "state.json").exists():
        assert same(pw.train.bpe(files=files, n_merges=80, checkpoint=folder, resume=True), whole)
    assert sorted(path.name for path in folder.iterdir()) == ["mine.txt", "run-mine.words"]


def test_a_mix_goes_on_without_being_weighed_again(files: list[Path], tmp_path: Path) -> None:
    mix = {
        "seed": 3,
        "sample_bytes": 60_000,
        "source": [
            {"name": "lines", "files": files[:3], "weight": 1},
            {"name": "records", "files": files[3:], "weight": 2},
        ],
    }
    whole = pw.train.bpe(mix=mix, n_merges=80)
    folder = tmp_path / "checkpoint"
    interrupted(folder, 100, mix=mix, n_merges=80)
    phases: list[str] = []
    tok = pw.train.bpe(
        mix=mix, n_merges=80, checkpoint=folder, resume=True, progress=lambda now: phases.append(now.phase)
    )
    assert "weigh" not in phases
    assert same(tok, whole)
    interrupted(folder, 100, mix=mix, n_merges=80)
    with pytest.raises(TrainError, match="is one of another training: mix="):
        pw.train.bpe(mix=mix, seed=4, n_merges=80, checkpoint=folder, resume=True)


def test_words_of_a_part_go_on(files: list[Path], tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.tsv", tmp_path / "part.tsv"
    report = pw.train.words(whole, files=files, part="2/3")
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        pw.train.words(part, files=files, part="2/3", checkpoint=folder, progress=stop_after(7))
    assert not part.exists()
    again = pw.train.words(part, files=files, part=(2, 3), checkpoint=folder, resume=True)
    assert part.read_bytes() == whole.read_bytes()
    assert (again.n_words, again.n_bytes) == (report.n_words, report.n_bytes)
    assert not folder.exists()


def test_wordlevel_goes_on(files: list[Path], tmp_path: Path) -> None:
    whole = pw.train.wordlevel(files=files, vocab_size=50, unk="?")
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        pw.train.wordlevel(files=files, vocab_size=50, unk="?", checkpoint=folder, progress=stop_after(7))
    tok = pw.train.wordlevel(files=files, vocab_size=50, unk="?", checkpoint=folder, resume=True)
    assert same(tok, whole)


def test_what_learning_needs_can_be_asked_for_without_counting_again(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "checkpoint"
    cap, hint = 20_000, ""
    for resume in (False, True):
        with monkeypatch.context() as patched:
            limits = MemoryLimits(None, cap, 1 << 30)
            patched.setattr(request, "memory_limits", lambda _, limits=limits: limits)
            with pytest.raises(MemoryCapError, match="distinct words") as caught:
                pw.train.bpe(files=files, n_merges=30, checkpoint=folder, resume=resume)
        assert caught.value.needed > caught.value.cap == cap
        cap, hint = caught.value.needed - 1, str(caught.value.hint)
    assert "min_word_count=" in hint
    n_files = len(list(folder.glob("run-*")))
    assert n_files > 0
    phases: list[str] = []
    tok = pw.train.bpe(
        files=files,
        n_merges=30,
        min_word_count=2,
        checkpoint=folder,
        resume=True,
        progress=lambda now: phases.append(now.phase),
    )
    assert "count" not in phases
    assert same(tok, pw.train.bpe(files=files, n_merges=30, min_word_count=2))


def test_a_checkpoint_is_neither_overwritten_nor_taken_for_another(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    interrupted(folder, 9, files=files, n_merges=5)
    with pytest.raises(TrainError, match="has a checkpoint already") as caught:
        pw.train.bpe(files=files, n_merges=5, checkpoint=folder)
    assert "resume=True" in str(caught.value.hint)
    moved = tmp_path / "4.txt"
    shutil.copy(files[0], moved)
    changed: list[tuple[dict[str, Any], str]] = [
        ({"pre_tokenizer": "gpt2"}, "pre_tokenizer='gpt2' is asked for, and it was 'o200k_base'"),
        ({"normalizer": "nfc"}, "normalizer="),
        ({"errors": "skip"}, "errors='skip' is asked for, and it was 'strict'"),
        ({"files": files[1:]}, r"0\.txt is missing"),
        ({"files": [*files, moved]}, r"4\.txt is new"),
        ({"files": [*files, files[0]]}, "in another order or number"),
    ]
    for options, message in changed:
        with pytest.raises(TrainError, match=f"is one of another training: .*{message}"):
            pw.train.bpe(**{"files": files, "n_merges": 5, "checkpoint": folder, "resume": True, **options})
    os.utime(files[1], ns=(1, 1))
    with pytest.raises(TrainError, match=r"1\.txt has changed since"):
        pw.train.bpe(files=files, n_merges=5, checkpoint=folder, resume=True)


def test_resuming_where_nothing_lies_starts_anew_and_says_so(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "checkpoint"
    with pytest.warns(
        pw.PieceworkWarning, match="there is no checkpoint in .*: the training starts anew"
    ) as caught:
        tok = pw.train.bpe(files=files, n_merges=5, checkpoint=folder, resume=True)
    assert caught[0].filename == __file__
    assert same(tok, pw.train.bpe(files=files, n_merges=5))
    assert not folder.exists()


def test_broken_checkpoints_are_refused(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    interrupted(folder, 30, files=files, n_merges=5)
    run = max(folder.glob("run-*"), key=lambda path: path.stat().st_size)
    content = bytearray(run.read_bytes())
    content[len(content) // 2] ^= 1
    run.write_bytes(bytes(content))
    options: dict[str, Any] = {"files": files, "n_merges": 5, "checkpoint": folder, "resume": True}
    with pytest.raises(InputError, match=f"its counted words cannot be read: .*{run.name}"):
        pw.train.bpe(**options)
    for broken in (b"", b"no run", bytes(content[:-9]), bytes(content) * 2):
        run.write_bytes(broken)
        with pytest.raises(InputError, match="its counted words cannot be read: "):
            pw.train.bpe(**options)
    run.unlink()
    with pytest.raises(InputError, match=f"{run.name}: No such file"):
        pw.train.bpe(**options)
    os.mkfifo(run)
    with pytest.raises(InputError, match=f"{run.name}: it is a pipe, not a file"):
        pw.train.bpe(**options)
    for broken in (b"", b"[]", b"{", b'{"schema": "piecework.checkpoint/9"}', b"[" * 100_000):
        (folder / "state.json").write_bytes(broken)
        with pytest.raises(InputError, match=r"state\.json: it is no checkpoint of a training"):
            pw.train.bpe(**options)


def test_a_full_disk_stops_clean_and_the_checkpoint_stays(files: list[Path], tmp_path: Path) -> None:
    whole = pw.train.bpe(files=files, n_merges=80)
    folder = tmp_path / "checkpoint"
    # A file that may not grow is what a full disk looks like to the one who writes.
    code = f"""{SETUP}
import resource
n = 0
def progress(now):
    global n
    n += 1
    if n == 30:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
pw.train.bpe(files={[str(path) for path in files]!r}, n_merges=80, checkpoint={str(folder)!r}, progress=progress)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "piecework.errors.OutputError" in done.stderr
    assert "File too large" in done.stderr
    state = json.loads((folder / "state.json").read_bytes())
    assert state["next_unit"] + state["n_batches"] > 0
    assert same(pw.train.bpe(files=files, n_merges=80, checkpoint=folder, resume=True), whole)
    assert not folder.exists()


def test_in_another_thread_nobody_touches_signals(files: list[Path], tmp_path: Path) -> None:
    found: list[pw.Tokenizer] = []

    def train() -> None:
        found.append(pw.train.bpe(files=files, n_merges=9, checkpoint=tmp_path / "checkpoint"))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert same(found[0], pw.train.bpe(files=files, n_merges=9))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"texts": ["a"], "checkpoint": "x"}, ValueError, "checkpoint= goes with files= or mix="),
        ({"words": {"a": 1}, "checkpoint": "x"}, ValueError, "checkpoint= goes with files= or mix="),
        ({"files": [], "resume": True}, ValueError, "checkpoint= names its folder"),
        ({"files": [], "checkpoint": 3}, TypeError, "checkpoint is the path of a folder, not int"),
        (
            {"files": [], "checkpoint": "x", "ties": "first-seen", "steps": True},
            ValueError,
            "does not keep the order",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pw.train.bpe(n_merges=1, **arguments)


def test_a_folder_that_cannot_be_made_is_an_error(files: list[Path]) -> None:
    with pytest.raises(pw.errors.OutputError, match=r"0\.txt.* cannot be made"):
        pw.train.bpe(files=files, n_merges=1, checkpoint=files[0] / "inside")


def test_two_trainings_do_not_share_a_folder(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    options: dict[str, Any] = {"files": files, "n_merges": 20, "checkpoint": folder}
    refused: list[str] = []

    def meanwhile(_: object) -> None:
        if refused:
            return
        for resume in (False, True):
            with pytest.raises(TrainError) as raised:
                pw.train.wordlevel(files=files, checkpoint=folder, resume=resume)
            refused.append(raised.value.message)

    tok = pw.train.bpe(**options, progress=meanwhile)
    assert refused == [f"another training is at work in {folder}"] * 2
    assert same(tok, pw.train.bpe(files=files, n_merges=20))
    assert not folder.exists()


def test_the_lock_of_a_killed_training_is_gone(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    script = f"""{SETUP}
def killed(report):
    if report.phase == "learn":
        os.kill(os.getpid(), signal.SIGKILL)
pw.train.bpe(files={[str(file) for file in files]!r}, n_merges=20, checkpoint={str(folder)!r}, progress=killed)
"""
    child = subprocess.run([sys.executable, "-c", script], check=False)
    assert child.returncode == -signal.SIGKILL
    assert (folder / ".lock").exists()
    tok = pw.train.bpe(files=files, n_merges=20, checkpoint=folder, resume=True)
    assert same(tok, pw.train.bpe(files=files, n_merges=20))
    assert not folder.exists()


def test_a_training_that_fails_lets_go_of_its_folder(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with pytest.raises(pw.VocabSizeError) as failed:
        pw.train.bpe(files=files, vocab_size=100, checkpoint=folder)
    assert not (folder / ".lock").exists()
    # The error, and with it all that the training held, is still there.
    assert failed.value.needed == 256
    pw.train.bpe(files=files, n_merges=1, checkpoint=folder, resume=True)
    assert not folder.exists()


@pytest.mark.parametrize("is_there", [False, True])
def test_what_counted_nothing_leaves_nothing(tmp_path: Path, *, is_there: bool) -> None:
    folder, records = tmp_path / "kept", tmp_path / "a.jsonl"
    records.write_text('{"body": "a b a b"}\n', encoding="utf-8")
    if is_there:
        folder.mkdir()
    for _ in range(2):
        with pytest.raises(InputError, match="there is no field 'text'"):
            pw.train.bpe(files=[records], n_merges=1, checkpoint=folder)
        assert folder.exists() == is_there
    pw.train.bpe(files=[records], n_merges=1, checkpoint=folder, field="body")
    assert folder.exists() == is_there
    assert not is_there or list(folder.iterdir()) == []


def test_a_checkpoint_without_counts_is_in_nobodys_way(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    script = f"""{SETUP}
def killed(report):
    os.kill(os.getpid(), signal.SIGKILL)
pw.train.bpe(files={[str(file) for file in files]!r}, n_merges=20, checkpoint={str(folder)!r}, progress=killed)
"""
    subprocess.run([sys.executable, "-c", script], check=False)
    assert json.loads((folder / "state.json").read_bytes())["n_words"] == 0
    # Of other files, and not resumed.
    pw.train.bpe(files=files[:1], n_merges=1, checkpoint=folder)
    assert not folder.exists()


def test_a_disk_that_is_full_before_the_first_checkpoint_leaves_nothing(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"

    def full(*_: object) -> object:
        raise OutputError("no space", path="kept", reason="no space")

    for name, where in (("FolderLock", checkpoint), ("write_files", checkpoint)):
        with monkeypatch.context() as patched:
            patched.setattr(where, name, full)
            with pytest.raises(OutputError, match="no space"):
                pw.train.bpe(files=files, n_merges=3, checkpoint=folder)
        assert not folder.exists()
    n_calls = 0

    def full_later(content: dict[Path, bytes]) -> object:
        nonlocal n_calls
        n_calls += 1
        return write_files(content) if n_calls == 1 else full()

    monkeypatch.setattr(checkpoint, "write_files", full_later)
    with pytest.raises(OutputError, match="no space"):
        pw.train.bpe(files=files, n_merges=3, checkpoint=folder)
    assert n_calls == 2
    assert not folder.exists()


def test_the_empty_name_is_no_folder(files: list[Path]) -> None:
    with pytest.raises(ValueError, match=r"^checkpoint is empty: it names a folder$"):
        pw.train.bpe(files=files, n_merges=1, checkpoint="")


@pytest.mark.parametrize(
    "change",
    [
        {"runs": None},
        {"runs": [1]},
        {"runs": []},
        {"runs": ["../../0.txt"]},
        {"next_unit": "a"},
        {"next_unit": 0},
        {"next_unit": -1},
        {"n_words": "x"},
        {"identity": {"files": 5}},
        {"identity": None},
        {"is_made": False},
        {"more": 1},
    ],
    ids=str,
)
def test_a_checkpoint_that_somebody_changed_is_refused(
    files: list[Path], tmp_path: Path, change: dict[str, object]
) -> None:
    folder = tmp_path / "checkpoint"
    interrupted(folder, 9, files=files, n_merges=5)
    state = json.loads((folder / "state.json").read_bytes())
    (folder / "state.json").write_text(json.dumps({**state, **change}), encoding="utf-8")
    for resume in (True, False):
        with pytest.raises(InputError, match=r"state\.json: it is no checkpoint of a training"):
            pw.train.bpe(files=files, n_merges=5, checkpoint=folder, resume=resume)
    # Written otherwise, it says the same.
    (folder / "state.json").write_text(json.dumps(state, indent=2, sort_keys=True), encoding="utf-8")
    tok = pw.train.bpe(files=files, n_merges=5, checkpoint=folder, resume=True)
    assert same(tok, pw.train.bpe(files=files, n_merges=5))


def test_a_pipe_or_a_device_is_no_checkpoint(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for make in (
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("nowhere"),
    ):
        make(folder / "state.json")
        with pytest.raises(InputError, match=r"state\.json: it is no checkpoint of a training"):
            pw.train.bpe(files=files, n_merges=5, checkpoint=folder)
        (folder / "state.json").unlink()


def test_ctrl_c_in_the_last_save_is_heard(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, folder = checkpoint.Checkpoint.save, tmp_path / "kept"

    def save(self: checkpoint.Checkpoint, n_read: int, /, **state: object) -> None:
        real(self, n_read, **state)
        if state["next_unit"] == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(checkpoint.Checkpoint, "save", save)
    with pytest.raises(KeyboardInterrupt):
        pw.train.bpe(files=files[:1], n_merges=5, checkpoint=folder)
    monkeypatch.setattr(checkpoint.Checkpoint, "save", real)
    tok = pw.train.bpe(files=files[:1], n_merges=5, checkpoint=folder, resume=True)
    assert same(tok, pw.train.bpe(files=files[:1], n_merges=5))
