"""The samples that come with Piecework: demonstration, not evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from piecework._measure.samples import Samples, SampleText
from piecework.errors import InputError

__all__ = ["LABEL", "SETS", "built_in", "known_language"]

LABEL = "demonstration, not evidence"
SETS = ("parallel", "kinds", "fox")
_FOLDER = Path(__file__).parent.parent / "_data" / "samples"
# What has no language means nothing that another could say.
_NO_LANGUAGE = {"Zyyy", "Zsye", "Zmth"}


class _Row(NamedTuple):
    """A line of the index."""

    set: str
    key: str
    english_name: str
    own_name: str
    script: str
    words: str


def built_in(name: str) -> Samples:
    """Loads a set of built-in samples.

    Args:
        name: `parallel` (languages, a sentence a row), `kinds` (code and other content, each one row), or `fox` (one
            sentence in ten languages).

    Raises:
        ValueError: There is no such set.
        InputError: The installation lacks the file.
    """
    if name not in SETS:
        raise ValueError(f"the built-in samples are {', '.join(SETS)}, not {name!r}")
    texts = tuple(_load(row) for row in _index() if row.set == name)
    return Samples(f"{name} (built-in)", texts, LABEL)


def known_language(key: str) -> tuple[str, str] | None:
    """The English name and the script of a language of the index, by its tag or the tag's first part.

    Examples:
        >>> known_language("pt-BR"), known_language("zz")
        (('Portuguese', 'Latn'), None)
    """
    found = {row.key.lower(): row for row in _index() if row.set == "parallel"}
    row = found.get(key.lower()) or found.get(key.lower().split("-")[0])
    return None if row is None else (row.english_name, row.script)


def _load(row: _Row) -> SampleText:
    text = _read(_FOLDER / row.set / f"{row.key}.txt")
    has_language = row.set != "kinds" and row.script not in _NO_LANGUAGE
    # Code is one text: its line ends are tokens too.
    rows = (text,) if row.set == "kinds" else tuple(text.removesuffix("\n").split("\n"))
    return SampleText(row.key, row.english_name, rows, row.script if has_language else None, has_language)


@cache
def _index() -> tuple[_Row, ...]:
    lines = _read(_FOLDER / "index.tsv").splitlines()[1:]
    return tuple(_Row(*line.split("\t")) for line in lines if line)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InputError(
            f"a built-in sample cannot be read: {path}: {error.strerror}",
            path=str(path),
            reason=str(error.strerror),
        ) from error
