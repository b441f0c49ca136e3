"""From a name, a file, a folder or another library's object to a native tokenizer.

Never from the network, and never by guessing: what looks like a path is a path, anything else is a name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from piecework import _core
from piecework._files.bundle import bundled
from piecework._files.formats import open_parts
from piecework._files.hub_cache import cache_folder, find_snapshot, parse_hub_name
from piecework._files.origin import Origin
from piecework._files.reading import file_mode, in_file
from piecework._files.registry import resolve
from piecework.errors import LoadError, UnknownTokenizerError

__all__ = ["Loaded", "is_path", "load_native", "way_out"]

_SUFFIXES = (".json", ".tiktoken", ".model", ".gguf", ".txt", ".jinja", ".safetensors")


class Loaded(NamedTuple):
    """A native tokenizer and where it came from.

    Attributes:
        native: The tokenizer.
        name: The encoding's name for a bundled one, else the path or the name as given.
        is_bundled: Whether any installation of this version has it.
        origin: Where it came from, with what lies beside it.
    """

    native: _core.Tokenizer
    name: str
    is_bundled: bool
    origin: Origin


def load_native(source: object, *, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Loaded:
    """Loads what `source` is or names; the arguments and errors are those of `piecework.load`."""
    if not isinstance(source, str | os.PathLike):
        from piecework._files.live import open_object  # noqa: PLC0415 - most sources are names

        _check_no_pattern(pattern, special_tokens, f"a {type(source).__name__}")
        native, name, origin = open_object(source)
        return Loaded(native, name, is_bundled=False, origin=origin)
    if isinstance(source, str) and not source:
        raise LoadError("the name of a tokenizer is empty")
    if is_path(source):
        return _load_path(_expanded(source), str(source), pattern, special_tokens)
    return _load_name(os.fspath(source), pattern, special_tokens)


def is_path(source: str | os.PathLike[str], *, folder: Path | None = None) -> bool:
    """Whether a source is a path, and never a name.

    Args:
        source: A name or a path.
        folder: Where a relative path is meant from; None for the working folder.

    Returns:
        True for a Path, and for a str that begins with `.`, `/` or `~`, or ends in the suffix of a tokenizer file, or holds
        a path separator and exists. (`Qwen/Qwen3-8B` is a name unless there is a file or folder of that name.)

    Examples:
        >>> [is_path(source) for source in ("gpt-4o", "Qwen/Qwen3-8B", "./gpt-4o", "my.tiktoken", "/models/llama")]
        [False, False, True, True, True]
    """
    if not isinstance(source, str):
        return True
    if source.startswith((".", "/", "~")) or source.lower().endswith(_SUFFIXES) or Path(source).is_absolute():
        return True
    separators = tuple(sep for sep in (os.sep, os.altsep) if sep)
    return any(sep in source for sep in separators) and os.path.lexists(
        source if folder is None else folder / source
    )


def _load_name(name: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Loaded:
    hub_name = parse_hub_name(name)
    try:
        encoding = resolve(name)
    except UnknownTokenizerError as error:
        snapshot = None if hub_name is None else find_snapshot(hub_name)
        if snapshot is not None:
            return _load_folder(snapshot, name, pattern, special_tokens, "hub")
        error.hint = way_out(name) or error.hint
        raise
    _check_no_pattern(pattern, special_tokens, name)
    origin = Origin("bundled", encoding)
    return Loaded(bundled(encoding), encoding, is_bundled=True, origin=origin)


def way_out(name: str) -> str | None:
    """What to do about a name that is not known; None where nothing but other names can be said."""
    # A file of that name is the likeliest slip, and the person sees it in the folder.
    if os.path.exists(name):  # noqa: PTH110 - False, where Path.exists raises, for a name too long for a file
        return f"for the file or folder of that name here, write ./{name}"
    hub_name = parse_hub_name(name)
    if hub_name is None:
        if not any(sep in name for sep in (os.sep, os.altsep) if sep):
            return None
        return f"there is no such folder: {Path.cwd() / name}"
    return f"it is not in {cache_folder()}; `piecework models add {hub_name}` fetches its tokenizer"


def _expanded(source: str | os.PathLike[str]) -> Path:
    try:
        return Path(source).expanduser()
    except RuntimeError as error:
        raise LoadError(f"{source} cannot be read: {error}", path=str(source)) from None


def _load_path(
    path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    mode = file_mode(path)
    if mode is None:
        folder = path.absolute().parent
        raise LoadError(
            f"there is no file {path.name} in {folder}",
            path=str(path),
            searched=(str(folder),),
            hint=None if folder.is_dir() else f"the folder {folder} does not exist either",
        )
    if stat.S_ISDIR(mode):
        return _load_folder(path, name, pattern, special_tokens, "folder")
    return _load_file(path, name, pattern, special_tokens)


def _load_folder(
    folder: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None, source: str
) -> Loaded:
    from piecework._files.directory import open_folder  # noqa: PLC0415 - most sources are names

    native, origin = open_folder(folder, pattern=pattern, special_tokens=special_tokens, source=source)
    return Loaded(native, name, is_bundled=False, origin=origin)


def _load_file(
    path: Path, name: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Loaded:
    from piecework._files.additions import with_folder  # noqa: PLC0415 - most sources are names
    from piecework._files.model_files import ModelFiles  # noqa: PLC0415
    from piecework._files.pairs import other_half  # noqa: PLC0415
    from piecework._files.tokenizer_file import add_beside, read_tokenizer_file  # noqa: PLC0415

    read_files = [read_tokenizer_file(path)]
    kind, data = read_files[0].part
    if kind == "tiktoken":
        known = _known_ranks(path, data, pattern, special_tokens)
        if known is not None:
            origin = Origin("file", str(path), files=(read_files[0].record,))
            return Loaded(bundled(known), known, is_bundled=True, origin=origin)
    else:
        _check_no_pattern(pattern, special_tokens, str(path))
    if kind in ("vocab-json", "merges-txt"):
        is_merges = kind == "merges-txt"
        other = other_half(path.name, is_merges=is_merges)
        if other is not None and file_mode(path.with_name(other)) is not None:
            read_files.insert(0 if is_merges else 1, read_tokenizer_file(path.with_name(other)))
    beside = ModelFiles()

    def read() -> _core.Tokenizer:
        parts = tuple(file.part for file in read_files)
        native = open_parts(parts, pattern=pattern, special_tokens=special_tokens)
        add_beside(parts[0], native.notes, beside)
        return with_folder(native, parts[0].kind, beside)

    native = in_file(path, read)
    origin = Origin(
        "file",
        str(path),
        files=tuple(file.record for file in read_files),
        chat_templates=MappingProxyType(beside.chat_templates),
        remarks=tuple(beside.remarks),
    )
    return Loaded(native, name, is_bundled=False, origin=origin)


def _known_ranks(
    path: Path, data: bytes, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> str | None:
    """The bundled encoding whose ranks these are; None where the caller says how they are used."""
    if pattern is not None:
        return None
    if special_tokens is None:
        known: str | None = in_file(path, lambda: _core.known_tiktoken(data))
        if known is not None:
            return known
    raise LoadError(
        f"{path} holds ranks and no pattern, and its ranks are of no known encoding",
        path=str(path),
        hint="pass pattern=, the regular expression that cuts text into pretokens, and special_tokens= if it has any",
    )


def _check_no_pattern(pattern: str | None, special_tokens: Mapping[str, int] | None, what: str) -> None:
    if pattern is not None or special_tokens is not None:
        raise LoadError(f"pattern= and special_tokens= are for .tiktoken files, and not for {what}")
