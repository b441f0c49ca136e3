"""The environment that runs llama.cpp: a pinned llama-cpp-python, compiled for tokenizing alone, in the user's cache.

`python -m tools.llama_cpp_env` makes it where it is missing and prints its interpreter. Nothing of it is installed
into the project's own environment. It needs CMake and a C++ compiler, and about four minutes of one core; on a machine
that is busy, at the lowest priority, ten.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["VERSION", "llama_ids", "python"]

VERSION = "0.3.36"
_ROOT = Path.home() / ".cache" / "piecework" / "envs" / f"llama-cpp-{VERSION}"
_SCRIPT = Path(__file__).with_name("llama_cpp_ids.py")
_OFF = (
    "LLAMA_BUILD_COMMON",
    "LLAMA_BUILD_TESTS",
    "LLAMA_BUILD_TOOLS",
    "LLAMA_BUILD_EXAMPLES",
    "LLAMA_BUILD_SERVER",
    "LLAMA_BUILD_APP",
    "LLAMA_OPENSSL",
    "GGML_NATIVE",
    "GGML_OPENMP",
    "GGML_LLAMAFILE",
    "GGML_CPU_REPACK",
)


def python() -> Path:
    """The environment's interpreter; the environment is made where it is missing."""
    interpreter = _ROOT / "bin" / "python"
    if not (_ROOT / "complete").exists():
        _make(interpreter)
    return interpreter


def llama_ids(
    model: Path, texts: Sequence[str], *, add_special: bool, parse_special: bool
) -> list[list[int] | None]:
    """The ids of texts by llama.cpp; None for a text at which it gives up."""
    request: dict[str, Any] = {
        "model": str(model),
        "texts": list(texts),
        "add_special": add_special,
        "parse_special": parse_special,
    }
    done = subprocess.run(
        [python(), _SCRIPT, _ROOT / "lib" / "llama"],
        input=json.dumps(request),
        # What goes wrong there is said on stderr, which is not taken away.
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    ids: list[list[int] | None] = json.loads(done.stdout)
    return ids


def _make(interpreter: Path) -> None:
    shutil.rmtree(_ROOT, ignore_errors=True)
    _run(sys.executable, "-m", "venv", _ROOT)
    _run(interpreter, "-m", "pip", "install", "--quiet", "numpy", "typing-extensions", "diskcache", "jinja2")
    name = f"llama-cpp-python=={VERSION}"
    with tempfile.TemporaryDirectory() as folder:
        # Binary packages of other builds would do, but are not published for every machine.
        _run(
            interpreter,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
            folder,
            name,
        )
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        (source,) = (path for path in Path(folder).iterdir() if path.is_dir())
        _compile(source / "vendor" / "llama.cpp", Path(folder) / "build")
        (site,) = (_ROOT / "lib").glob("python*/site-packages")
        shutil.copytree(source / "llama_cpp", site / "llama_cpp")
        shutil.copytree(Path(folder) / "build" / "bin", _ROOT / "lib" / "llama", symlinks=True)
    (_ROOT / "complete").touch()


def _compile(source: Path, build: Path) -> None:
    flags = ["-O1 -DNDEBUG"] * 2
    options = [f"-D{name}=OFF" for name in _OFF]
    # The libraries find each other where they lie: the folder that they are built in is deleted.
    beside = "@loader_path" if sys.platform == "darwin" else "$ORIGIN"
    options += ["-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", f"-DCMAKE_INSTALL_RPATH={beside}"]
    _run(
        "cmake",
        *("-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON"),
        f"-DCMAKE_CXX_FLAGS_RELEASE={flags[0]}",
        f"-DCMAKE_C_FLAGS_RELEASE={flags[1]}",
        *options,
    )
    _run("cmake", "--build", build, "--target", "llama", "--parallel", "1")


def _run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    print(python())
