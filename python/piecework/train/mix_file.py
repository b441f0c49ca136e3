"""A mix of sources as it is written down: in TOML, or as a mapping of the same shape."""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from piecework.errors import InputError
from piecework.train.memory_limits import bytes_of

__all__ = ["Mix", "MixSource", "read_mix"]

_KEYS = ("seed", "sample_bytes", "temperature", "source")
_SOURCE_KEYS = ("name", "files", "field", "weight", "sample_bytes")
_MAX_FILE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MixSource:
    """One source of a mix.

    Attributes:
        name: Its name, which its documents are drawn by.
        files: Its files, sorted.
        field: The field of the text in them.
        weight: Its share beside the others' weights; None where shares go by size.
        sample_bytes: The bytes to take; None where they go by weight or size.
    """

    name: str
    files: tuple[Path, ...]
    field: str
    weight: Decimal | None
    sample_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """A mix of sources.

    Attributes:
        seed: What decides which documents are drawn.
        sample_bytes: Bytes to take in all; None for as many as there are.
        temperature: Shares go by size to this power; 1 keeps the sizes' own proportions, 0 makes all equal.
        sources: The sources, in order.
    """

    seed: int
    sample_bytes: int | None
    temperature: Decimal
    sources: tuple[MixSource, ...]


class _Problems:
    """Raises what is wrong with a mix, naming the file and the key."""

    def __init__(self, file: Path | None) -> None:
        self.file = file

    def found(self, key: str, reason: str) -> InputError:
        """The error for a key."""
        where = "mix" if self.file is None else str(self.file)
        path = None if self.file is None else str(self.file)
        return InputError(f"{where}: {key}: {reason}", path=path, reason=f"{key}: {reason}")


def read_mix(mix: object, *, field: str, seed: int | None) -> Mix:
    """Reads a mix.

    Args:
        mix: The path of a TOML file, or a mapping. Paths in a file are relative to it.
        field: The field of sources that name none.
        seed: Overrides the mix's own.

    Raises:
        InputError: The file cannot be read, is no TOML, has unknown keys, or values that make no sense; files are missing.
        TypeError: `mix` is neither a path nor a mapping.
    """
    if isinstance(mix, Mapping):
        problems, given, folder = _Problems(None), mix, Path()
    elif isinstance(mix, str | os.PathLike):
        path = Path(mix)
        problems, folder = _Problems(path), path.parent
        given = _toml(path)
    else:
        raise TypeError(f"mix is the path of a TOML file or a mapping, not {type(mix).__name__}")
    _check_keys(problems, given, _KEYS, "")
    sources = given.get("source")
    if not isinstance(sources, list | tuple) or not sources:
        raise problems.found("source", "there is none; each [[source]] has a name and files")
    read = tuple(_source(problems, source, at, folder, field) for at, source in enumerate(sources))
    names = [source.name for source in read]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise problems.found(f"source[{at}].name", f"{name!r} is the name of two sources")
    temperature = _positive(problems, given, "temperature", "")
    _check_shares(problems, read, is_tempered=temperature is not None)
    return Mix(
        seed=_seed(problems, given, seed),
        sample_bytes=_size(problems, given, ""),
        temperature=Decimal(1) if temperature is None else temperature,
        sources=read,
    )


def _toml(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_FILE_BYTES)
        return tomllib.loads(data.decode(), parse_float=Decimal)
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 at byte {error.start}"
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = f"it is no TOML: {error}"
    raise InputError(f"{path}: {reason}", path=str(path), reason=reason)


def _check_keys(
    problems: _Problems, table: Mapping[str, object], known: tuple[str, ...], prefix: str
) -> None:
    for key in table:
        if key not in known:
            raise problems.found(f"{prefix}{key}", f"there is no such key; there are {', '.join(known)}")


def _source(problems: _Problems, source: object, at: int, folder: Path, field: str) -> MixSource:
    prefix = f"source[{at}]."
    if not isinstance(source, Mapping):
        raise problems.found(f"source[{at}]", "it is no table")
    _check_keys(problems, source, _SOURCE_KEYS, prefix)
    name = source.get("name")
    if not isinstance(name, str) or not name:
        raise problems.found(f"{prefix}name", "each source has a name")
    own_field = source.get("field", field)
    if not isinstance(own_field, str) or not own_field:
        raise problems.found(f"{prefix}field", "it names a field")
    weight = _positive(problems, source, "weight", prefix)
    if weight == 0:
        raise problems.found(f"{prefix}weight", "it is 0: leave the source out")
    return MixSource(
        name=name,
        files=_files(problems, source.get("files"), f"{prefix}files", folder),
        field=own_field,
        weight=weight,
        sample_bytes=_size(problems, source, prefix),
    )


def _files(problems: _Problems, files: object, key: str, folder: Path) -> tuple[Path, ...]:
    patterns = [files] if isinstance(files, str | os.PathLike) else files
    if not isinstance(patterns, list | tuple) or not patterns:
        raise problems.found(key, "it names a file, a pattern such as web/*.txt, or several")
    found: list[Path] = []
    for pattern in patterns:
        if not isinstance(pattern, str | os.PathLike):
            raise problems.found(key, f"{pattern!r} is no path")
        path = folder / pattern
        if path.exists() or not glob.has_magic(str(pattern)):
            found.append(path)
            continue
        matched = sorted(Path(name) for name in glob.glob(str(path), recursive=True))  # noqa: PTH207 - absolute patterns too
        if not matched:
            raise problems.found(key, f"no file is called like {pattern}")
        found.extend(one for one in matched if not one.is_dir())
    return tuple(found)


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _positive(problems: _Problems, table: Mapping[str, object], key: str, prefix: str) -> Decimal | None:
    if key not in table:
        return None
    number = _number(table[key])
    # More than a number of documents can tell apart, and its powers would fill the memory.
    if number is None or not number.is_finite() or not 0 <= number <= 10**9:
        raise problems.found(f"{prefix}{key}", f"it is a number from 0 to 10^9, not {table[key]!r}")
    return number


def _size(problems: _Problems, table: Mapping[str, object], prefix: str) -> int | None:
    if "sample_bytes" not in table:
        return None
    try:
        size = bytes_of("it", table["sample_bytes"])
    except (TypeError, ValueError) as error:
        raise problems.found(f"{prefix}sample_bytes", str(error)) from None
    if not size:
        raise problems.found(f"{prefix}sample_bytes", "nothing would be taken")
    return size


def _seed(problems: _Problems, given: Mapping[str, object], seed: int | None) -> int:
    chosen = given.get("seed", 0) if seed is None else seed
    if not isinstance(chosen, int) or isinstance(chosen, bool) or not 0 <= chosen < 1 << 64:
        raise problems.found("seed", f"it is a whole number from 0 to 2**64 - 1, not {chosen!r}")
    return chosen


def _check_shares(problems: _Problems, sources: tuple[MixSource, ...], *, is_tempered: bool) -> None:
    shared = [(at, source) for at, source in enumerate(sources) if source.sample_bytes is None]
    for at, source in enumerate(sources):
        if source.sample_bytes is not None and source.weight is not None:
            raise problems.found(
                f"source[{at}].weight", "the source has sample_bytes: one of both says how much"
            )
    weighted = [at for at, source in shared if source.weight is not None]
    if weighted and is_tempered:
        raise problems.found(
            f"source[{weighted[0]}].weight", "the mix has a temperature: one of both sets the shares"
        )
    if weighted and len(weighted) < len(shared):
        at = next(at for at, source in shared if source.weight is None)
        raise problems.found(f"source[{at}].weight", "the other sources have weights, and this one has none")
