"""The only download of Piecework: a repository's tokenizer files, from the Hugging Face hub into the hub's own cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._files.hub_cache import HubName, cache_folder, parse_hub_name
from piecework._files.origin import FileRecord, file_record
from piecework._files.reading import read_regular
from piecework._optional import optional_module
from piecework.errors import FetchError, PieceworkError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Fetched", "Plan", "fetch_tokenizer"]

# What a tokenizer is made of, and what lies beside it; never weights.
_WANTED = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "generation_config.json",
    "config.json",
    "chat_template.jinja",
    "additional_chat_templates/*.jinja",
    "tokenizer.model*",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tekken.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "*.tiktoken",
)
_TOKENIZERS = ("tokenizer.json", "*.model*", "tekken.json", "vocab.json", "vocab.txt", "*.tiktoken")

# No tokenizer file that is known here has more than 40 MB.
_MAX_FILE_BYTES = 300 << 20
_MAX_NAMED = 12


class Plan(NamedTuple):
    """What will be fetched.

    Attributes:
        name: The repository, with the revision that was asked for.
        commit: The commit that this is.
        files: Each file's name and size.
    """

    name: HubName
    commit: str
    files: tuple[tuple[str, int], ...]

    @property
    def n_bytes(self) -> int:
        """The size of all of them."""
        return sum(size for _, size in self.files)


class Fetched(NamedTuple):
    """What was fetched: the plan, the folder, and a record of each file."""

    plan: Plan
    folder: Path
    files: tuple[FileRecord, ...]


def fetch_tokenizer(name: str, *, offline: bool, announce: Callable[[Plan], None]) -> Fetched:
    """Fetches the tokenizer files of a repository, and nothing else of it.

    Args:
        name: `organization/name` or `organization/name@revision`.
        offline: Whether the network must not be asked; HF_HUB_OFFLINE says so as well.
        announce: Told what will be fetched, before it is.

    Returns:
        The folder in the hub's cache where `load` finds it. The revision is known there only once all files are.

    Raises:
        FetchError: The name is none, the network is not to be asked or does not answer, or the repository is not there,
            needs a login, or has no tokenizer.
        MissingExtraError: The package huggingface_hub is not installed.
    """
    hub_name = parse_hub_name(name)
    if hub_name is None:
        raise FetchError(
            f"{name!r} is no repository's name",
            name=name,
            hint="a name is organization/name or organization/name@revision",
        )
    if offline or os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "TRUE", "YES", "ON"}:
        said_by = "--offline" if offline else "HF_HUB_OFFLINE"
        reason = f"the network is not to be asked ({said_by})"
        raise FetchError(
            f"{hub_name} is not fetched: {reason}",
            name=name,
            reason=reason,
            hint=f"without {said_by}, it is",
        )
    hub = optional_module("huggingface_hub", extra="hub")
    endpoint = os.environ.get("HF_ENDPOINT") or None
    plan = _plan(hub, hub_name, endpoint)
    announce(plan)
    folder = _download(hub, plan, endpoint)
    _record_revision(plan)
    records = tuple(file_record(file, read_regular(folder / file), "") for file, _ in plan.files)
    return Fetched(plan, folder, records)


def _plan(hub: ModuleType, name: HubName, endpoint: str | None) -> Plan:
    revision = name.revision or "main"
    info: Any = _asking(
        name,
        lambda: hub.HfApi(endpoint=endpoint).model_info(
            name.repository, revision=revision, files_metadata=True, timeout=30
        ),
    )
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
    files = tuple(sorted(_wanted(sizes)))
    if not info.sha or not any(_matches(file, _TOKENIZERS) for file, _ in files):
        names = sorted(sizes)
        more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
        raise FetchError(
            f"{name} has no tokenizer that is read here; it has {', '.join(names[:_MAX_NAMED]) or 'no files'}{more}",
            name=str(name),
        )
    return Plan(name, str(info.sha), files)


def _wanted(sizes: dict[str, int]) -> Iterator[tuple[str, int]]:
    for file, size in sizes.items():
        if _matches(file, _WANTED) and ".." not in file and size <= _MAX_FILE_BYTES:
            yield file, size


def _matches(file: str, patterns: tuple[str, ...]) -> bool:
    # A star of fnmatch goes over slashes: a file in a folder is matched only by a pattern with one.
    return any(fnmatch(file, pattern) and file.count("/") == pattern.count("/") for pattern in patterns)


def _download(hub: ModuleType, plan: Plan, endpoint: str | None) -> Path:
    # By the commit, so that all files are of one state even if the branch moves meanwhile.
    hub.utils.disable_progress_bars()
    folder = cache_folder()
    for file, _ in plan.files:
        fetch = partial(
            hub.hf_hub_download,
            plan.name.repository,
            file,
            revision=plan.commit,
            cache_dir=folder,
            endpoint=endpoint,
        )
        path = _asking(plan.name, fetch)
        if not Path(path).is_file():
            raise FetchError(f"{plan.name}: {file} did not arrive", name=str(plan.name))
    return folder / f"models--{plan.name.repository.replace('/', '--')}" / "snapshots" / plan.commit


def _record_revision(plan: Plan) -> None:
    """Notes in the cache which commit the revision is, as huggingface_hub does; the file appears when it is whole."""
    revision = plan.name.revision or "main"
    if plan.commit.startswith(revision):
        return
    reference = cache_folder() / f"models--{plan.name.repository.replace('/', '--')}" / "refs" / revision
    reference.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=reference.parent, prefix=".revision.")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(plan.commit)
        Path(temporary).replace(reference)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _asking(name: HubName, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the hub answers
    """Asks the hub, and turns whatever its client raises into one error."""
    try:
        return ask()
    except PieceworkError:
        raise
    except Exception as error:
        # The client raises its own errors, those of the HTTP library that it has this year, and the system's.
        kind = type(error).__name__
        reason = (
            _REASONS.get(kind)
            or f"{kind}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
        )
        raise FetchError(f"{name} cannot be fetched: {reason}", name=str(name), reason=reason) from error


_REASONS = {
    "RepositoryNotFoundError": "the hub has no such repository, or it is private (`hf auth login`)",
    "GatedRepoError": "its owner asks for consent: accept the terms on its page, then `hf auth login`",
    "RevisionNotFoundError": "the repository has no such revision",
}
