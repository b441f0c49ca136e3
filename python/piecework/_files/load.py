"""From a name, a file, a folder or another library's object to a native tokenizer.

Never from the network, and never by guessing: what looks like a path is a path, anything else is a name. Most are names
of bundled tokenizers, so what reads files, folders, the hub's cache and objects is imported where one of them is given.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from piecework._files.bundle import bundled, bundled_origin
from piecework._files.loaded import Loaded, check_no_pattern
from piecework._files.registry import resolve
from piecework.errors import LoadError, UnknownTokenizerError

__all__ = ["is_path", "load_native", "way_out"]

_SUFFIXES = (".json", ".tiktoken", ".model", ".gguf", ".txt", ".jinja", ".safetensors")


def load_native(source: object, *, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Loaded:
    """Loads what `source` is or names; the arguments and errors are those of `piecework.load`."""
    if not isinstance(source, str | os.PathLike):
        from piecework._files.live import open_object  # noqa: PLC0415 - most sources are names

        check_no_pattern(pattern, special_tokens, f"a {type(source).__name__}")
        native, name, origin = open_object(source)
        return Loaded(native, name, is_bundled=False, origin=origin)
    if isinstance(source, str) and not source:
        raise LoadError("the name of a tokenizer is empty")
    if is_path(source):
        from piecework._files.paths import load_path  # noqa: PLC0415

        return load_path(_expanded(source), str(source), pattern, special_tokens)
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
    try:
        encoding = resolve(name)
    except UnknownTokenizerError as error:
        from piecework._files.hub_cache import find_snapshot, parse_hub_name  # noqa: PLC0415
        from piecework._files.paths import load_folder  # noqa: PLC0415

        hub_name = parse_hub_name(name)
        snapshot = None if hub_name is None else find_snapshot(hub_name)
        if snapshot is not None:
            return load_folder(snapshot, name, pattern, special_tokens, "hub")
        error.hint = way_out(name) or error.hint
        raise
    check_no_pattern(pattern, special_tokens, name)
    return Loaded(bundled(encoding), encoding, is_bundled=True, origin=bundled_origin(encoding))


def way_out(name: str) -> str | None:
    """What to do about a name that is not known; None where nothing but other names can be said."""
    from piecework._files.hub_cache import cache_folder, parse_hub_name  # noqa: PLC0415

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
