"""From what a caller names to samples: a built-in set, files, a pattern with {lang}, a table with a column a language."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from piecework._measure.bundled import SETS, built_in, known_language
from piecework._measure.sample_tables import COLUMN_READERS
from piecework._measure.samples import Samples, SampleText, check_aligned, sample_from_mapping
from piecework.errors import InputError

if TYPE_CHECKING:
    from piecework._types import Errors

__all__ = ["LANG", "SampleSource", "read_samples", "read_utf8"]

SampleSource: TypeAlias = (
    "str | os.PathLike[str] | Samples | Mapping[str, str | Sequence[str]] | Sequence[str | os.PathLike[str]]"
)
"""What names samples."""

_Found = TypeVar("_Found")

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
            or several (texts by themselves); a mapping of keys to texts, or to lists of rows; `Samples`.
        keys: Only these texts; all where there are none.
        reference: A text that is kept beside them, if it is there.
        errors: Text files that are no UTF-8: `"strict"` raises, `"replace"` reads U+FFFD.

    Raises:
        InputError: A file cannot be read, is no UTF-8, or aligned texts differ in length.
        MissingExtraError: Parquet needs an extra that is not installed.
        ValueError: There are no texts, or not these.
        TypeError: The source is none of these.
    """
    samples = _read(source, errors)
    missing = [key for key in keys if key not in {text.key for text in samples.texts}]
    if missing:
        found = ", ".join(text.key for text in samples.texts)
        raise ValueError(f"{samples.source} has no text {', '.join(missing)}; it has {found}")
    wanted = {*keys, reference}
    texts = tuple(text for text in samples.texts if not keys or text.key in wanted)
    return check_aligned(Samples(samples.source, texts, samples.label))


def _read(source: object, errors: Errors) -> Samples:
    if isinstance(source, Samples):
        return source
    if isinstance(source, Mapping):
        return sample_from_mapping(source)
    if isinstance(source, str | os.PathLike):
        return _from_path(os.fspath(source), errors)
    if isinstance(source, Sequence) and source:
        paths = [os.fspath(one) for one in source]
        return (
            _from_path(paths[0], errors)
            if len(paths) == 1
            else Samples(", ".join(paths), tuple(_whole(path, errors) for path in paths))
        )
    raise TypeError(f"samples are a name, paths, a mapping or Samples, not a {type(source).__name__}")


def _from_path(path: str, errors: Errors) -> Samples:
    if path in SETS:
        return built_in(path)
    if LANG in path:
        return Samples(path, tuple(_lines(key, found, errors) for key, found in _matches(path)))
    read_columns = COLUMN_READERS.get(Path(path).suffix.lower())
    if read_columns is None:
        return Samples(path, (_whole(path, errors),))
    columns = _reading(path, lambda: read_columns(Path(path)))
    if not any(columns.values()):
        raise InputError(f"{path}: the table has no rows of text", path=path, reason="no rows")
    return Samples(path, tuple(_text(key, rows) for key, rows in columns.items()))


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
    lines = read_utf8(path, errors).removesuffix("\n").split("\n")
    return _text(key, [line.removesuffix("\r") for line in lines])


def _text(key: str, rows: Sequence[str]) -> SampleText:
    tag = key.replace("_", "-")
    known = known_language(tag)
    script = _SCRIPT.search(tag)
    name, of_language = (key, None) if known is None else known
    return SampleText(key, name, tuple(rows), script[1] if script else of_language)


def _whole(path: str, errors: Errors) -> SampleText:
    return SampleText(path, path, (read_utf8(path, errors),), is_parallel=False)


def read_utf8(path: str, errors: Errors = "strict") -> str:
    """Reads a file as UTF-8, as it is.

    Raises:
        InputError: It cannot be read, or is no UTF-8.
    """
    return _reading(path, lambda: Path(path).read_bytes().decode("utf-8", errors))


def _reading(path: str, read: Callable[[], _Found]) -> _Found:
    try:
        return read()
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError as error:
        reason = f"it is no UTF-8 at byte {error.start:,}"
    raise InputError(f"{path} cannot be read: {reason}", path=path, reason=reason)
