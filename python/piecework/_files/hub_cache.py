"""Where a repository of the Hugging Face hub lies in the local cache. Nothing is fetched, and nothing is asked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from piecework._files.reading import read_regular
from piecework.errors import LoadError

__all__ = ["HubName", "cache_folder", "find_snapshot", "parse_hub_name"]

_REPOSITORY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,95}/[A-Za-z0-9_][A-Za-z0-9._-]{0,95}")
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/-]{0,254}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class HubName(NamedTuple):
    """A repository and a revision of it: a branch, a tag or a commit; None for the main branch."""

    repository: str
    revision: str | None

    def __str__(self) -> str:
        return self.repository if self.revision is None else f"{self.repository}@{self.revision}"


def parse_hub_name(name: str) -> HubName | None:
    """Reads `organization/name` or `organization/name@revision`; None for what no repository can be called.

    Examples:
        >>> parse_hub_name("Qwen/Qwen3-8B"), parse_hub_name("a/b@v1.0"), parse_hub_name("../b"), parse_hub_name("gpt-4o")
        (HubName(repository='Qwen/Qwen3-8B', revision=None), HubName(repository='a/b', revision='v1.0'), None, None)
    """
    repository, at, revision = name.partition("@")
    if not _REPOSITORY.fullmatch(repository) or ".." in repository or "--" in repository:
        return None
    if at and (not _REVISION.fullmatch(revision) or ".." in revision):
        return None
    return HubName(repository, revision or None)


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of the hub's cache, by the variables that huggingface_hub goes by."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environment.get(variable):
            return Path(environment[variable]).expanduser()
    home = environment.get("HF_HOME")
    if not home:
        base = environment.get("XDG_CACHE_HOME") or "~/.cache"
        home = str(Path(base) / "huggingface")
    return Path(home).expanduser() / "hub"


def find_snapshot(name: HubName) -> Path | None:
    """The folder with the files of a revision; None where it is not in the cache.

    Raises:
        LoadError: The cache cannot be read, or what it says of the revision is no commit.
    """
    repository = cache_folder() / f"models--{name.repository.replace('/', '--')}"
    snapshots = repository / "snapshots"
    revision = name.revision or "main"
    reference = repository / "refs" / revision
    if reference.is_file():
        commit = read_regular(reference, max_bytes=4096).decode("ascii", "replace").strip()
        if not _COMMIT.fullmatch(commit):
            raise LoadError(f"{reference} names no commit", path=str(reference))
        folder = snapshots / commit
    elif _COMMIT.fullmatch(revision):
        folder = _by_commit(snapshots, revision)
    else:
        return None
    return folder if folder.is_dir() else None


def _by_commit(snapshots: Path, commit: str) -> Path:
    """A snapshot by its commit, or by the beginning of it where only one begins so."""
    if (snapshots / commit).is_dir() or not snapshots.is_dir():
        return snapshots / commit
    found = [folder for folder in snapshots.iterdir() if folder.name.startswith(commit)]
    return found[0] if len(found) == 1 else snapshots / commit
