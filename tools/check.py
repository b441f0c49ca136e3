"""`make check`: run every check, show what the failing ones print, and say which failed.

All run even where one fails, so that one look shows everything there is to mend.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO_DENY = "0.20.2"

_PY = [sys.executable, "-m"]


def main() -> int:
    """Run the checks one after another.

    Returns:
        0 where all pass, 1 where one fails.
    """
    failed = [name for name, command in _checks() if not _passes(name, command)]
    if failed:
        print(f"check: FAILED: {', '.join(failed)}")
    else:
        print("check: all passed")
    return 1 if failed else 0


def _checks() -> list[tuple[str, list[str]]]:
    stubtest = [*_PY, "mypy.stubtest", "piecework._core", "--mypy-config-file", "pyproject.toml"]
    allowed = ["--allowlist", "tools/stubtest_allowlist.txt", "--ignore-unused-allowlist"]
    clippy = [
        "cargo",
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]
    return [
        ("rustfmt", ["cargo", "fmt", "--all", "--check", "--", "--color", "never"]),
        ("clippy", clippy),
        (
            "rustdoc",
            ["cargo", "doc", "--quiet", "--workspace", "--no-deps", "--document-private-items", "--locked"],
        ),
        ("ruff check", [*_PY, "ruff", "check", "."]),
        ("ruff format", [*_PY, "ruff", "format", "--check", "."]),
        ("mypy", [*_PY, "mypy"]),
        ("stubtest", [*stubtest, *allowed]),
        ("import-linter", [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]),
        ("layers", [*_PY, "tools.check_layers"]),
        ("cargo-deny", [_cargo_deny(), "check", "bans", "licenses", "sources"]),
        ("fuzz", [*_PY, "tools.fuzz"]),
    ]


def _passes(name: str, command: list[str]) -> bool:
    start = time.monotonic()
    environment = {**os.environ, "RUSTDOCFLAGS": "-D warnings -A rustdoc::private-intra-doc-links"}
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    passed = result.returncode == 0
    print(f"check: {name:14} {'ok' if passed else 'FAILED':6} {time.monotonic() - start:6.1f} s", flush=True)
    if not passed:
        print(result.stdout.rstrip(), flush=True)
    return passed


def _cargo_deny() -> str:
    """The path of cargo-deny at the pinned version, compiled on first use into the user's cache, for all clones.

    Compiled without optimization: it runs for three seconds, and an optimized build would take minutes more.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "piecework" / "tools" / f"cargo-deny-{CARGO_DENY}"
    program = folder / "bin" / "cargo-deny"
    if not program.exists():
        print(f"check: compiling cargo-deny {CARGO_DENY} once, into {folder} (about 2 minutes)", flush=True)
        install = [
            "cargo",
            "install",
            "--quiet",
            "--locked",
            "--debug",
            "cargo-deny",
            "--version",
            CARGO_DENY,
        ]
        environment = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0"}
        subprocess.run([*install, "--root", str(folder)], env=environment, check=False)
    return str(program) if program.exists() else shutil.which("cargo-deny") or str(program)


if __name__ == "__main__":
    sys.exit(main())
