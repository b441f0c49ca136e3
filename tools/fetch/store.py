"""The cache folder: open archives, check hashes, and give a file its final name only when it is whole and right."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zipfile
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Self

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

from tools.fetch.packages import FixtureError, download

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from tools.fetch.table import Package


def cache_folder() -> Path:
    """Where fetched files live: shared by every clone of the project, and by no other program.

    Returns:
        `$PIECEWORK_FIXTURES`, else `$XDG_CACHE_HOME/piecework/fixtures`, else `~/.cache/piecework/fixtures`.
    """
    chosen = os.environ.get("PIECEWORK_FIXTURES")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "piecework" / "fixtures"


class Archive:
    """An npm tarball, an sdist or a wheel, read by paths without the top folder of tarballs."""

    def __init__(self, package: Package, path: Path) -> None:
        self.package = package
        self._zip = zipfile.ZipFile(path) if package.kind == "wheel" else None
        # Unpacked in memory first: reading members out of order makes gzip start over at each step back.
        self._tar = (
            None if self._zip else tarfile.TarFile(fileobj=BytesIO(gzip.decompress(path.read_bytes())))
        )
        self._members: dict[str, str | tarfile.TarInfo] = {}
        if self._zip:
            self._members = {name: name for name in self._zip.namelist() if not name.endswith("/")}
        elif self._tar:
            self._members = {m.name.partition("/")[2]: m for m in self._tar.getmembers() if m.isfile()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for opened in (self._zip, self._tar):
            if opened:
                opened.close()

    def names(self) -> list[str]:
        """Every path inside, sorted."""
        return sorted(self._members)

    def read(self, name: str) -> bytes:
        """The content of one file.

        Args:
            name: A path, or `path#array` for the bytes of a C array that a source file defines: some packages ship a
                data file only so.

        Raises:
            FixtureError: The archive has no such file, or the file no such array.
        """
        path, _, array = name.partition("#")
        data = self._read(path)
        return _c_array(self.package, data, array) if array else data

    def _read(self, name: str) -> bytes:
        member = self._members.get(name)
        if self._zip and isinstance(member, str):
            return self._zip.read(member)
        stream = self._tar.extractfile(member) if self._tar and isinstance(member, tarfile.TarInfo) else None
        if stream is None:
            raise FixtureError(self.package.label, f"has no file {name}")
        return stream.read()


def _c_array(package: Package, source: bytes, name: str) -> bytes:
    """The bytes that a C source file gives as `name[] = { 0x7b, ... }`."""
    start = source.find(b" " + name.encode() + b"[] = {")
    body = source[start:].partition(b"{")[2].partition(b"}")[0] if start >= 0 else b""
    numbers = [number for part in body.split(b",") if (number := part.strip())]
    if not numbers:
        raise FixtureError(package.label, f"has no array {name}")
    return bytes(int(number, 16) for number in numbers)


def sha256_of(path: Path) -> str:
    """The hex SHA-256 of a file, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_content(what: str, data: bytes, n_bytes: int, sha256: str) -> None:
    """Check content against its pin.

    Raises:
        FixtureError: It differs; the message gives both, so that a new row can be pinned from it.
    """
    _check_pin(what, len(data), hashlib.sha256(data).hexdigest(), n_bytes, sha256)


def _check_pin(what: str, n_bytes: int, sha256: str, wanted_bytes: int, wanted_sha256: str) -> None:
    if (n_bytes, sha256) != (wanted_bytes, wanted_sha256):
        wanted = f"bytes = {wanted_bytes}, sha256 = {wanted_sha256!r}"
        raise FixtureError(what, f"pinned {wanted}; got bytes = {n_bytes}, sha256 = {sha256!r}")


@contextmanager
def locked(cache: Path) -> Iterator[None]:
    """Let one fetcher at a time work in the cache, so that clones neither fetch twice nor clear what others still read.

    On Windows there is no lock: fetching twice at once is then merely wasteful, since files appear whole.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                print(f"fixtures: another fetch works in {cache}; waiting for it", flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
            # With the lock held, whatever lies here is from a fetch that was killed.
            shutil.rmtree(cache / "partial", ignore_errors=True)
        yield


@contextmanager
def partial_folder(cache: Path) -> Iterator[Path]:
    """A scratch folder in the cache's own file system, so that finished files can be renamed into place."""
    root = cache / "partial"
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as folder:
        yield Path(folder)


def place(data: bytes, target: Path, scratch: Path) -> None:
    """Write a file under its final name in one step, so that no reader ever sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, partial = tempfile.mkstemp(dir=scratch)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
    Path(partial).replace(target)


def archive_path(package: Package, cache: Path) -> Path:
    """Where the archive of a package is kept while something still has to be made from it."""
    return cache / "archives" / package.folder


def fetch_archive(package: Package, cache: Path, scratch: Path) -> Path:
    """The checked archive of a package, downloaded unless the cache has it.

    Raises:
        FixtureError: It could not be had, or is not the pinned one.
    """
    kept = archive_path(package, cache)
    if kept.exists():
        return kept
    incoming = Path(tempfile.mkdtemp(dir=scratch))
    archive = download(package, incoming)
    _check_pin(package.label, archive.stat().st_size, sha256_of(archive), package.bytes, package.sha256)
    kept.parent.mkdir(parents=True, exist_ok=True)
    archive.replace(kept)
    return kept


def file_path(package: Package, path: str, cache: Path) -> Path:
    """The final name of a file of a package."""
    return cache / package.folder / path


def missing_files(package: Package, cache: Path) -> list[str]:
    """The names of a package's files that the cache lacks (files are checked before they get their final name)."""
    return [
        file.name
        for file in package.files
        if not (target := file_path(package, file.path, cache)).is_file()
        or target.stat().st_size != file.bytes
    ]


def extract_files(package: Package, archive_file: Path, cache: Path, scratch: Path) -> None:
    """Check and place every file of a package.

    Raises:
        FixtureError: A file is missing in the archive or is not the pinned one.
    """
    with Archive(package, archive_file) as archive:
        for file in package.files:
            data = archive.read(file.path)
            check_content(f"{package.label}: {file.path}", data, file.bytes, file.sha256)
            place(data, file_path(package, file.path, cache), scratch)
