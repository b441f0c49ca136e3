"""Download one archive with the registry's ordinary client.

npm and pip know their registries and the user's configuration (proxies, mirrors, certificates); nothing here names a
host. An sdist is fetched by pip's own index machinery, since `pip download` would run its build back end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.fetch.table import Package

_TIMEOUT_S = 900
_SDIST_SCRIPT = Path(__file__).with_name("sdist.py")


class FixtureError(Exception):
    """A package or text set that could not be had, and why."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.what = what
        self.reason = reason


def missing_clients(packages: Iterable[Package]) -> list[str]:
    """One line for each client that these packages need and this machine lacks."""
    kinds = {package.kind for package in packages}
    lines = []
    if "npm" in kinds and shutil.which("npm") is None:
        lines.append(
            "npm is missing: install Node.js 18 or later (it brings npm); the test fixtures come from npm packages"
        )
    if kinds & {"wheel", "sdist"} and not _has_pip():
        lines.append(
            f"pip is missing in {sys.executable}: run the fetcher with the project's .venv (make fixtures does)"
        )
    return lines


def download(package: Package, folder: Path) -> Path:
    """Download the archive of a package.

    Args:
        package: What to fetch.
        folder: An empty folder that the client may write to.

    Returns:
        The archive, as the registry has it.

    Raises:
        FixtureError: The client failed or brought no archive.
    """
    try:
        result = subprocess.run(
            _command(package, folder),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise FixtureError(package.label, f"no answer within {_TIMEOUT_S} s") from None
    except OSError as error:
        raise FixtureError(package.label, str(error)) from error
    if result.returncode != 0:
        raise FixtureError(package.label, _last_words(result.stderr or result.stdout))
    archives = sorted(path for path in folder.iterdir() if path.is_file())
    if len(archives) != 1:
        raise FixtureError(package.label, f"expected one archive, the client brought {len(archives)}")
    return archives[0]


def _command(package: Package, folder: Path) -> list[str]:
    if package.kind == "npm":
        npm = shutil.which("npm") or "npm"
        specifier = f"{package.name}@{package.version}"
        return [npm, "pack", specifier, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
    specifier = f"{package.name}=={package.version}"
    if package.kind == "wheel":
        # The file is read, not installed, so it need not fit the Python that runs this.
        options = ["--no-deps", "--ignore-requires-python", "--only-binary", ":all:", "--progress-bar", "off"]
        return [sys.executable, "-m", "pip", "download", specifier, *options, "--dest", str(folder)]
    return [sys.executable, str(_SDIST_SCRIPT), specifier, str(folder)]


def _has_pip() -> bool:
    return (
        subprocess.run([sys.executable, "-c", "import pip"], capture_output=True, check=False).returncode == 0
    )


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " / ".join(lines[-3:]) or "the client failed without a word"
