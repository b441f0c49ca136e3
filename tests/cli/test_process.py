"""What only a process of its own shows: interruption, a reader that leaves, the way it is started."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., subprocess.Popen[bytes]]


def run(start: Start, *args: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    child = start(*args)
    out, err = child.communicate(stdin, timeout=60)
    return child.returncode, out, err


def wait_until_it_reads(child: subprocess.Popen[bytes]) -> None:
    """Returns once a child that writes a note before it reads has written it."""
    assert child.stderr is not None
    ready, _, _ = select.select([child.stderr], [], [], 30)
    assert ready


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["count", "--text", "x"], 0),
        (["count", "--text", "a b c", "--up-to", "1"], 1),
        (["count", "--no-such-flag"], 2),
        (["no-such-command"], 2),
        ([], 2),
        (["count", "--text", "x", "-m", "no-such-model"], 3),
        (["count", "no-such-file"], 4),
        (["count", "a" * 5000], 4),
        (["encode", "a" * 5000], 4),
        (["decode", "999999999"], 4),
        (["--help"], 0),
        (["count", "--help"], 0),
        (["--version"], 0),
    ],
)
def test_exit_codes(process: Start, args: list[str], code: int) -> None:
    found, _, err = run(process, *args)
    assert found == code
    assert b"Traceback" not in err


def test_errors_have_a_code_and_a_hint(process: Start) -> None:
    _, out, err = run(process, "count", "--no-such-flag")
    assert (out, err.decode().splitlines()) == (
        b"",
        ["error[usage]: No such option '--no-such-flag'.", "hint: piecework count --help"],
    )


def test_the_script_is_the_module(process: Start, folder: Path) -> None:
    script = Path(sys.executable).parent / "piecework"
    result = subprocess.run(
        [script, "count", "-q", "--text", "Hello, world!"], cwd=folder, capture_output=True, check=True
    )
    assert result.stdout == run(process, "count", "-q", "--text", "Hello, world!")[1] == b"4\n"


def test_ctrl_c_ends_with_130_and_leaves_nothing(process: Start, folder: Path) -> None:
    child = process("encode", "-o", "out.txt")
    wait_until_it_reads(child)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert list(folder.iterdir()) == []


def test_ctrl_c_is_answered_while_the_engine_works(process: Start, folder: Path) -> None:
    # Random letters are the engine's slowest text; this much keeps it busy for long.
    (folder / "long.txt").write_bytes(os.urandom(60_000_000).hex().encode())
    child = process("encode", "long.txt", "-o", "out.txt")
    wait_until_it_reads(child)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    child.communicate(timeout=60)
    assert child.returncode == 130
    assert time.monotonic() - sent < 10
    assert [path.name for path in folder.iterdir()] == ["long.txt"]


def test_a_reader_that_leaves_is_no_error(process: Start, folder: Path) -> None:
    (folder / "long.txt").write_text("a b\n" * 200_000, encoding="utf-8")
    with process("encode", "-q", "long.txt", stdin=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.read(10)
        child.stdout.close()
        err = child.stderr.read()
        assert (child.wait(timeout=60), err) == (0, b"")


def test_stderr_that_is_closed_is_no_error(process: Start) -> None:
    child = process("count", "--text", "x", stderr=subprocess.DEVNULL)
    out, _ = child.communicate(timeout=60)
    assert (child.returncode, out) == (0, b"1\n")


@pytest.mark.parametrize(
    ("command", "code", "out"),
    [
        ("count --text x 2>&-", 0, "1\n"),
        ("count gone 2>&-", 4, ""),
        ("count --text x >&-", 2, ""),
        ("count <&-", 2, ""),
        ("encode --text x | true", 0, ""),
    ],
)
def test_closed_streams(folder: Path, command: str, code: int, out: str) -> None:
    shell = ["bash", "-o", "pipefail", "-c", f'exec "{sys.executable}" -m piecework {command}']
    result = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout) == (code, out)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_output_is_utf8_in_every_locale(process: Start, monkeypatch: pytest.MonkeyPatch, locale: str) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    code, out, err = run(process, "show", "--text", "Olá mundo", "-m", "qwen3")
    assert code == 0
    assert out.decode().splitlines()[1] == "Ol|á|·mundo"
    assert err == b""


def test_ascii_stderr_is_no_error(process: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.setenv("PYTHONUTF8", "0")
    code, out, err = run(process, "count", "--text", "é", "-m", "gpt-4o")
    assert (code, out) == (0, b"1\n")
    assert b"exact \\xb7 o200k_base" in err


def on_a_terminal(folder: Path, *args: str, **environment: str) -> str:
    """What a command prints on a terminal."""
    main, child = pty.openpty()
    command = [sys.executable, "-m", "piecework", *args]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=child,
        stdout=child,
        stderr=subprocess.DEVNULL,
    )
    os.close(child)
    found = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        found += part
    os.close(main)
    running.wait(timeout=60)
    return found.decode().replace("\r\n", "\n")


def test_colors_on_a_terminal_only(process: Start, folder: Path) -> None:
    args = ["show", "--text", "Olá, mundo!", "-m", "qwen3"]
    drawn = on_a_terminal(folder, *args, TERM="xterm")
    assert "\x1b[30;48;5;" in drawn
    assert "|" not in drawn
    plain = "qwen3: 5 tokens\nOl|á|,|·mundo|!\n"
    assert on_a_terminal(folder, *args, "--plain") == plain
    assert on_a_terminal(folder, *args, NO_COLOR="1") == plain
    assert on_a_terminal(folder, *args, TERM="dumb") == plain
    assert run(process, *args)[1].decode() == plain


def test_text_on_a_terminal_ends_its_line(folder: Path) -> None:
    assert on_a_terminal(folder, "decode", "9906", "-m", "gpt-4") == "Hello\n"
    assert on_a_terminal(folder, "truncate", "-n", "1", "--text", "Hello there") == "Hello\n"


def test_a_device_is_no_input(process: Start, folder: Path) -> None:
    (folder / "endless").symlink_to("/dev/zero")
    for command in ("count", "encode"):
        for name in ("/dev/zero", "endless"):
            code, _, err = run(process, command, name)
            assert code == 4
            assert f"{name} is a device".encode() in err


@pytest.mark.parametrize(
    "command",
    ["count -q <(printf 'a b')", "count -q /dev/stdin < <(printf 'a b')", "count -q /dev/fd/0 <<< 'a b'"],
)
def test_a_pipe_is_an_input(folder: Path, command: str) -> None:
    shell = ["bash", "-c", f'"{sys.executable}" -m piecework {command}']
    result = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout.split()[0]) == (0, "3" if "<<<" in command else "2")
