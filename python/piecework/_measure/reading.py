"""From what a caller names to samples: a built-in set, files, a pattern with {lang}, a table with a column a language."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from piecework._measure.arguments import check_keys
from piecework._measure.bundled import SETS, built_in, known_language
from piecework._measure.columns import text_columns
from piecework._measure.names import short_paths
from piecework._measure.sample_files import read_utf8, reading
from piecework._measure.sample_tables import COLUMN_READERS, read_parquet
from piecework._measure.samples import Samples, SampleText, check_aligned, listed, sample_from_mapping
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._measure.columns import Columns
    from piecework._types import Errors

__all__ = ["LANG", "SampleSource", "read_samples"]

SampleSource: TypeAlias = "str | os.PathLike[str] | Samples | Mapping[str, str | Sequence[str]] | Sequence[str | os.PathLike[str] | SampleText]"
"""What names samples."""

_PARQUET = ".parquet"
LANG = "{lang}"
_SCRIPT = re.compile(r"[-_]([A-Z][a-z]{3})\b")


def read_samples(
    source: SampleSource,
    *,
    keys: Sequence[str] = (),
    reference: str | None = None,
    errors: Errors = "strict",
) -> Samples:
    """Reads samples.

    Args:
        source: `"parallel"`, `"kinds"` or `"fox"`, which are built in; a path with `{lang}` in it (aligned files, a row a
            line); a table `.tsv`, `.csv`, `.jsonl` or `.parquet` with a column for each language, aligned; any other path,
            or several, and `SampleText`s that are read already (texts by themselves); a mapping of keys to texts, or to
            lists of rows; `Samples`.
        keys: Only these texts; all where there are none. Of a table all columns but those of numbers and identifiers,
            which are texts only where they are named.
        reference: A text that is kept beside them, if it is there.
        errors: Text files that are no UTF-8: `"strict"` raises, `"replace"` reads U+FFFD.

    Raises:
        InputError: A file cannot be read, is no UTF-8, or aligned texts differ in length.
        MissingExtraError: Parquet needs an extra that is not installed.
        ValueError: There are no texts, or not these; a file is there twice, or a table beside others.
        TypeError: The source is none of these, or keys are no list of str.
    """
    check_keys("keys", keys)
    if reference is not None and not isinstance(reference, str):
        raise TypeError(f"reference is a key or None, not {type(reference).__name__}")
    wanted = {*keys} if reference is None else {*keys, reference}
    samples = _read(source, wanted, errors)
    there = {text.key for text in samples.texts}
    missing = [key for key in keys if key not in there]
    if missing:
        found = listed([text.key for text in samples.texts])
        raise ValueError(f"{samples.source} has no text {listed(missing)}; it has {found}")
    if not keys:
        return check_aligned(samples)
    # What nobody asked for is not left out.
    return check_aligned(
        replace(samples, texts=tuple(text for text in samples.texts if text.key in wanted), left_out=())
    )


def _read(source: object, wanted: set[str], errors: Errors) -> Samples:
    if isinstance(source, Samples):
        return source
    if isinstance(source, Mapping):
        return sample_from_mapping(source)
    if isinstance(source, str | os.PathLike):
        return _from_path(_path(source), wanted, errors)
    if not isinstance(source, Sequence) or isinstance(source, bytes | bytearray):
        raise TypeError(f"samples are a name, paths, a mapping or Samples, not a {type(source).__name__}")
    if not source:
        raise ValueError("there are no samples to compare on")
    found = [one if isinstance(one, SampleText) else _path(one) for one in source]
    if len(found) == 1 and isinstance(found[0], str):
        return _from_path(found[0], wanted, errors)
    return _several(found, errors)


def _path(one: object) -> str:
    if not isinstance(one, str | os.PathLike):
        raise TypeError(f"a path is a str or a PathLike, not a {type(one).__name__}")
    path = os.fsdecode(one)
    if not path:
        raise ValueError("a path is empty, and names no file")
    return path


def _several(found: Sequence[str | SampleText], errors: Errors) -> Samples:
    paths = [one for one in found if isinstance(one, str)]
    seen: dict[str, str] = {}
    for path in paths:
        if LANG in path or _is_table(path) or (path in SETS and not Path(path).exists()):
            what = (
                "stands for many files"
                if LANG in path
                else "is a table"
                if _is_table(path)
                else "is built in"
            )
            raise ValueError(
                f"{path} {what}, and is compared alone, not beside {listed([one for one in paths if one != path])}"
            )
        real = os.path.realpath(path)
        first = seen.get(real)
        seen[real] = path
        if first is not None:
            twice = f"{first} twice" if first == path else f"{first} and {path} are one file"
            raise ValueError(f"each text is compared once: {twice}")
    names = iter(short_paths(paths))
    texts = tuple(_whole(one, next(names), errors) if isinstance(one, str) else one for one in found)
    return Samples(listed([text.key for text in texts]), texts)


def _is_table(path: str) -> bool:
    suffix = Path(path).suffix.lower()
    return suffix == _PARQUET or suffix in COLUMN_READERS


def _from_path(path: str, wanted: set[str], errors: Errors) -> Samples:
    if path in SETS:
        return built_in(path)
    if LANG in path:
        return Samples(path, tuple(_lines(key, found, errors) for key, found in _matches(path)))
    if not _is_table(path):
        return Samples(path, (_whole(path, short_paths([path])[0], errors),))
    columns = _table(path, errors)
    texts, left_out = text_columns(columns, wanted)
    if not any(texts.values()):
        why = "; ".join(f"{one.key} is left out, {one.reason}" for one in left_out)
        raise InputError(
            f"{path}: the table has no rows of text{f': {why}' if why else ''}",
            path=path,
            reason="no rows",
            hint="name a column to have it taken for text" if why else None,
        )
    return Samples(path, tuple(_text(key, rows) for key, rows in texts.items()), left_out=left_out)


def _table(path: str, errors: Errors) -> Columns:
    suffix = Path(path).suffix.lower()
    try:
        if suffix == _PARQUET:
            return reading(path, lambda: read_parquet(Path(path)))
        return COLUMN_READERS[suffix](_without_mark(read_utf8(path, errors)))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path} cannot be read: {error}", path=path, reason=str(error)) from None


def _without_mark(text: str) -> str:
    # A byte order mark is of the file, and of none of its rows.
    return text.removeprefix("\ufeff")


def _matches(pattern: str) -> list[tuple[str, str]]:
    """The files of a pattern with what stands for {lang} in each, by that."""
    first, *rest = pattern.split(LANG)
    # Where it occurs again, it is the same language.
    named = re.compile(re.escape(first) + r"(?P<lang>[^/\\]+?)" + r"(?P=lang)".join(map(re.escape, rest)))
    found = sorted(
        (match["lang"], path)
        for path in glob(  # noqa: PTH207 - an absolute pattern is one too
            "*".join(escape(part) for part in (first, *rest))
        )
        if (match := named.fullmatch(path)) is not None and Path(path).is_file()
    )
    if not found:
        raise InputError(
            f"no file matches {pattern}", path=pattern, reason="no file", hint=f"{LANG} stands for the tag"
        )
    return found


def _lines(key: str, path: str, errors: Errors) -> SampleText:
    lines = _without_mark(read_utf8(path, errors)).removesuffix("\n").split("\n")
    return _text(key, [line.removesuffix("\r") for line in lines])


def _text(key: str, rows: Sequence[str]) -> SampleText:
    tag = key.replace("_", "-")
    known = known_language(tag)
    script = _SCRIPT.search(tag)
    name, of_language = (key, None) if known is None else known
    return SampleText(key, name, tuple(rows), script[1] if script else of_language)


def _whole(path: str, name: str, errors: Errors) -> SampleText:
    return SampleText(path, name, (read_utf8(path, errors),), is_parallel=False)
