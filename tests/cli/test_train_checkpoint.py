"""Trainings that are interrupted: nothing half-written, the counted words kept, and the same bytes when resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from piecework import train
from piecework.errors import MemoryCapError
from piecework.train.checkpoint import Checkpoint
from piecework.train.progress import TrainingProgress
from tests.cli.conftest import Ran, Run

Start = Callable[..., subprocess.Popen[bytes]]
KEPT = "t.json.training"
ARGS = ["train", "bpe", "a.txt", "b.txt", "--vocab-size", "262", "-o", "t.json"]


@pytest.fixture(autouse=True)
def texts(folder: Path) -> None:
    (folder / "a.txt").write_text("the cat sat on the mat\n" * 50, encoding="utf-8")
    (folder / "b.txt").write_text("the hat of the cat\n" * 50, encoding="utf-8")


@pytest.fixture
def interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs a training that Ctrl-C ends in one of its phases."""

    def _run(*args: str, phase: str = "learn", number: signal.Signals = signal.SIGINT) -> Ran:
        real = train.bpe

        def stopped(**options: object) -> object:
            def progress(report: TrainingProgress) -> None:
                # The command first trains on next to nothing, to see what it would save.
                if report.phase == phase and "files" in options:
                    os.kill(os.getpid(), number)

            return real(**{**options, "progress": progress})  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(train, "bpe", stopped)
            return run(*args)

    return _run


@pytest.mark.parametrize("phase", ["count", "learn"])
def test_sigterm_keeps_what_is_counted(
    run: Run, folder: Path, interrupted: Callable[..., Ran], phase: str
) -> None:
    ran = interrupted(*ARGS, phase=phase, number=signal.SIGTERM)
    assert (ran.code, ran.out) == (143, b"")
    assert ran.err.splitlines()[0].startswith(f"interrupted; counted words are kept in {KEPT}: --resume")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert run(*ARGS, "--resume").code == 0
    assert (folder / "t.json").exists()


def test_sigterm_ends_also_where_ctrl_c_is_ignored(interrupted: Callable[..., Ran]) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ran = interrupted(*ARGS, number=signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ran.code, ran.out) == (143, b"")


@pytest.mark.parametrize("phase", ["count", "learn"])
def test_what_is_counted_is_kept_and_resumed(
    run: Run, folder: Path, interrupted: Callable[..., Ran], phase: str
) -> None:
    ran = interrupted(*ARGS, phase=phase)
    assert (ran.code, ran.out) == (130, b"")
    assert ran.err.splitlines()[0] == (
        f"interrupted; counted words are kept in {KEPT}: --resume goes on from there, --restart begins anew"
    )
    assert not (folder / "t.json").exists()

    refused = run(*ARGS)
    assert (refused.code, refused.out) == (2, b"")
    assert f"{KEPT} keeps the counted words of a training that did not end" in refused.err
    assert "--resume goes on from there" in refused.err
    assert "--restart deletes them" in refused.err

    resumed = run(*ARGS, "--resume")
    assert (resumed.code, resumed.err) == (0, "")
    resumed_bytes = (folder / "t.json").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt", "t.json"]
    assert run(*ARGS).code == 0
    assert (folder / "t.json").read_bytes() == resumed_bytes


def test_a_new_start_deletes_what_was_kept(run: Run, folder: Path, interrupted: Callable[..., Ran]) -> None:
    interrupted(*ARGS)
    (folder / "b.txt").write_text("a dog\n", encoding="utf-8")
    other = run(*ARGS, "--resume")
    assert other.code == 4
    assert "b.txt has changed since" in other.err
    assert (folder / KEPT).exists()
    ran = run(*ARGS, "--restart")
    assert ran.code == 0, ran.err
    assert not (folder / KEPT).exists()


def test_what_is_no_checkpoint_is_not_deleted(run: Run, folder: Path) -> None:
    (folder / KEPT).mkdir()
    (folder / KEPT / "state.json").write_text('{"mine": 1}', encoding="utf-8")
    (folder / KEPT / "run-0123456789abcdef.words").write_bytes(b"mine")
    ran = run(*ARGS, "--restart")
    assert ran.code == 4
    assert "it is no checkpoint of a training" in ran.err
    assert len(list((folder / KEPT).iterdir())) == 2


def test_a_folder_of_ones_own_choice(run: Run, folder: Path, interrupted: Callable[..., Ran]) -> None:
    ran = interrupted(*ARGS, "--checkpoint", "kept")
    assert "counted words are kept in kept: --resume" in ran.err
    assert not (folder / KEPT).exists()
    assert run(*ARGS, "--checkpoint", "kept", "--resume").code == 0
    assert not (folder / "kept").exists()


def test_nothing_to_resume_is_said_and_begun(run: Run) -> None:
    ran = run(*ARGS, "--resume")
    assert ran.code == 0
    assert ran.err == f"note: there is no checkpoint in {KEPT}: the training starts anew\n"


def test_a_vocabulary_that_is_too_small_keeps_the_counts(run: Run, folder: Path) -> None:
    args = ["train", "bpe", "a.txt", "--base", "chars", "--pre-tokenizer", "whitespace", "-o", "t.json"]
    ran = run(*args, "--vocab-size", "3")
    assert ran.code == 4
    assert ran.err.splitlines()[0].startswith(f"counted words are kept in {KEPT}: --resume")
    assert "error[vocab-size]" in ran.err
    assert run(*args, "--vocab-size", "12", "--resume").code == 0
    assert not (folder / KEPT).exists()


def test_words_that_do_not_fit_are_kept_and_the_way_out_is_named(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = train.bpe

    def full(**options: object) -> object:
        if "files" not in options:
            return real(**options)  # type: ignore[arg-type]
        made = Checkpoint(folder / KEPT, {}, resume=False)
        made.save(0, n_words=600, runs=[])
        made.leave()
        hint = "min_word_count=3 leaves out enough rare words to fit; or allow more memory"
        raise MemoryCapError("learning would take 1.00 GB", needed=10**9, cap=256 * 10**6, hint=hint)

    monkeypatch.setattr(train, "bpe", full)
    ran = run(*ARGS, "--max-memory", "256MB")
    assert (ran.code, ran.out) == (4, b"")
    assert ran.err.splitlines() == [
        f"counted words are kept in {KEPT}: --resume goes on from there, --restart begins anew",
        "error[memory-cap]: learning would take 1.00 GB",
        "hint: --min-word-count 3 leaves out enough rare words to fit; or allow more memory",
    ]


def test_counts_of_what_is_not_unicode_are_not_kept(run: Run, folder: Path) -> None:
    (folder / "b.txt").write_bytes(b"\xff\n")
    assert run(*ARGS).code == 4
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["a.txt", "--resume", "--restart"], "give one of them"),
        (["-", "--resume"], "comes from standard input, has no checkpoint"),
        (["-", "--checkpoint", "kept"], "comes from standard input, has no checkpoint"),
    ],
)
def test_usage(run: Run, args: list[str], message: str) -> None:
    ran = run("train", "bpe", *args, "--merges", "3", "-o", "t.json", stdin=b"a b")
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_a_process(process: Start, folder: Path, number: signal.Signals, code: int) -> None:
    # Lines without end, each new: counting and learning take far longer than the half second that they get.
    (folder / "long.txt").write_text("".join(f"{at * 7919:x} " for at in range(4_000_000)), encoding="utf-8")
    args = [
        "train",
        "bpe",
        "long.txt",
        "--pre-tokenizer",
        "whitespace",
        "--vocab-size",
        "60000",
        "-o",
        "made",
    ]
    child = process(*args)
    deadline = time.monotonic() + 60
    while not (folder / "made.training" / "state.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == code, err
    assert out == b""
    assert err.decode().startswith("interrupted; counted words are kept in made.training: --resume")
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt", "long.txt", "made.training"]


def test_a_wrong_field_is_mended_without_a_word_of_checkpoints(run: Run, folder: Path) -> None:
    (folder / "r.jsonl").write_text('{"body": "a b a b"}\n', encoding="utf-8")
    args = ["train", "bpe", "r.jsonl", "--vocab-size", "257", "-o", "t.json"]
    wrong = run(*args)
    assert wrong.code == 4
    assert "checkpoint" not in wrong.err
    assert "counted words are kept" not in wrong.err
    assert not (folder / KEPT).exists()
    assert run(*args, "--field", "body").code == 0


def test_an_empty_checkpoint_is_usage(run: Run, folder: Path) -> None:
    for args in ([*ARGS, "--checkpoint", ""], ["train", "words", "a.txt", "-o", "n.tsv", "--checkpoint", ""]):
        ran = run(*args)
        assert (ran.code, ran.err.splitlines()[0]) == (
            2,
            "error[usage]: --checkpoint is empty: it names a folder",
        )
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    "content", ['{"mine": 1}', '{"schema": "piecework.checkpoint/1", "iden', "", "[" * 50_000]
)
@pytest.mark.parametrize("flag", [(), ("--resume",), ("--restart",)], ids=str)
def test_what_is_no_checkpoint_is_said_to_be_none(
    run: Run, folder: Path, content: str, flag: tuple[str, ...]
) -> None:
    (folder / KEPT).mkdir()
    (folder / KEPT / "state.json").write_text(content, encoding="utf-8")
    ran = run(*ARGS, *flag)
    assert (ran.code, ran.err.splitlines()) == (
        4,
        [
            f"error[input]: {KEPT}/state.json: it is no checkpoint of a training",
            "hint: name another folder for the checkpoint, or delete this file",
        ],
    )
    assert [path.name for path in (folder / KEPT).iterdir()] == ["state.json"]
    assert (folder / KEPT / "state.json").read_text("utf-8") == content
